import { expect, test } from 'vitest';
import { StageLedger } from '../../../src/bench/line/stage-ledger.ts';
import { StageAccount } from '../../../src/bench/sweep/stage-account.ts';
import { stageCriterion } from '../../../src/bench/sweep/stage-criteria.ts';
import type { JudgedObjective } from '../../../src/core/run/objective.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';

test('counts what was issued, not the rows: those of a ramp before them, and those not reported yet, leave gaps', () => {
  const ledger = new StageLedger([]);
  for (const index of [40, 42]) ledger.addIssued(index, index * 1e6);
  expect(ledger.issued).toBe(2);
  expect([0, 1, 2].map(reported => ledger.issuedNsAt(reported))).toEqual([40e6, 42e6, undefined]);
  ledger.addEnded({ index: 40, endedNs: 50e6, outcome: 'completed', values: [] });
  expect(ledger.ended).toBe(1);
  expect(ledger.firstLatencyNs()).toBe(10e6);
});

const TTFT: JudgedObjective = { kind: 'percentile', name: 'ttft', percentile: 95, limitNs: 500e6 };

test('a first content in time is no miss while the rest of a long answer still comes', () => {
  const account = accountOf([TTFT]);
  for (let index = 0; index < 100; index += 1) {
    account.issued(index, index * 200e6);
    account.firstContent(index, index * 200e6 + 50e6);
  }
  // None has ended: each takes half a minute.
  const { values, count } = account.ledger.column(0, 20.5e9);
  expect(count).toBe(100);
  expect(values.every(value => value === 0)).toBe(true);
});

test('one that does not come in time is a miss before it comes, and what another limit asks of is open until the end', () => {
  const account = accountOf([
    TTFT,
    { kind: 'error-rate', limitShare: 0.01 },
    {
      kind: 'attainment',
      share: 0.95,
      limits: [
        { name: 'ttft', limitNs: 500e6 },
        { name: 'latency', limitNs: 9e9 },
      ],
    },
  ]);
  for (const index of [0, 1]) account.issued(index, 0);
  account.firstContent(0, 50e6);
  account.firstContent(1, 600e6);
  account.issued(2, 0);
  const values = (criterion: number, nowNs: number): readonly number[] => {
    const column = account.ledger.column(criterion, nowNs);
    return [...column.values.subarray(0, column.count)];
  };
  expect(values(0, 700e6)).toEqual([0, 1, 1]);
  // A first request that is open leaves the order unknown behind it.
  expect(values(1, 700e6)).toEqual([]);
  expect(values(2, 700e6)).toEqual([]);
  expect(values(2, 10e9)).toEqual([1, 1, 1]);
});

const accountOf = (objectives: readonly JudgedObjective[]): StageAccount =>
  new StageAccount(objectives.map(stageCriterion), {
    pattern: { kind: 'poisson', requestsPerSecond: 5 },
    shape: PLAIN_SHAPE,
    isStreaming: true,
  });
