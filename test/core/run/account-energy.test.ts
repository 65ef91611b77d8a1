// The energy of a run from made-up series of power, of which every figure can be worked out by hand.

import { describe, expect, test } from 'vitest';
import { accountEnergy, type EnergySources, type PowerMeter } from '../../../src/core/run/account-energy.ts';
import { type PowerReading, powerIn } from '../../../src/core/run/integrate-power.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { energySection, formatJoules } from '../../../src/render/run/energy-rows.ts';
import { sectionCellText } from '../../../src/render/section.ts';

/** One each second, from this second on. */
const each = (fromSecond: number, watts: readonly number[]): readonly PowerReading[] =>
  watts.map((value, at) => ({ atMs: (fromSecond + at) * 1_000, watts: value }));

/** 30 s of rest at 50 W, then 60 s of work between 290 and 310 W. */
const WORK = [
  ...each(-30, Array(31).fill(50)),
  ...each(
    1,
    Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? 290 : 310)),
  ),
];

const gpu = (readings: PowerMeter['readings'] = WORK, use = 0.9): PowerMeter => ({
  scope: 'gpu',
  name: 'H200 GPU-1',
  readings,
  use,
});

const account = (meters: readonly PowerMeter[], more: Partial<EnergySources> = {}) =>
  accountEnergy({
    node: 'atlas',
    window: { fromMs: 0, untilMs: 60_000 },
    beganMs: 0,
    meters,
    answered: { requests: 100, inputTokens: 20_000, outputTokens: 5_000 },
    others: [],
    ...more,
  });

const codesOf = (meters: readonly PowerMeter[], more: Partial<EnergySources> = {}): readonly string[] =>
  account(meters, more).reasons.map(({ code }) => code);

describe('the energy of a run', () => {
  test('is what its sensors drew in the window, by request and token, with the rest next to it', () => {
    const { scopes, meters, reasons } = account([gpu()]);
    expect(reasons).toEqual([]);
    expect(meters).toEqual([
      {
        scope: 'gpu',
        name: 'H200 GPU-1',
        joules: 18_000,
        wattsMean: 300,
        wattsMax: 310,
        idleWatts: 50,
        readings: 60,
        coveredShare: 1,
      },
    ]);
    expect(scopes).toEqual([
      {
        scope: 'gpu',
        isValid: true,
        joules: 18_000,
        joulesError: 260,
        joulesPerRequest: 180,
        joulesPerOutputToken: 3.6,
        joulesPerToken: 0.72,
        wattsMean: 300,
        idleWatts: 50,
      },
    ]);
  });

  test('is the sum of its devices, and unknown if one of them reports nothing', () => {
    const two = account([
      gpu(),
      gpu(
        each(
          -30,
          Array(91)
            .fill(0)
            .map((_, at) => 100 + (at % 2)),
        ),
      ),
    ]);
    expect(two.scopes[0]).toMatchObject({ joules: 18_000 + 60 * 100.5, isValid: true });
    const half = account([gpu(), gpu(unknown('the tool says N/A'))]);
    expect(half.scopes[0]).toMatchObject({ isValid: false, joules: { reason: 'the tool says N/A' } });
    expect(half.reasons.map(({ code }) => code)).toEqual(['no-reading']);
  });

  test('takes parts of the readings at the ends of its window', () => {
    const readings = each(0, [0, 100, 200, 400]);
    // Half a second of 100 W, a whole one of 200 W, a quarter of one of 400 W.
    expect(powerIn(readings, { fromMs: 500, untilMs: 2_250 })).toMatchObject({
      joules: 50 + 200 + 100,
      coveredShare: 1,
      readings: 3,
    });
  });

  test('reports a gap, and takes the rest for what is missing', () => {
    const holed = WORK.filter(({ atMs }) => atMs <= 20_000 || atMs > 30_000);
    const { scopes, reasons, meters } = account([gpu(holed)]);
    expect(reasons.map(({ code }) => code)).toEqual(['gap']);
    expect(meters[0]?.coveredShare).toBe(51 / 60);
    expect(scopes[0]).toMatchObject({ isValid: false });
    expect(Number(scopes[0]?.joules)).toBeCloseTo(18_000, -2);
  });

  test('is unknown if more is missing than reported', () => {
    const { scopes } = account([gpu(each(1, [300, 300, 300]))]);
    expect(scopes[0]).toMatchObject({ isValid: false, joules: { kind: 'unknown' } });
  });

  test.each([
    ['a sensor that stands still', 'stuck', [gpu(each(-30, Array(91).fill(300)))], {}],
    ['a run that is shorter than ten readings', 'short', [gpu()], { window: { fromMs: 0, untilMs: 9_999 } }],
    ['a sensor that stopped long before', 'no-reading', [gpu(each(-30, Array(5).fill(50)))], {}],
    ['a device that does nothing', 'idle-devices', [gpu(), gpu(WORK, 0.01)], {}],
  ] as const)('of %s is not valid: %s', (_what, code, meters, more) => {
    expect(codesOf(meters, more)).toContain(code);
    expect(account(meters, more).scopes[0]?.isValid).toBe(false);
  });

  test('of a run shorter than one reading is unknown, not 0', () => {
    const { scopes } = account([gpu([])], { window: { fromMs: 100, untilMs: 300 } });
    expect(scopes[0]?.joules).toEqual({ kind: 'unknown', reason: 'no reading' });
    expect(account([gpu()], { window: { fromMs: 100, untilMs: 300 } }).scopes[0]?.joules).toBeCloseTo(58);
  });

  test('by token is unknown where not all tokens are', () => {
    const { scopes } = account([gpu()], {
      answered: { requests: 0, inputTokens: 3, outputTokens: unknown('not reported') },
    });
    expect(scopes[0]).toMatchObject({
      joulesPerRequest: { reason: 'no request completed' },
      joulesPerOutputToken: { reason: 'not reported' },
      joulesPerToken: { reason: 'not reported' },
    });
  });

  test('is shown with its defects', () => {
    const reported = account(
      [gpu(), { ...gpu(), scope: 'processor', name: 'packages', readings: unknown('no RAPL') }],
      {
        others: [{ code: 'other-runs', scopes: ['gpu'], problem: 'Another run' }],
      },
    );
    const section = energySection({ energy: reported });
    expect(
      section?.tables?.[0]?.rows.map(row => row.map(cell => sectionCellText(cell).replaceAll(/\s/g, ' '))),
    ).toEqual([['GPUs !', '18.0 kJ ±260 J', '180 J', '3.60 J', '720 mJ', '300 W', '50 W']]);
    expect(section?.remarks).toEqual([
      'Of atlas, by its own sensors; its idle power is not subtracted',
      '! Another run',
      'processors: unknown, no RAPL',
    ]);
    expect(formatJoules(2.5e6)).toEqual({ figure: '2.50', unit: 'MJ' });
  });
});
