// The kinds of events about comparisons by pairs: rows of the table of kinds. A durable event is published at
// the start and at the end, live ones in between; the segments are runs with their own events.

import {
  type ReportedComparison,
  type ReportedPairs,
  reportedComparisonSchema,
  reportedPairsSchema,
} from './reported-comparison.ts';

const COMPARISON = {
  class: 'durable',
  field: 'comparisons',
  shape: 'keyed',
  entriesMax: 64,
  isNewestKept: true,
  schema: reportedComparisonSchema,
  key: ({ comparisonId }: ReportedComparison): string => comparisonId,
  texts: {
    comparisonId: 'runId',
    startedAt: 'plain',
    name: 'tag',
    tags: 'tag',
    label: 'free',
    target: 'free',
    model: 'modelName',
    load: 'free',
    command: 'free',
    directory: 'directory',
    state: 'plain',
    sentence: 'free',
    kind: 'plain',
    reason: 'free',
    code: 'plain',
  },
} as const;

type ComparisonRow = typeof COMPARISON & {
  readonly toPayload: (comparison: ReportedComparison) => ReportedComparison | undefined;
};

const PAIRS = {
  class: 'live',
  field: 'comparisonProgress',
  shape: 'keyed',
  entriesMax: 8,
  isNewestKept: true,
  schema: reportedPairsSchema,
  key: ({ comparisonId }: ReportedPairs): string => comparisonId,
  texts: {
    comparisonId: 'runId',
    sentence: 'free',
    kind: 'plain',
    reason: 'free',
    code: 'plain',
    side: 'plain',
  },
} as const;

export const COMPARISON_KINDS: {
  readonly 'comparison.started': ComparisonRow;
  readonly 'comparison.ended': ComparisonRow;
  readonly 'pairs.reported': typeof PAIRS;
} = {
  'comparison.started': {
    ...COMPARISON,
    toPayload: reported => (reported.state === 'running' ? reported : undefined),
  },
  'comparison.ended': {
    ...COMPARISON,
    toPayload: reported => (reported.state === 'running' ? undefined : reported),
  },
  'pairs.reported': PAIRS,
};
