import { expect, test } from 'vitest';
import { clientShareOfTokens } from '../../../src/core/model/calibrate-engine.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { isUnknown, unknown } from '../../../src/core/unknown.ts';
import { depthRemarks } from '../../../src/render/run/depth-text.ts';

const TPOT_NS = 20e6;

test('a profile gives constants of an engine while the client may be off by a twentieth of a token at most', () => {
  expect(clientShareOfTokens(measuredBy({ above: 0.2e6, below: 0.9e6 }))).toBeCloseTo(0.045, 9);
  expect(clientShareOfTokens(measuredBy({ above: 1.2e6, below: 0 }))).toMatchObject({
    reason: 'this client may be off by 6.0 % of the time for each token, more than 5 %',
  });
});

test('a profile with an untrustworthy client gives none, with the reason', () => {
  const refused = clientShareOfTokens(measuredBy(undefined));
  expect(refused).toMatchObject({ reason: 'the possible error of this client is not known: it was stopped' });
  expect(clientShareOfTokens({ ...measuredBy(undefined), series: {} })).toMatchObject({ kind: 'unknown' });
  if (!isUnknown(refused)) throw new Error('it was taken');
  const plan = { depths: [], promptTokens: 1, outputTokens: 1, repetitions: 1, skipped: [], ...UNREPORTED };
  expect(depthRemarks({ plan, rows: [] }, refused)).toEqual([
    { test: 'constants of the engine', text: `not measured, ${refused.reason}` },
  ]);
});

const measuredBy = (
  mean: { readonly above: number; readonly below: number } | undefined,
): Pick<Report, 'series' | 'rateBounds'> => ({
  rateBounds: unknown('it was stopped'),
  series: {
    tpotNs: {
      unit: 'ns',
      count: 5,
      total: String(TPOT_NS * 5),
      min: TPOT_NS,
      max: TPOT_NS,
      mean: TPOT_NS,
      stdDev: 0,
      percentiles: { '50': TPOT_NS },
      histogram: [],
      isExact: true,
      // Of a percentile it may be far more: where answers are few, the next one is far away.
      ...(mean === undefined
        ? {}
        : { errorBound: { mean, percentiles: { '50': { above: 9e6, below: 9e6 } } } }),
    },
  },
});

const UNREPORTED = {
  sizeBytes: unknown('not asked'),
  parameters: unknown('not asked'),
  contextMax: unknown('not asked'),
} as const;
