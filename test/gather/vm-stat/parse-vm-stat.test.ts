import { describe, expect, it } from 'vitest';
import { isUnknown } from '../../../src/core/unknown.ts';
import { parseVmStat, usedBytesOf, VmStatReader } from '../../../src/gather/vm-stat/parse-vm-stat.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { fixture } from '../../support/fixture.ts';

const rowsOf = (text: string) => {
  const reader = new VmStatReader();
  return text.split('\n').flatMap(line => reader.read(line) ?? []);
};

describe('vm_stat with an interval', () => {
  it('gives page counts for each row, and the memory in use as Activity Monitor counts it', () => {
    const rows = rowsOf(fixture('vm_stat/stream-m3-ultra-512gb.txt'));
    expect(rows.map(usedBytesOf)).toEqual([
      (17_479_376 - 89_568 + 1_434_855 + 430_886) * 16_384,
      (17_479_457 - 89_568 + 1_434_800 + 430_886) * 16_384,
    ]);
    expect(rows[0]?.pages['faults']).toBe(3_007_419_000);
  });

  it('goes on after title and names are printed again', () => {
    const text = fixture('vm_stat/stream-m3-ultra-512gb.txt');
    expect(rowsOf(text + text)).toHaveLength(4);
  });

  it('takes an absent column for unknown, not for zero', () => {
    const rows = rowsOf('(page size of 4096 bytes)\nfree active wired anonymous\n1 2 3 4');
    expect(rows).toHaveLength(1);
    expect(rows.map(usedBytesOf).every(isUnknown)).toBe(true);
  });

  it('reads nothing before it has the page size', () => {
    expect(rowsOf('free wired\n1 2')).toEqual([]);
  });

  it('never throws and never gives a figure that is not finite', () => {
    forAnyOutput([fixture('vm_stat/stream-m3-ultra-512gb.txt')], text => {
      for (const row of rowsOf(text)) {
        const used = usedBytesOf(row);
        expect(isUnknown(used) || Number.isFinite(used)).toBe(true);
      }
    });
  });
});

describe('vm_stat without an interval', () => {
  const sample = fixture('vm_stat/m5-pro-48gb.txt');

  it('gives the same figures as the stream', () => {
    const pages = parseVmStat(sample);
    expect(pages && usedBytesOf(pages)).toBe((1_299_000 - 49_000 + 197_000 + 430_000) * 16_384);
  });

  it('takes absent compressor lines for unknown', () => {
    const pages = parseVmStat(sample.slice(0, sample.indexOf('"Translation')));
    expect(pages && isUnknown(usedBytesOf(pages))).toBe(true);
  });

  it('never throws and never gives a figure that is not finite', () => {
    forAnyOutput([sample], text => {
      const pages = parseVmStat(text);
      const used = pages === undefined ? 0 : usedBytesOf(pages);
      expect(isUnknown(used) || Number.isFinite(used)).toBe(true);
    });
  });
});
