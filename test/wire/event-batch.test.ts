import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventRecord } from '../../src/core/run/event-record.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';
import { readEventBatch } from '../../src/wire/event-batch.ts';
import { BatchLoss, readEventBatchHeader } from '../../src/wire/event-batch-header.ts';
import { EventBatchWriter } from '../../src/wire/event-batch-writer.ts';
import { longCount } from '../support/counts.ts';
import { eventRecordArbitrary, stampsArbitrary } from './event-records.ts';

const RUNS = longCount(300, 5_000);

describe('an event batch', () => {
  test('gives back the records that were written, in order', () => {
    fc.assert(
      fc.property(fc.array(eventRecordArbitrary, { minLength: 1, maxLength: 200 }), records => {
        const batches = batchesOf(records, { sourceId: 3, runZeroNs: 1_234.5 });
        expect(batches.flatMap(bytes => readEventBatch(bytes).records)).toEqual(records);
      }),
      { numRuns: RUNS },
    );
  });

  test('reports which source made it, how many came before, and when zero was', () => {
    const writer = new EventBatchWriter({ sourceId: 65_535, runZeroNs: 9e15 + 1 });
    writer.writeSession('session.started', 0);
    writer.writeIssued({ sampleId: 1, atNs: 5, intendedNs: 4, connectNs: 0, heldBackNs: 0, isWarmup: false });
    const first = writer.take() ?? EMPTY;
    writer.writeSession('session.ended', 9);
    const second = writer.take() ?? EMPTY;
    expect(readEventBatchHeader(first)).toEqual({
      sourceId: 65_535,
      batchSeq: 1,
      recordCount: 2,
      recordsBefore: 0,
      runZeroNs: 9e15 + 1,
    });
    expect(readEventBatchHeader(second)).toMatchObject({ batchSeq: 2, recordCount: 1, recordsBefore: 2 });
    expect(writer.take()).toBeUndefined();
    expect(writer.recordsWritten).toBe(3);
  });

  test('can be read in place, at any offset of a larger buffer', () => {
    const [bytes = EMPTY] = batchesOf([{ kind: 'session.started', atNs: 7 }]);
    for (let offset = 0; offset < 9; offset += 1) {
      const larger = new Uint8Array(bytes.length + 20).fill(0xff);
      larger.set(bytes, offset);
      const { records } = readEventBatch(larger.subarray(offset, offset + bytes.length));
      expect(records).toEqual([{ kind: 'session.started', atNs: 7 }]);
    }
  });

  test('cuts a long detail between two characters', () => {
    const [bytes = EMPTY] = batchesOf([{ ...ERROR, detail: `x${'é'.repeat(900)}` }]);
    expect(readEventBatch(bytes).records).toEqual([{ ...ERROR, detail: `x${'é'.repeat(799)}` }]);
  });

  test('is refused by the writer when a sample has no possible number', () => {
    const writer = new EventBatchWriter({ sourceId: 0, runZeroNs: 0 });
    for (const sampleId of [-1, 0.5, 2 ** 32, Number.NaN])
      expect(() =>
        writer.writeIssued({
          sampleId,
          atNs: 0,
          intendedNs: 0,
          connectNs: 0,
          heldBackNs: 0,
          isWarmup: false,
        }),
      ).toThrow(RangeError);
    expect(writer.recordCount).toBe(0);
  });
});

describe('a batch that is full', () => {
  test('takes no part of a record', () => {
    fc.assert(
      fc.property(fc.array(eventRecordArbitrary, { minLength: 50, maxLength: 150 }), records => {
        const batches = batchesOf(records, { sourceId: 0, runZeroNs: 0, capacityBytes: 2_048 });
        expect(batches.every(bytes => bytes.length <= 2_048)).toBe(true);
        expect(batches.flatMap(bytes => readEventBatch(bytes).records)).toEqual(records);
      }),
      { numRuns: RUNS / 10 },
    );
  });

  test('takes as many stamps as fit, and the rest goes into the next', () => {
    fc.assert(
      fc.property(fc.array(stampsArbitrary, { minLength: 1, maxLength: 5 }), lists => {
        const stamps = lists.flat();
        const writer = new EventBatchWriter({ sourceId: 0, runZeroNs: 0, capacityBytes: 1_024 });
        const batches: Uint8Array[] = [];
        for (let at = 0; at < stamps.length; ) {
          const written = writer.writeStamps(5, stamps, at, stamps.length);
          at += written;
          if (written === 0) batches.push(writer.take() ?? EMPTY);
        }
        batches.push(writer.take() ?? EMPTY);
        const read = batches.filter(bytes => bytes !== EMPTY).flatMap(bytes => readEventBatch(bytes).records);
        expect(
          read.flatMap(record => (record.kind === 'sample.recv_non_first' ? record.stampsNs : [])),
        ).toEqual(stamps);
      }),
      { numRuns: RUNS },
    );
  });

  test('reports it when no batch could hold a list of stamps', () => {
    const writer = new EventBatchWriter({ sourceId: 0, runZeroNs: 0, capacityBytes: 1_024 });
    const stampsNs = Array.from({ length: 1_000 }, (_, index) => index);
    expect(() => writer.write({ kind: 'sample.recv_non_first', sampleId: 1, stampsNs })).toThrow(RangeError);
    expect(writer.recordCount).toBe(0);
  });

  test('leaves what was taken before as it was', () => {
    const writer = new EventBatchWriter({ sourceId: 0, runZeroNs: 0 });
    writer.writeIssued({ sampleId: 1, atNs: 1, intendedNs: 1, connectNs: 1, heldBackNs: 0, isWarmup: false });
    const taken = writer.take() ?? EMPTY;
    const before = taken.slice();
    for (let index = 0; index < 100; index += 1)
      writer.writeIssued({
        sampleId: index,
        atNs: 9,
        intendedNs: 9,
        connectNs: 9,
        heldBackNs: 0,
        isWarmup: false,
      });
    expect(taken).toEqual(before);
  });
});

describe('bytes that are no batch', () => {
  test('are refused, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), bytes => {
        expect(() => readEventBatch(bytes)).toThrow(DecodeError);
      }),
      { numRuns: RUNS },
    );
  });

  test('are refused behind a good header, or are records', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 9, maxLength: 400 }), fc.nat(50), (body, recordCount) => {
        const [good = EMPTY] = batchesOf([{ kind: 'session.started', atNs: 0 }]);
        const bytes = new Uint8Array(40 + body.length);
        bytes.set(good.subarray(0, 40));
        bytes.set(body, 40);
        const view = new DataView(bytes.buffer);
        view.setUint32(12, recordCount, true);
        view.setUint32(16, bytes.length, true);
        refusesOrReads(bytes);
      }),
      { numRuns: RUNS },
    );
  });

  test('are refused when cut anywhere, and when something follows', () => {
    fc.assert(
      fc.property(
        fc.array(eventRecordArbitrary, { minLength: 1, maxLength: 20 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (records, share) => {
          for (const bytes of batchesOf(records)) {
            const cut = bytes.slice(0, Math.floor(share * bytes.length));
            expect(() => readEventBatch(cut)).toThrow(DecodeError);
            // As from a writer with a false length.
            if (cut.length >= 20) new DataView(cut.buffer).setUint32(16, cut.length, true);
            expect(() => readEventBatch(cut)).toThrow(DecodeError);
            const longer = new Uint8Array([...bytes, 0]);
            new DataView(longer.buffer).setUint32(16, longer.length, true);
            expect(() => readEventBatch(longer)).toThrow(DecodeError);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('with some of them changed are refused, or are other records', () => {
    fc.assert(
      fc.property(
        fc.array(eventRecordArbitrary, { minLength: 1, maxLength: 20 }),
        fc.array(fc.tuple(fc.nat(5_000), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        (records, changes) => {
          for (const bytes of batchesOf(records)) {
            for (const [at, value] of changes) bytes[at % bytes.length] = value;
            refusesOrReads(bytes);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('of another version are rejected', () => {
    const [bytes = EMPTY] = batchesOf([{ kind: 'session.started', atNs: 0 }]);
    bytes[4] = 2;
    expect(() => readEventBatch(bytes)).toThrow('event batch version 2 is not known');
  });
});

describe('lost batches', () => {
  test('are counted per source, with their records', () => {
    const loss = new BatchLoss();
    const header = (sourceId: number, batchSeq: number, recordsBefore: number, recordCount: number) => ({
      sourceId,
      batchSeq,
      recordsBefore,
      recordCount,
      runZeroNs: 0,
    });
    expect(loss.note(header(0, 1, 0, 10))).toBe('next');
    expect(loss.note(header(1, 3, 40, 5))).toBe('after-loss');
    expect(loss.note(header(0, 2, 10, 10))).toBe('next');
    expect(loss.note(header(0, 5, 50, 10))).toBe('after-loss');
    expect(loss.note(header(0, 5, 50, 10))).toBe('repeated');
    expect([loss.lostBatchCount, loss.lostRecordCount]).toEqual([4, 70]);
  });
});

const batchesOf = (
  records: readonly EventRecord[],
  options: ConstructorParameters<typeof EventBatchWriter>[0] = { sourceId: 0, runZeroNs: 0 },
): Uint8Array[] => {
  const writer = new EventBatchWriter(options);
  const batches: Uint8Array[] = [];
  const flush = (): void => {
    const bytes = writer.take();
    if (bytes !== undefined) batches.push(bytes);
  };
  for (const record of records) {
    if (writer.write(record)) continue;
    flush();
    expect(writer.write(record)).toBe(true);
  }
  flush();
  return batches;
};

const refusesOrReads = (bytes: Uint8Array): void => {
  try {
    expect(readEventBatch(bytes).records.length).toBeGreaterThan(0);
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError);
  }
};

const ERROR = { kind: 'error.reset', sampleId: 1, atNs: 2, statusCode: 0, detail: '' } as const;
const EMPTY = new Uint8Array(0);
