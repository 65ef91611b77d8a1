import { describe, expect, test } from 'vitest';
import { libcCompare, libcMemory } from '../../src/native/libc-memory.ts';
import { loadKoffi } from '../../src/native/load-koffi.ts';

describe("the C library's comparison", () => {
  test('distinguishes equal parts from parts that differ in one byte, and stays inside the memory', async context => {
    const koffi = await loadKoffi();
    const compare = koffi.kind === 'loaded' ? libcCompare(koffi.koffi, process.platform) : undefined;
    if (compare === undefined) context.skip('the C library cannot be called here');
    const memory = new ArrayBuffer(4_096);
    expect(compare?.isSame(memory, 0, 2_048, 2_048)).toBe(true);
    new Uint8Array(memory)[4_095] = 1;
    expect(compare?.isSame(memory, 0, 2_048, 2_048)).toBe(false);
    expect(compare?.isSame(memory, 0, 2_048, 2_047)).toBe(true);
    expect(() => compare?.isSame(memory, 0, 2_048, 2_049)).toThrow(RangeError);
  });
});

describe('huge pages', () => {
  test('are asked for memory of any kind without harm to what is in it', async context => {
    const koffi = await loadKoffi();
    const libc = koffi.kind === 'loaded' ? libcMemory(koffi.koffi, process.platform) : undefined;
    if (libc === undefined) context.skip('there are none to ask for here');
    const memory = new ArrayBuffer(8 * 1024 ** 2);
    new Uint8Array(memory).fill(7);
    libc?.adviseHugePages(memory);
    expect(new Uint8Array(memory).every(byte => byte === 7)).toBe(true);
    expect(libc?.stayOnProcessor(100_000)).toBe(false);
  });
});
