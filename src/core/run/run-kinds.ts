// The kinds of events about benchmarks and other work: rows of the table of kinds. A node may run thousands
// of benchmarks; state contains the newest, the journal and the run directories contain the rest.

import {
  type Run,
  type Runner,
  type RunProgress,
  runnerSchema,
  runProgressSchema,
  runSchema,
} from './run.ts';

const RUNNER = {
  class: 'live',
  field: 'runners',
  shape: 'keyed',
  entriesMax: 64,
  isNewestKept: true,
  schema: runnerSchema,
  key: ({ runnerKey }: Runner): string => runnerKey,
  texts: { runnerKey: 'key', source: 'plain' },
} as const;

/** Published twice: at the start and at the end. */
const RUN = {
  class: 'durable',
  field: 'runs',
  shape: 'keyed',
  entriesMax: 256,
  isNewestKept: true,
  schema: runSchema,
  key: ({ runId }: Run): string => runId,
  texts: {
    runId: 'runId',
    runName: 'tag',
    tags: 'tag',
    from: 'nodeName',
    startedAt: 'plain',
    tool: 'plain',
    version: 'plain',
    target: 'free',
    serverKind: 'plain',
    model: 'modelName',
    kind: 'plain',
    concurrencyOf: 'plain',
    history: 'plain',
    dataset: 'dataset',
    command: 'free',
    name: 'plain',
    objective: 'plain',
    unit: 'plain',
    answer: 'plain',
    directory: 'directory',
    sweepId: 'runId',
    state: 'plain',
    reason: 'free',
    detail: 'free',
    code: 'plain',
    spoils: 'plain',
    problem: 'free',
    advice: 'free',
    verdict: 'plain',
    reasons: 'free',
    message: 'free',
    example: 'free',
  },
} as const;

type RunRow = typeof RUN & { readonly toPayload: (run: Run) => Run | undefined };

const PROGRESS = {
  class: 'live',
  field: 'runProgress',
  shape: 'keyed',
  entriesMax: 64,
  isNewestKept: true,
  schema: runProgressSchema,
  key: ({ runId }: RunProgress): string => runId,
  texts: {
    runId: 'runId',
    phase: 'plain',
    agent: 'nodeName',
    state: 'plain',
    reason: 'free',
    kind: 'plain',
    objective: 'plain',
    unit: 'plain',
    answer: 'plain',
    detail: 'free',
    code: 'plain',
    spoils: 'plain',
    problem: 'free',
    advice: 'free',
    verdict: 'plain',
    reasons: 'free',
    message: 'free',
    example: 'free',
  },
} as const;

export const RUN_KINDS: {
  readonly 'runner.reported': typeof RUNNER;
  readonly 'run.started': RunRow;
  readonly 'run.ended': RunRow;
  readonly 'progress.reported': typeof PROGRESS;
} = {
  'runner.reported': RUNNER,
  'run.started': { ...RUN, toPayload: run => (run.state === 'running' ? run : undefined) },
  'run.ended': { ...RUN, toPayload: run => (run.state === 'running' ? undefined : run) },
  'progress.reported': PROGRESS,
};
