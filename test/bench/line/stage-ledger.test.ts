import { expect, test } from 'vitest';
import { StageLedger } from '../../../src/bench/line/stage-ledger.ts';

test('counts what was issued, not the rows: those of a ramp before them, and those not told yet, leave holes', () => {
  const ledger = new StageLedger([]);
  for (const index of [40, 42]) ledger.addIssued(index, index * 1e6);
  expect(ledger.issued).toBe(2);
  expect([0, 1, 2].map(told => ledger.issuedNsAt(told))).toEqual([40e6, 42e6, undefined]);
  ledger.addEnded({ index: 40, endedNs: 50e6, outcome: 'completed', values: [] });
  expect(ledger.ended).toBe(1);
  expect(ledger.firstLatencyNs()).toBe(10e6);
});
