// What one request asks, and where such requests come from.

import type { JsonObject } from '../../core/json.ts';
import type { FileDigest } from '../../core/run/provenance.ts';
import type { Message } from './message.ts';
import type { Session } from './session.ts';

export interface Prompt {
  /** A system prompt that others have too: it is sent unchanged, before everything else. */
  readonly prefix?: string;
  /** At least one. */
  readonly messages: readonly Message[];
  /** Of the reply; undefined leaves it to the server. */
  readonly maxTokens: number | undefined;
  /** Fields of the request that its line has itself, such as its temperature and tools; those of --body are put over them. */
  readonly fields?: JsonObject;
  /** By which its line is named in the data set. */
  readonly lineId?: string;
  /** The prompt as the model's tokens, in the place of messages; of single requests. */
  readonly tokenIds?: readonly number[];
}

export interface Dataset {
  /** Where it was read from one. */
  readonly file?: FileDigest;
  /** One line for the report: what was sent. */
  readonly description: string;
  /** At least one. */
  readonly prompts: readonly Prompt[];
  /** What is sent instead, where requests belong to sessions: `prompts` are then their first turns. */
  readonly sessions?: readonly Session[];
}

export const userPrompt = (text: string, maxTokens?: number): Prompt => ({
  messages: [{ role: 'user', content: text }],
  maxTokens,
});
