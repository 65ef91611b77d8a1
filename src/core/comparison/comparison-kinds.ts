// The kinds of events that speak of comparisons by pairs: rows of the table of kinds. Told durably as one starts and as it ended,
// and live in between; the segments are runs and tell of themselves.

import type { ToldComparison, ToldPairs } from './told-comparison.ts';

const COMPARISON = {
  class: 'durable',
  field: 'comparisons',
  shape: 'keyed',
  entriesMax: 64,
  isNewestKept: true,
  key: ({ comparisonId }: ToldComparison): string => comparisonId,
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
  readonly tell: (comparison: ToldComparison) => ToldComparison | undefined;
};

const PAIRS = {
  class: 'live',
  field: 'comparisonProgress',
  shape: 'keyed',
  entriesMax: 8,
  isNewestKept: true,
  key: ({ comparisonId }: ToldPairs): string => comparisonId,
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
  'comparison.started': { ...COMPARISON, tell: told => (told.state === 'running' ? told : undefined) },
  'comparison.ended': { ...COMPARISON, tell: told => (told.state === 'running' ? undefined : told) },
  'pairs.reported': PAIRS,
};
