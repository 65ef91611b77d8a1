import { expect, test } from 'vitest';
import { patternLabel, type RunPattern } from '../../../src/core/run/run-pattern.ts';
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

test.each<readonly [string, RunPattern]>([
  ['Poisson 8.50 req/s', { kind: 'poisson', requestsPerSecond: 8.5 }],
  ['constant 20.0 req/s', { kind: 'constant', requestsPerSecond: 20 }],
  ['gamma 8.50 req/s, burstiness 0.5', { kind: 'gamma', requestsPerSecond: 8.5, burstiness: 0.5 }],
])('arrivals are called %j', (label, pattern) => {
  expect(patternLabel(pattern).replace(/\s/g, ' ')).toBe(label);
});

test('arrivals of a load that moves are named with its levels', () => {
  const pattern: RunPattern = { kind: 'gamma', requestsPerSecond: 4, burstiness: 0.5 };
  expect(loadLabel({ pattern, shape: { ...PLAIN_SHAPE, steps: STEPS } }).replace(/\s/g, ' ')).toBe(
    'gamma 1.00 to 4.00 req/s in 2 stages, burstiness 0.5',
  );
});
