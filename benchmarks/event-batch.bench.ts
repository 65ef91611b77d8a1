// How many event records a second one thread packs into batches and reads back: the record path between the load threads
// and the aggregator, without the transport.

import { readEventBatch } from '../src/wire/event-batch.ts';
import { EventBatchWriter } from '../src/wire/event-batch-writer.ts';
import { median, printRow, spread } from './bench-row.ts';

const SAMPLES = 40_000;
const CHUNKS = 16;
const ROUNDS = 15;

const stamps = new Float64Array(CHUNKS);
const complete = {
  kind: 'sample.complete' as const,
  sampleId: 0,
  atNs: 0,
  outcome: 'completed' as const,
  firstAnswerNs: -1,
  firstByteNs: 0,
  inputTokens: 100,
  outputTokens: CHUNKS,
  chunkCount: CHUNKS,
  finishReason: 'stop' as const,
  bytesSent: 400,
  bytesReceived: 4_000,
  answerHash: 1,
};

/** Issued, first content, the other chunks in one record, complete: four records a sample. */
const packed = (): Uint8Array[] => {
  const writer = new EventBatchWriter({ sourceId: 0, runZeroNs: 0 });
  const batches: Uint8Array[] = [];
  const flush = (): void => {
    const bytes = writer.take();
    if (bytes !== undefined) batches.push(bytes);
  };
  const issued = { sampleId: 0, atNs: 0, intendedNs: 0, connectNs: 0, heldBackNs: 0, isWarmup: false };
  for (let sampleId = 0; sampleId < SAMPLES; sampleId += 1) {
    const zeroNs = sampleId * 20_000;
    for (let chunk = 0; chunk < CHUNKS; chunk += 1) stamps[chunk] = zeroNs + chunk * 10_000_000;
    complete.sampleId = sampleId;
    complete.atNs = zeroNs + 200_000_000;
    issued.sampleId = sampleId;
    issued.atNs = zeroNs;
    issued.intendedNs = zeroNs;
    if (!writer.writeIssued(issued)) {
      flush();
      writer.writeIssued(issued);
    }
    if (!writer.writeRecvFirst(sampleId, zeroNs, zeroNs)) {
      flush();
      writer.writeRecvFirst(sampleId, zeroNs, zeroNs);
    }
    for (let at = 0; at < CHUNKS; ) {
      const written = writer.writeStamps(sampleId, stamps, at, CHUNKS);
      at += written;
      if (written === 0) flush();
    }
    if (!writer.writeComplete(complete)) {
      flush();
      writer.writeComplete(complete);
    }
  }
  flush();
  return batches;
};

const read = (batches: readonly Uint8Array[]): number =>
  batches.reduce((count, bytes) => count + readEventBatch(bytes).records.length, 0);

const rates: Record<'write' | 'read', number[]> = { write: [], read: [] };
let bytes = 0;
for (let round = 0; round < ROUNDS + 2; round += 1) {
  const startedMs = performance.now();
  const batches = packed();
  const writtenMs = performance.now();
  const count = read(batches);
  const readMs = performance.now();
  bytes = batches.reduce((sum, batch) => sum + batch.length, 0) / count;
  if (round < 2) continue; // the compiler's rounds
  rates.write.push((count / (writtenMs - startedMs)) * 1_000);
  rates.read.push((count / (readMs - writtenMs)) * 1_000);
}

const method = (values: readonly number[]): string =>
  `${spread(values, 0)}; 4 records a sample of ${CHUNKS} chunks, ${bytes.toFixed(0)} bytes a record`;
printRow({
  what: 'event batches, written',
  figure: median(rates.write),
  unit: 'records/s',
  reach: { kind: 'none' },
  method: method(rates.write),
});
printRow({
  what: 'event batches, read into records',
  figure: median(rates.read),
  unit: 'records/s',
  reach: { kind: 'none' },
  method: method(rates.read),
});
