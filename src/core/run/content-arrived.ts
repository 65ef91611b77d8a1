// The part of the answers that has arrived, including answers in progress: their chunks, and how many tokens
// a chunk has had. A server reports tokens with the last chunk of an answer; counted at that point, the
// output of long answers would come in jumps.

import { count, type Infer, nonNegative, openObject, reported } from '../schema.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import { tokensOf } from './run-rates.ts';
import type { MetricLookup } from './snapshot.ts';

export const contentArrivedSchema = openObject({
  /** Content chunks of measured requests with any outcome. */
  chunks: count,
  /** For the requests that have completed. */
  tokensPerChunk: reported(nonNegative),
});

export type ContentArrived = Infer<typeof contentArrivedSchema>;

/** Unknown if chunks were not counted as they arrived: nothing streamed, or only ended samples are known. */
export const contentArrived = (metrics: MetricLookup): Reported<ContentArrived> => {
  const chunks = metrics.counter('chunksReceived');
  const ended = metrics.counter('chunksCompleted');
  if (chunks === 0 || chunks < ended) return unknown('no chunks were counted');
  const tokens = tokensOf(metrics, 'outputTokens');
  if (isUnknown(tokens)) return { chunks, tokensPerChunk: tokens };
  return {
    chunks,
    tokensPerChunk: ended === 0 ? unknown('no chunk of a completed request') : tokens / ended,
  };
};
