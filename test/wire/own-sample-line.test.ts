import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readOwnSampleLine,
  SAMPLE_HEAD_ROOM,
  shiftedSample,
  writeSampleLineHead,
} from '../../src/wire/own-sample-line.ts';
import { decodeSampleLine, encodeSampleLine } from '../../src/wire/sample-line.ts';
import { arbitrarySample } from '../support/arbitrary-sample.ts';

const read = (bytes: Uint8Array, shiftOf?: (sentNs: number) => number) =>
  readOwnSampleLine(bytes, { from: 0, to: bytes.length, ...(shiftOf === undefined ? {} : { shiftOf }) });
const bytesOf = (line: string): Buffer => Buffer.from(line.trimEnd());

describe('a line of samples.jsonl, byte by byte', () => {
  test('gives back every sample that did not fail, and leaves those to the slow way', () => {
    fc.assert(
      fc.property(arbitrarySample, sample => {
        expect(read(bytesOf(encodeSampleLine(sample)))?.sample).toEqual(
          sample.outcome === 'failed' ? undefined : sample,
        );
      }),
    );
  });

  test('with any byte changed, added or left out is never another sample than the slow way reads', () => {
    const change = fc.record({
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      left: fc.nat(3),
      byte: fc.oneof(fc.constantFrom(...Buffer.from('0123456789"-n=A/:,}')), fc.nat(127)),
    });
    fc.assert(
      fc.property(arbitrarySample, change, (sample, { at, left, byte }) => {
        const line = bytesOf(encodeSampleLine(sample));
        const offset = Math.floor(at * line.length);
        const changed = Buffer.concat([
          line.subarray(0, offset),
          Buffer.of(byte),
          line.subarray(offset + left),
        ]);
        const own = read(changed);
        if (own === undefined) return;
        expect(decodeSampleLine(changed.toString('utf8'))).toEqual({ kind: 'sample', sample: own.sample });
      }),
      { numRuns: 2_000 },
    );
  });

  test('has no number that JSON would not have', () => {
    fc.assert(
      fc.property(arbitrarySample, fc.constantFrom('0', '-', '1e', '.5'), (sample, sign) => {
        const line = encodeSampleLine({ ...sample, bytesSent: 17 });
        expect(read(bytesOf(line.replace('"bytesSent":17', `"bytesSent":${sign}17`)))).toBeUndefined();
      }),
    );
  });

  test('moves all stamps together, and writes the line of the sample that came of it', () => {
    fc.assert(
      fc.property(arbitrarySample, fc.nat(4e15), (sample, byNs) => {
        fc.pre(sample.outcome !== 'failed');
        const bytes = bytesOf(encodeSampleLine(sample));
        const own = read(bytes, () => byNs);
        const moved = shiftedSample(sample, byNs);
        expect(own?.sample).toEqual(moved);
        const head = Buffer.alloc(SAMPLE_HEAD_ROOM);
        const end = writeSampleLineHead(moved, head, 0);
        expect(`${head.toString('utf8', 0, end)}${bytes.toString('utf8', own?.tailAt)}\n`).toBe(
          encodeSampleLine(moved),
        );
      }),
    );
  });

  test('is left to the slow way where a clock makes no sense of it', () => {
    const shift = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1e15, 0.5);
    fc.assert(
      fc.property(arbitrarySample, shift, (sample, byNs) => {
        expect(read(bytesOf(encodeSampleLine(sample)), () => byNs)).toBeUndefined();
      }),
    );
  });
});
