// An acceptance of two nodes with one check of each result, for tests that need a whole one.

import {
  ACCEPTANCE_SCHEMA,
  type Acceptance,
  acceptanceOutcome,
  type JudgedCheck,
} from '../../src/core/acceptance/acceptance-document.ts';
import { NOTHING_WATCHED } from '../../src/core/acceptance/cluster-watch.ts';
import { isDocumentId } from '../../src/core/ids.ts';
import { unknown } from '../../src/core/unknown.ts';

const CHECK: JudgedCheck = {
  check: 'memory-bandwidth',
  title: 'Memory bandwidth',
  subject: 'atlas, GPU 0',
  nodes: ['atlas'],
  result: 'pass',
  reason: '90 % of the median of 4 comparable devices, 3.00 TB/s',
  unit: 'bytes/s',
  value: 2.9e12,
  limit: 2.7e12,
  from: 'comparable',
};

export const JUDGED: readonly JudgedCheck[] = [
  CHECK,
  { ...CHECK, subject: 'atlas, GPU 1', value: 2.8e12 },
  { ...CHECK, subject: 'juno, GPU 0', nodes: ['juno'], value: 2.4e12, result: 'fail' },
  {
    ...CHECK,
    subject: 'juno, GPU 1',
    nodes: ['juno'],
    result: 'undecided',
    value: unknown('no figure'),
    limit: unknown('no figure'),
    from: 'none',
    reason: 'its probe waits: a benchmark runs against juno',
  },
];

export const madeUpAcceptance = (id: string, checks: readonly JudgedCheck[] = JUDGED): Acceptance => {
  if (!isDocumentId(id)) throw new RangeError(id);
  const stages = [{ key: 'devices', title: 'Devices', checks }];
  return {
    schema: ACCEPTANCE_SCHEMA,
    id,
    plimsoll: { version: '0.0.0' },
    name: unknown('not given'),
    startedAt: '2026-11-28T09:00:00Z',
    command: 'plimsoll accept',
    state: 'complete',
    reason: '',
    outcome: acceptanceOutcome(stages),
    nodes: ['atlas', 'juno'],
    expected: [],
    soakMs: 0,
    duty: 0.9,
    ageMsMax: 3_600_000,
    plan: unknown('no plan was given'),
    skipped: ['mtu'],
    stages,
    watched: NOTHING_WATCHED,
  };
};
