// Which model each request of a mix is for.

import { MIXED_REQUESTS_MIN, type ModelMix, mixedOrder } from '../../core/run/model-mix.ts';
import { BenchError } from '../bench-error.ts';
import type { PlannedPrompts } from '../dataset/planned-prompts.ts';
import type { Prompt } from '../dataset/prompt.ts';
import type { RequestedMix } from '../load/load-plan.ts';

interface MixedBodies extends RequestedMix {
  readonly prompts: readonly Prompt[];
  readonly modelOf: (index: number) => string;
}

/** Each prompt goes to one model; a small set of prompts is repeated, so that the shares are met. */
export const mixedBodies = (
  models: ModelMix,
  { prompts, sessions }: PlannedPrompts,
  seed: number,
): MixedBodies => {
  if (sessions !== undefined) {
    throw new BenchError({
      code: 'input',
      problem: 'sessions ask one model, and --model names several',
      advice: 'Name one of them, or use prompts that stand for themselves.',
    });
  }
  const times = Math.max(1, Math.ceil(MIXED_REQUESTS_MIN / prompts.length));
  const repeated = Array.from({ length: times }, () => prompts).flat();
  const order = mixedOrder(models, repeated.length, seed);
  const names = models.map(({ model }) => model);
  return {
    prompts: repeated,
    order,
    models: names,
    modelOf: (index: number): string => names[order[index] ?? 0] ?? '',
  };
};
