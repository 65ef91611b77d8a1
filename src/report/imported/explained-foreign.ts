// A file of another tool as a result that can be explained, without storing it as a run.

import {
  type ExplainedResult,
  NOT_REPORTED_TARGET,
  UNREPORTED_CHUNKS,
} from '../../core/explanation/explained-result.ts';
import { OUTSIDE_WINDOWS } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { foreignLabel } from '../../core/run/foreign-run.ts';
import { PLAIN_SHAPE } from '../../core/run/run-shape.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';
import type { ForeignRun } from './foreign-file.ts';

export const explainedForeign = (foreign: ForeignRun, source: string): ExplainedResult => {
  const { tool, run, figures, printed, unreported } = foreign;
  const notReported = unknown(`not reported by ${tool}`);
  return {
    tool,
    label: foreignLabel(foreign),
    source,
    facts: {
      runId: source,
      model: run.model,
      dataset: run.dataset,
      datasetDigest: notReported,
      foreign: foreignLabel(foreign),
      pattern: run.pattern,
      shape: PLAIN_SHAPE,
      isStreaming: run.streaming,
      inputTokens: meanTokens(foreign, 'inputTokens'),
      outputTokens: meanTokens(foreign, 'outputTokens'),
      clientVerdict: 'unknown',
      sampling: notReported,
      spoiledBy: notReported,
    },
    target: run.target === NOT_REPORTED_TARGET ? notReported : run.target,
    printed,
    requests: figures.kind === 'requests' ? figures.samples : unknown('its file has no single requests'),
    hasChunks: unreported.every(({ what }) => what !== UNREPORTED_CHUNKS),
    bounds: {},
  };
};

const meanTokens = ({ figures }: ForeignRun, key: 'inputTokens' | 'outputTokens'): number | Unknown => {
  if (figures.kind === 'summary') {
    const { [key]: tokens, completed } = figures.summary;
    return tokens === undefined || completed === 0
      ? unknown('not contained in the file')
      : tokens / completed;
  }
  const counted = figures.samples.filter(
    ({ window, outcome, [key]: tokens }) =>
      window !== OUTSIDE_WINDOWS && outcome === 'completed' && tokens !== NO_FIGURE,
  );
  return counted.length === 0
    ? unknown('not reported for its requests')
    : counted.reduce((sum, sample) => sum + sample[key], 0) / counted.length;
};
