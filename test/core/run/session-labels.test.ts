import { expect, test } from 'vitest';
import type { RunPattern } from '../../../src/core/run/run-pattern.ts';
import { loadLabel, PLAIN_SHAPE, type RunShape } from '../../../src/core/run/run-shape.ts';

const USERS: RunPattern = { kind: 'concurrency', concurrency: 4 };
const STEPS = [
  { from: 1, to: 4, durationMs: 2_000 },
  { from: 1, to: 1, durationMs: 2_000 },
];

test.each<readonly [string, RunPattern, Partial<RunShape>]>([
  ['4 sessions at a time', USERS, { sessions: { concurrencyOf: 'sessions' } }],
  ['sessions, 4 requests at a time', USERS, { sessions: { concurrencyOf: 'requests' } }],
  [
    '4 sessions at a time, history stored by the server',
    USERS,
    { sessions: { concurrencyOf: 'sessions', history: 'server' } },
  ],
  [
    'sessions: 1 to 4 at a time in 2 stages',
    USERS,
    { sessions: { concurrencyOf: 'sessions' }, steps: STEPS },
  ],
  [
    'sessions: Poisson 2.00 a second',
    { kind: 'poisson', requestsPerSecond: 2 },
    { sessions: { concurrencyOf: 'sessions' } },
  ],
])('a load of sessions is called %j', (label, pattern, shape) => {
  expect(loadLabel({ pattern, shape: { ...PLAIN_SHAPE, ...shape } }).replace(/\s/g, ' ')).toBe(label);
});
