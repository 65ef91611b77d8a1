// Identifies the prompts that a run sends by one number: two runs with the same one send the same prompts in the same
// order.

import { createHash } from 'node:crypto';
import type { Prompt } from './prompt.ts';

/** SHA-256 over a line of JSON for each prompt: prefix, messages, the most tokens of its answer; hex. */
export const promptsSha256 = (prompts: readonly Prompt[]): string => {
  const hash = createHash('sha256');
  for (const { prefix, messages, maxTokens } of prompts)
    hash.update(`${JSON.stringify([prefix ?? null, messages, maxTokens ?? null])}\n`);
  return hash.digest('hex');
};
