// The kinds of events about sweeps and load lines: rows of the table of kinds. A durable event is published
// at the start and at the end, live ones in between; the stages are runs with their own events.

import { type Sweep, type SweepProgress, sweepProgressSchema, sweepSchema } from './sweep.ts';

const SWEEP = {
  class: 'durable',
  field: 'sweeps',
  shape: 'keyed',
  entriesMax: 64,
  isNewestKept: true,
  schema: sweepSchema,
  key: ({ sweepId }: Sweep): string => sweepId,
  texts: {
    sweepId: 'runId',
    kind: 'plain',
    reason: 'free',
    code: 'plain',
    failsBy: 'plain',
    limit: 'plain',
    sentence: 'free',
    arrival: 'plain',
    purpose: 'plain',
    concurrencyOf: 'plain',
    runId: 'runId',
    state: 'plain',
    verdict: 'plain',
    series: 'plain',
    form: 'plain',
    startedAt: 'plain',
    name: 'tag',
    tags: 'tag',
    target: 'free',
    serverKind: 'plain',
    model: 'modelName',
    dataset: 'dataset',
    objectives: 'plain',
    by: 'plain',
    command: 'free',
    directory: 'directory',
  },
} as const;

type SweepRow = typeof SWEEP & { readonly toPayload: (sweep: Sweep) => Sweep | undefined };

const PROGRESS = {
  class: 'live',
  field: 'sweepProgress',
  shape: 'keyed',
  entriesMax: 8,
  isNewestKept: true,
  schema: sweepProgressSchema,
  key: ({ sweepId }: SweepProgress): string => sweepId,
  texts: {
    sweepId: 'runId',
    kind: 'plain',
    reason: 'free',
    code: 'plain',
    failsBy: 'plain',
    limit: 'plain',
    sentence: 'free',
    arrival: 'plain',
    purpose: 'plain',
    concurrencyOf: 'plain',
    runId: 'runId',
    state: 'plain',
    verdict: 'plain',
    series: 'plain',
  },
} as const;

export const SWEEP_KINDS: {
  readonly 'sweep.started': SweepRow;
  readonly 'sweep.ended': SweepRow;
  readonly 'stages.reported': typeof PROGRESS;
} = {
  'sweep.started': { ...SWEEP, toPayload: sweep => (sweep.state === 'running' ? sweep : undefined) },
  'sweep.ended': { ...SWEEP, toPayload: sweep => (sweep.state === 'running' ? undefined : sweep) },
  'stages.reported': PROGRESS,
};
