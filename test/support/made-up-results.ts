// Results of any tool, made of requests whose times are known.

import type { ExplainedResult } from '../../src/core/explanation/explained-result.ts';
import type { ResultTool } from '../../src/core/explanation/tool-rules.ts';
import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import { PLAIN_SHAPE } from '../../src/core/run/run-shape.ts';
import { isUnknown, unknown } from '../../src/core/unknown.ts';
import { sampleOf } from './sample-of.ts';

export interface MadeRequest {
  readonly sentMs?: number;
  readonly ttftMs?: number;
  readonly gapsMs?: readonly number[];
  /** From the last content to the end. */
  readonly restMs?: number;
  readonly more?: Partial<EndedSample>;
}

export const requestsOf = (made: readonly MadeRequest[]): readonly EndedSample[] =>
  made.map(({ sentMs, ttftMs = 100, gapsMs = [10, 10, 10], restMs = 0, more }, index) => {
    const sentNs = 1e6 * (sentMs ?? index * 50);
    const contentNs = gapsMs.reduce((sum, gap) => sum + gap, 0);
    return sampleOf({
      sampleId: index,
      sentNs,
      intendedNs: sentNs,
      firstByteNs: sentNs + 1e6 * ttftMs,
      firstContentNs: sentNs + 1e6 * ttftMs,
      chunkGapsNs: gapsMs.map(gap => 1e6 * gap),
      chunkCount: gapsMs.length + 1,
      endNs: sentNs + 1e6 * (ttftMs + contentNs + restMs),
      inputTokens: 100,
      outputTokens: gapsMs.length + 1,
      ...more,
    });
  });

const meanTokens = (samples: ExplainedResult['requests'], key: 'inputTokens' | 'outputTokens') => {
  if (isUnknown(samples)) return unknown('not there');
  const measured = samples.filter(({ window, outcome }) => window === 0 && outcome === 'completed');
  return measured.reduce((sum, sample) => sum + sample[key], 0) / measured.length;
};

export const resultOf = (
  tool: ResultTool,
  requests: ExplainedResult['requests'],
  more: Partial<Omit<ExplainedResult, 'facts'>> & { readonly facts?: Partial<ExplainedResult['facts']> } = {},
): ExplainedResult => ({
  tool,
  label: tool,
  source: tool,
  target: 'http://127.0.0.1:8000',
  printed: {},
  requests,
  hasChunks: true,
  bounds: {},
  ...more,
  facts: {
    runId: tool,
    model: 'm',
    dataset: 'd',
    datasetDigest: unknown('not there'),
    pattern: { kind: 'concurrency', concurrency: 4 },
    shape: PLAIN_SHAPE,
    isStreaming: true,
    inputTokens: meanTokens(requests, 'inputTokens'),
    outputTokens: meanTokens(requests, 'outputTokens'),
    clientVerdict: 'trustworthy',
    sampling: unknown('not there'),
    spoiledBy: 'nothing',
    ...more.facts,
  },
});
