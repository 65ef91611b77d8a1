// What of the answers has come, also of those that go on: their chunks, and how many tokens a chunk has had. A server tells
// tokens with the last chunk of an answer; counted when that comes, the output of long answers would come in jumps.

import { isUnknown, type Reported, unknown } from '../unknown.ts';
import type { MetricLookup } from './metric-lookup.ts';
import { tokensOf } from './run-rates.ts';

export type ContentArrived = {
  /** Content chunks of measured requests, whatever became of them. */
  readonly chunks: number;
  /** Of the requests that have completed. */
  readonly tokensPerChunk: Reported<number>;
};

/** Unknown where chunks were not counted as they came: nothing streamed, or only ended samples are known. */
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
