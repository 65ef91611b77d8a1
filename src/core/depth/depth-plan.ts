// A depth profile: how fast prompts are read and answers written after a context of a given length. Two
// requests per repetition and depth: one that opens the context, and one that starts with the same text and
// continues it. A request's role follows from its number, so samples alone give the profile.

import * as v from 'valibot';
import { count, type Infer, openObject, reported, text } from '../schema.ts';

export type SkippedDepth = { readonly depth: number; readonly reason: string };

export type DepthRequest =
  /** Neither measured nor shown: the server's first request of the run is not representative. */
  | { readonly kind: 'lead' }
  /** A new prompt of `depth` tokens; the answer has the requested length. */
  | { readonly kind: 'opening'; readonly depth: number; readonly round: number }
  /** The same prompt, followed by further tokens. */
  | { readonly kind: 'extension'; readonly depth: number; readonly round: number };

/** In the order in which they are sent, sequentially. */
export const depthRequests = ({
  depths,
  repetitions,
}: Pick<DepthPlan, 'depths' | 'repetitions'>): readonly DepthRequest[] => [
  { kind: 'lead' },
  ...depths.flatMap(depth =>
    Array.from({ length: repetitions }, (_, round) => [
      { kind: 'opening', depth, round } as const,
      { kind: 'extension', depth, round } as const,
    ]).flat(),
  ),
];

/** Tokens that a server must store for a depth, without those that its template adds. */
export const tokensAtDepth = (
  depth: number,
  { promptTokens, outputTokens }: Pick<DepthPlan, 'promptTokens' | 'outputTokens'>,
): number => depth + Math.max(promptTokens + EXTENSION_OUTPUT_TOKENS, outputTokens);

export const DEPTHS_MAX = 32;

export const depthPlanSchema = openObject({
  /** Tokens of context, ascending; those for which the server has room. */
  depths: v.pipe(v.array(count), v.maxLength(DEPTHS_MAX)),
  promptTokens: count,
  outputTokens: count,
  repetitions: count,
  skipped: v.pipe(v.array(openObject({ depth: count, reason: text })), v.maxLength(DEPTHS_MAX)),
  /** As the server reports them, for the table that people post. */
  sizeBytes: reported(count),
  parameters: reported(count),
  contextMax: reported(count),
});

export type DepthPlan = Infer<typeof depthPlanSchema>;

export const DEPTH_TOKENS_MAX = 1_048_576;
export const DEPTH_REPETITIONS_MAX = 100;
export const DEPTH_PROMPT_TOKENS = 512;
export const DEPTH_OUTPUT_TOKENS = 128;
/** Answer length for a prompt whose reading is measured. */
export const EXTENSION_OUTPUT_TOKENS = 2;
