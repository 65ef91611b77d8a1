import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exactPercent, parseBytes, parseDurationMs } from '../../../src/core/figure/parse-figure.ts';

const readAs = (parsed: { kind: string; value?: number }) => parsed.value ?? parsed.kind;

describe('durations and sizes', () => {
  test('are read with their units', () => {
    expect(readAs(parseDurationMs('500ms'))).toBe(500);
    expect(readAs(parseDurationMs('3s'))).toBe(3_000);
    expect(readAs(parseDurationMs(' 1.5 s '))).toBe(1_500);
    expect(readAs(parseDurationMs('2m'))).toBe(120_000);
    expect(readAs(parseDurationMs('1h'))).toBe(3_600_000);
    expect(readAs(parseDurationMs('7d'))).toBe(604_800_000);
    expect(readAs(parseBytes('512MB'))).toBe(512_000_000);
    expect(readAs(parseBytes('1.5 GB'))).toBe(1_500_000_000);
    expect(readAs(parseBytes('64KiB'))).toBe(65_536);
  });

  test('of nothing need no unit, and all others do', () => {
    expect(['0', '0.0', ' 0 ', '0s'].map(text => readAs(parseDurationMs(text)))).toEqual([0, 0, 0, 0]);
    expect(['1', '0.5', '-0', ''].map(text => readAs(parseDurationMs(text)))).toEqual(Array(4).fill('wrong'));
  });

  test('are exactly what is written, for any digits: 16.1s is 16,100,000,000 ns', () => {
    expect(readAs(parseDurationMs('16.1s'))).toBe(16_100);
    expect(readAs(parseDurationMs('1.1m'))).toBe(66_000);
    const digits = fc.tuple(
      fc.nat({ max: 99_999 }),
      fc.nat({ max: 999_999 }),
      fc.integer({ min: 1, max: 6 }),
    );
    fc.assert(
      fc.property(
        digits,
        fc.constantFrom(...DURATION_NS),
        ([whole, fraction, decimals], [unit, factorNs]) => {
          const behind = String(fraction).padStart(6, '0').slice(0, decimals);
          const exactNs = (BigInt(`${whole}${behind}`) * factorNs) / 10n ** BigInt(decimals);
          const ms = readAs(parseDurationMs(`${whole}.${behind}${unit}`));
          // The double that is nearest to the number, and so a whole number for whole milliseconds.
          expect(ms).toBe(Number(`${exactNs}e-6`));
          if (exactNs < 2n ** 51n) expect(BigInt(Math.round(Number(ms) * 1e6))).toBe(exactNs);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('of bytes and per cent are rounded once', () => {
    expect(readAs(parseBytes('16.1KB'))).toBe(16_100);
    fc.assert(
      fc.property(fc.nat({ max: 999 }), fc.nat({ max: 999 }), (whole, fraction) => {
        const behind = String(fraction).padStart(3, '0');
        expect(readAs(parseBytes(`${whole}.${behind}GB`))).toBe(Number(`${whole}${behind}`) * 1e6);
        expect(exactPercent(`${whole}.${behind}`)).toBe(Number(`${whole}${behind}`) / 1e5);
      }),
    );
  });

  test('are refused without a unit, with an unknown one, or when they are no number at all', () => {
    for (const text of [
      '',
      '5',
      's',
      '-3s',
      '3 sec onds',
      '1e3s',
      '3s4',
      'constructor',
      '9999999999999s',
      '٣s',
    ]) {
      expect(parseDurationMs(text)).toMatchObject({
        kind: 'wrong',
        advice: expect.stringContaining('500ms'),
      });
      expect(parseBytes(text)).toMatchObject({ kind: 'wrong', advice: expect.stringContaining('512MB') });
    }
    expect(parseDurationMs('1constructor').kind).toBe('wrong');
  });
});

const DURATION_NS = [
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
  ['d', 86_400_000_000_000n],
] as const;
