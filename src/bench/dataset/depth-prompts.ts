// The prompts of a depth profile. Both requests of a pair begin with the same words, after a nonce of their own run,
// depth and repetition, so that a prefix cache can only contain what its own opening stored there.

import {
  type DepthPlan,
  type DepthRequest,
  depthRequests,
  EXTENSION_OUTPUT_TOKENS,
} from '../../core/depth/depth-plan.ts';
import { ofCount } from '../../core/figure/figure.ts';
import { randomFor } from './length-choice.ts';
import { type Dataset, type Prompt, userPrompt } from './prompt.ts';
import { sizedText } from './synthetic-dataset.ts';
import { type WordCosts, wordText } from './word-costs.ts';

export interface DepthDatasetOptions {
  readonly plan: DepthPlan;
  /** 8 hex digits, different for each run. */
  readonly noncePrefix: string;
}

interface DepthDataset extends Dataset {
  readonly prompts: readonly (Prompt & { readonly maxTokens: number })[];
  /** Requested length of each prompt. */
  readonly inputLengths: readonly number[];
}

export const depthDataset = (
  { plan, noncePrefix }: DepthDatasetOptions,
  costs: WordCosts,
  seed: number,
): DepthDataset => {
  const requests = depthRequests(plan);
  const random = randomFor(seed, 'words');
  const { promptTokens, outputTokens } = plan;
  let opening = '';
  const prompts = requests.map((request, index) => {
    // An extension shares the nonce of its opening, which is just before it.
    const nonce = `[${noncePrefix}${(request.kind === 'extension' ? index - 1 : index).toString(16).padStart(8, '0')}] `;
    switch (request.kind) {
      case 'lead':
        return limited(userPrompt(nonce + sizedText(promptTokens, costs, random)), EXTENSION_OUTPUT_TOKENS);
      case 'opening':
        opening = nonce + sizedText(request.depth, costs, random);
        return limited(userPrompt(opening), outputTokens);
      case 'extension':
        return limited(userPrompt(opening + wordText(promptTokens, costs, random)), EXTENSION_OUTPUT_TOKENS);
      default:
        return request satisfies never;
    }
  });
  return {
    description: `depth profile: ${plan.depths.join(', ')} tokens of context, ${plan.repetitions} ${ofCount(plan.repetitions, 'time', 'times')} ${promptTokens} in and ${outputTokens} out, seed ${seed}`,
    prompts,
    inputLengths: requests.map(request => lengthOf(request, plan)),
  };
};

const lengthOf = (request: DepthRequest, { promptTokens }: DepthPlan): number => {
  switch (request.kind) {
    case 'lead':
      return promptTokens;
    case 'opening':
      return request.depth;
    case 'extension':
      return request.depth + promptTokens;
    default:
      return request satisfies never;
  }
};

const limited = (prompt: Prompt, maxTokens: number): Prompt & { readonly maxTokens: number } => ({
  ...prompt,
  maxTokens,
});
