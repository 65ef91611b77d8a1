import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../src/model/byte-source.ts';
import { readGguf } from '../../../src/model/gguf/read-gguf.ts';
import { memorySource } from '../../support/memory-source.ts';
import { headerBytes, libraryReports, madeHeader } from '../made-headers.ts';

describe('the header of a GGUF file', () => {
  test.each(Object.entries(libraryReports()))(
    'of %s counts tensors, weights and bytes by type as the library of the format does',
    async (name, { types, dataOffset }) => {
      const header = await madeHeader(name);
      const counted: Record<string, { weights: number; bytes: number; tensors: number }> = {};
      for (const { typeName, weights, bytes } of header.tensors) {
        counted[typeName] ??= { weights: 0, bytes: 0, tensors: 0 };
        const row = counted[typeName];
        row.weights += weights;
        row.bytes += bytes;
        row.tensors += 1;
      }
      expect(counted).toEqual(types);
      expect(header.dataOffset).toBe(dataOffset);
    },
  );

  test('is read in windows however the source cuts it', async () => {
    const bytes = headerBytes('llama2-7b');
    let largest = 0;
    const source = {
      ...memorySource(bytes),
      read: (offset: number, length: number) => {
        largest = Math.max(largest, length);
        return Promise.resolve(bytes.subarray(offset, offset + Math.min(length, 4_096)));
      },
    };
    expect((await readGguf(source)).tensors).toHaveLength(291);
    expect(largest).toBeLessThanOrEqual(2 ** 20);
  });

  test('reports how much of the file is missing, and does not need it', async () => {
    const { missingBytes, tensors } = await madeHeader('llama2-7b');
    const all = tensors.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(missingBytes).toBeGreaterThanOrEqual(all);
  });

  test.each([
    ['an empty file', () => new Uint8Array(), /ends at byte 0/],
    [
      'something else',
      () => new TextEncoder().encode('{"model_type": "llama", "a": 1}'),
      /does not begin with GGUF/,
    ],
    ['version 1', () => with32(4, 1), /version 1/],
    ['a big-endian file', () => with32(4, 0x03_00_00_00), /big-endian/],
    ['2^60 tensors', () => with32(12, 2 ** 28), /beyond 2\^53/],
    ['a billion tensors', () => with32(8, 1e9), /counts 1000000000 tensors/],
    ['a billion entries', () => with32(16, 1e9), /counts 1000000000 entries/],
    ['a name of 4 GB', () => with32(24, 2 ** 32 - 1), /a name has 4294967295 bytes/],
    ['a value of type 99', () => with32(32 + 'general.architecture'.length, 99), /unknown type 99/],
    ['half of a header', () => headerBytes('llama2-7b').subarray(0, 9_000), /in the middle of its header/],
  ])('refuses %s in words', async (_, bytes, problem) => {
    const refused = await readGguf(memorySource(bytes(), 'broken.gguf')).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ModelError);
    expect(String(refused)).toMatch(problem);
  });

  test('with any bytes changed is read or refused, and never costs much', async () => {
    const whole = headerBytes('llama32-1b-tied');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.nat(whole.length),
        async (changes, cut) => {
          const bytes = whole.slice(0, cut % 3 === 0 ? cut : whole.length);
          for (const [at, value] of changes) bytes[at] = value;
          const result = await readGguf(memorySource(bytes)).catch((error: unknown) => error);
          expect(
            result instanceof ModelError || (result instanceof Error ? result : 'read'),
          ).not.toBeInstanceOf(Error);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** The header of a whole file with one number of 32 bits changed. */
const with32 = (at: number, value: number): Uint8Array => {
  const bytes = headerBytes('llama2-7b').slice();
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(at, value, true);
  return bytes;
};
