import fc from 'fast-check';
import { expect, test } from 'vitest';
import { probeRateOption, type StallProbe, stallFigures } from '../../../src/core/run/stall-probes.ts';
import { unknown } from '../../../src/core/unknown.ts';

const RATE = { requestsPerSecond: 1, skipped: 0 } as const;
const probe = (
  sentNs: number,
  waitedNs: number,
  outcome: StallProbe['outcome'] = 'answered',
): StallProbe => ({
  sentNs,
  waitedNs,
  outcome,
});

test('the latency is that of replies, and of what had none: at least the time that it had waited', () => {
  const figures = stallFigures(
    [probe(0, 10), probe(1, 20), probe(2, 5, 'failed'), probe(3, 900, 'unanswered')],
    { ...RATE, skipped: 2 },
  );
  expect(figures).toMatchObject({ sent: 4, answered: 2, failed: 1, unanswered: 1, skipped: 2 });
  expect(figures.latencyNs).toEqual({ p50: 20, p95: 20, max: 900 });
});

test('parts of the run are in order and have each probe once', () => {
  const probes = fc.array(
    fc.record({
      sentNs: fc.nat(1e9),
      waitedNs: fc.nat(1e9),
      outcome: fc.constantFrom('answered', 'unanswered'),
    }),
    { minLength: 1, maxLength: 100 },
  );
  fc.assert(
    fc.property(probes, made => {
      const { overTime, latencyNs } = stallFigures(made, RATE);
      expect(overTime.reduce((sum, { count }) => sum + count, 0)).toBe(made.length);
      expect(overTime.length).toBeLessThanOrEqual(12);
      const ends = overTime.map(({ untilNs }) => untilNs);
      expect(ends).toEqual(ends.toSorted((a, b) => a - b));
      expect(latencyNs).toMatchObject({ max: Math.max(...overTime.map(({ maxNs }) => maxNs)) });
    }),
  );
});

test('without any reply the latency is unknown, with the reason', () => {
  expect(stallFigures([], RATE).latencyNs).toEqual(unknown('none was sent'));
  expect(stallFigures([probe(0, 1, 'failed')], RATE).latencyNs).toEqual(unknown('each failed'));
});

test('the rate is one of probes, not of a load', () => {
  expect(probeRateOption.read(['0.5'])).toMatchObject({ kind: 'ok', value: 0.5 });
  expect(probeRateOption.read(['21'])).toMatchObject({ kind: 'wrong' });
  expect(probeRateOption.read([])).toMatchObject({ kind: 'ok', value: undefined });
});
