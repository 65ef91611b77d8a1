import { describe, expect, test } from 'vitest';
import { parseBytes, parseDurationMs } from '../../../src/core/figure/parse-figure.ts';

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
