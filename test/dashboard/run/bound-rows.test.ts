import { describe, expect, test } from 'vitest';
import { boundRows } from '../../../dashboard/src/run/bound-rows.ts';
import type { RunHeadroom, RunStanding } from '../../../src/core/model/run-standing.ts';
import { unknown } from '../../../src/core/unknown.ts';

const standing = (achieved: number, more: Partial<RunStanding> = {}): RunStanding => ({
  phase: 'decode',
  test: '',
  batch: 1,
  contextTokens: 1_024,
  achieved,
  bound: 50,
  expected: { value: 40, low: 35, high: 45 },
  ofBound: achieved / 50,
  ofExpected: achieved / 40,
  limit: 'weights',
  ...more,
});

const headroom = (...standings: readonly RunStanding[]): RunHeadroom => ({
  placement: 'atlas',
  deviceName: 'made up',
  engine: 'llama.cpp',
  modelSource: 'model.gguf',
  constants: 'made up',
  errorShare: unknown('not fitted'),
  notes: [],
  ceilingBytesPerSecond: 1e11,
  standings,
  unjudged: [],
  readBytes: unknown('not reported'),
  causes: [],
});

describe('the place of a run under the bound', () => {
  test('is on one scale with the bound and what is expected', () => {
    const [row] = boundRows(headroom(standing(40)));
    expect(row).toMatchObject({ name: 'decode', isAbove: false });
    expect((row?.reached ?? 0) / (row?.bound ?? 1)).toBeCloseTo(0.8, 9);
    expect(row?.expected.low).toBeLessThan(row?.reached ?? 0);
    expect(row?.expected.high).toBeGreaterThan(row?.reached ?? 1);
    expect(row?.bound).toBeLessThan(1);
    expect(row?.cells[1]).toMatch(/^80 % of 50/);
  });

  test('is never clipped: what is above the bound is beyond its line', () => {
    const [row] = boundRows(headroom(standing(70)));
    expect(row?.isAbove).toBe(true);
    expect((row?.reached ?? 0) / (row?.bound ?? 1)).toBeCloseTo(1.4, 9);
    expect(row?.reached).toBeLessThan(1);
  });

  test('of a depth profile has a row for each test', () => {
    const rows = boundRows(
      headroom(standing(40, { test: 'tg128' }), standing(30, { test: 'tg128 @ d4096' })),
    );
    expect(rows.map(({ name }) => name)).toEqual(['tg128', 'tg128 @ d4096']);
  });
});
