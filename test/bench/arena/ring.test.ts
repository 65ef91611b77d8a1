import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRingMemory, NO_ROOM, RingReader, RingWriter } from '../../../src/bench/arena/ring.ts';
import { longCount } from '../../support/counts.ts';

interface ReportedState {
  readonly type: number;
  readonly stampNs: number;
  readonly slot: number;
  readonly sampleId: number;
  readonly text: string;
}

const write = (ring: RingWriter, { type, stampNs, slot, sampleId, text }: ReportedState): boolean => {
  const at = ring.begin(text.length, 0);
  if (at === NO_ROOM) return false;
  ring.bytes.write(text, at, 'latin1');
  ring.commit(type, stampNs, slot, sampleId, text.length);
  return true;
};

const read = (ring: RingReader): ReportedState | undefined => {
  if (!ring.next()) return undefined;
  const { type, stampNs, slot, sampleId, bytes, payloadStart, payloadEnd } = ring;
  return { type, stampNs, slot, sampleId, text: bytes.toString('latin1', payloadStart, payloadEnd) };
};

const record = fc.record({
  type: fc.integer({ min: 1, max: 15 }),
  stampNs: fc.double({ min: 0, max: 1e15, noNaN: true }),
  slot: fc.nat(0xff_ff_ff_ff),
  sampleId: fc.nat(0xff_ff_ff_ff),
  text: fc.string({ maxLength: 700 }).map(text => text.replaceAll(/[^\u0020-\u007e]/g, '.')),
});

test('a ring gives back what was written, in order, however reading and writing take turns', () => {
  const steps = fc.array(fc.oneof(record, fc.constantFrom('read' as const, 'release' as const)), {
    maxLength: 300,
  });
  fc.assert(
    fc.property(steps, all => {
      const memory = createRingMemory(4_096);
      const writer = new RingWriter(memory);
      const reader = new RingReader(memory);
      const expected: ReportedState[] = [];
      for (const step of all) {
        if (step === 'read') expect(read(reader)).toEqual(expected.shift());
        else if (step === 'release') reader.release();
        else if (write(writer, step)) expected.push(step);
      }
      for (const reported of expected) expect(read(reader)).toEqual(reported);
      expect(read(reader)).toBeUndefined();
    }),
    { numRuns: longCount(300, 5_000) },
  );
});

test('a full ring refuses, loses nothing, and takes again what was released', () => {
  const memory = createRingMemory(4_096);
  const writer = new RingWriter(memory);
  const reader = new RingReader(memory);
  const reported = { type: 1, stampNs: 1, slot: 1, sampleId: 1, text: 'x'.repeat(100) };
  let written = 0;
  while (write(writer, reported)) written += 1;
  expect(written).toBe(Math.floor(4_096 / 144));
  expect(read(reader)).toEqual(reported);
  expect(write(writer, reported)).toBe(false);
  reader.release();
  expect(write(writer, reported)).toBe(true);
  for (let at = 0; at < written; at += 1) expect(read(reader)).toEqual(reported);
  expect(read(reader)).toBeUndefined();
});

test('what must stay free is not given away', () => {
  const writer = new RingWriter(createRingMemory(4_096));
  expect(writer.begin(2_000, 2_048)).not.toBe(NO_ROOM);
  writer.commit(1, 1, 1, 1, 2_000);
  expect(writer.begin(200, 2_048)).toBe(NO_ROOM);
  expect(writer.begin(200, 0)).not.toBe(NO_ROOM);
});

test('a ring needs its reader once it is half full, and again for each further quarter', () => {
  const memory = createRingMemory(4_096);
  const writer = new RingWriter(memory);
  const reader = new RingReader(memory);
  /** 128 bytes, a 32nd of the ring. */
  const reported = { type: 1, stampNs: 1, slot: 1, sampleId: 1, text: 'x'.repeat(88) };
  const needs = (): boolean[] =>
    Array.from({ length: 32 }, () => {
      expect(write(writer, reported)).toBe(true);
      return writer.takeNeedsReader();
    });
  const expected = Array.from({ length: 32 }, (_, at) => [15, 23, 31].includes(at));
  expect(needs()).toEqual(expected);
  while (read(reader) !== undefined);
  expect(writer.takeNeedsReader()).toBe(false);
  reader.release();
  expect(needs()).toEqual(expected);
});

test('positions run on past 2^32 units', () => {
  const memory = createRingMemory(4_096);
  // As after 32 GiB of records: both a little below the wrap.
  new Int32Array(memory.positions).fill(-64);
  const writer = new RingWriter(memory);
  const reader = new RingReader(memory);
  for (let at = 0; at < 200; at += 1) {
    const reported = { type: 2, stampNs: at, slot: at, sampleId: at, text: 'y'.repeat(at) };
    expect(write(writer, reported)).toBe(true);
    expect(read(reader)).toEqual(reported);
    reader.release();
  }
});

test.each([0, 1_000, 5_000])('a ring of %i bytes is refused', bytes => {
  expect(() => createRingMemory(bytes)).toThrow(RangeError);
});
