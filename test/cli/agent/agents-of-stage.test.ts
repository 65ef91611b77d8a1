import { expect, test } from 'vitest';
import { agentsOfStage, type NamedAgents } from '../../../src/cli/agent/load-agents.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';

const AGENTS = ['10.0.0.2', '10.0.0.3'].map(host => ({ at: { host, port: 4184 }, code: 'X' }));
const NAMED: NamedAgents = { from: ['atlas', 'boreas'], agents: AGENTS };

test.each([
  [1, ['atlas'], 0],
  [3, ['atlas', 'boreas'], 1],
  [64, ['atlas', 'boreas'], 2],
])('a stage of %s at a time comes from as many agents as it can be split over', (users, from, others) => {
  const closed = { pattern: { kind: 'concurrency', concurrency: users } as const, shape: PLAIN_SHAPE };
  expect(agentsOfStage(NAMED, closed)).toEqual({ from, agents: AGENTS.slice(0, others) });
  const capped = {
    pattern: { kind: 'poisson', requestsPerSecond: 9 } as const,
    shape: { ...PLAIN_SHAPE, inFlightCap: users },
  };
  expect(agentsOfStage(NAMED, capped)).toEqual({ from, agents: AGENTS.slice(0, others) });
});

test('a stage at a rate comes from all, and without agents from this machine', () => {
  const rate = { pattern: { kind: 'poisson', requestsPerSecond: 1 } as const, shape: PLAIN_SHAPE };
  expect(agentsOfStage(NAMED, rate)).toEqual(NAMED);
  expect(agentsOfStage(undefined, rate)).toBeUndefined();
});
