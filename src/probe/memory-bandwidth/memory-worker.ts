// A thread of the memory probe: touches its own memory first, so it is allocated nearby, then reads or copies all of it
// repeatedly for the given time. It continues after its own span until every thread has finished, so none is measured
// on a half-idle machine.

import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import { libcCompare, libcMemory } from '../../native/libc-memory.ts';
import { loadKoffi } from '../../native/load-koffi.ts';
import { SharedRounds } from '../shared-rounds.ts';
import { wasmMemory } from '../wasm/engine.ts';
import { GEMV_RESULT_BYTES, gemvKernel } from '../wasm/gemv-kernel.ts';
import { memoryKernels, READ_STEP_BYTES, READ_STREAM_BYTES, READ_STREAMS } from '../wasm/memory-kernels.ts';
import type { FromMemoryWorker, MemoryRound, MemoryWork, MemoryWorkerData } from './memory-round.ts';

/** Divides every plan. */
const BLOCK_BYTES: number = READ_STREAMS * READ_STREAM_BYTES;
const BLOCK_SUM = BigInt.asUintN(64, 0x0101_0101_0101_0101n * BigInt(BLOCK_BYTES / 8));
const WARM_UP_BYTES = 4_096;
const WARM_UP_CALLS = 20_000;
/** 4,096 floats, a common width of models. */
const ROW_BYTES: number = 16 * 1024;
/** What every entry of the matrix is: four bytes of 1. */
const [ENTRY = 0] = new Float32Array(Uint8Array.of(1, 1, 1, 1).buffer);
/** So that a product is of ordinary size. */
const FACTOR: number = 2 ** 120;
const ROW_LANE_SUM: number = ((ENTRY * ROW_BYTES) / 16) * FACTOR;
const ROUNDING_SHARE = 1e-3;
const NOT_AS_WRITTEN = 'memory does not read back as written';
/** Another thread may be stuck; none waits for it longer than this many spans. */
const OTHERS_MULTIPLE = 20;

const data: MemoryWorkerData = workerData;
const rounds = new SharedRounds(data.threads, data.board);

const report = (message: FromMemoryWorker): void => parentPort?.postMessage(message);

const vectorAt = data.bytes;
const resultAt: number = vectorAt + ROW_BYTES;
const memory = wasmMemory(resultAt + GEMV_RESULT_BYTES);
const half = data.bytes / 2;
const koffi = await loadKoffi(process.env);
const libc = koffi.kind === 'loaded' ? libcMemory(koffi.koffi, process.platform) : undefined;
const comparison = koffi.kind === 'loaded' ? libcCompare(koffi.koffi, process.platform) : undefined;
if (data.processor !== undefined) libc?.stayOnProcessor(data.processor);
const hasHugePages = libc?.adviseHugePages(memory.buffer) ?? false;
new Uint8Array(memory.buffer).fill(1);

new Float32Array(memory.buffer, vectorAt, ROW_BYTES / 4).fill(FACTOR);

const kernels = memoryKernels(memory);
const { multiplyRows } = gemvKernel(memory);
const rowSums = new Float32Array(memory.buffer, resultAt, GEMV_RESULT_BYTES / 4);

const isRowSum = (sum: number): boolean => Math.abs(sum / ROW_LANE_SUM - 1) < ROUNDING_SHARE;

/** Each goes over the whole memory: read once, or one half read and the other written. */
const passes: Readonly<Record<MemoryWork, () => void>> = {
  sum: () => {
    for (let offset = 0; offset < data.bytes; offset += BLOCK_BYTES) {
      if (kernels.sum(offset, READ_STREAM_BYTES) !== BLOCK_SUM) throw new Error(NOT_AS_WRITTEN);
    }
  },
  compare: () => {
    if (comparison?.isSame(memory.buffer, 0, half, half) !== true) throw new Error(NOT_AS_WRITTEN);
  },
  copy: () => kernels.copy(half, 0, half),
  gemv: () => {
    for (let block = 0; block < data.bytes; block += BLOCK_BYTES) {
      for (let row = 0; row < READ_STREAM_BYTES; row += ROW_BYTES) {
        multiplyRows(block + row, vectorAt, resultAt, ROW_BYTES);
      }
      if (!rowSums.every(isRowSum)) throw new Error('a product of matrix and vector is wrong');
    }
  },
};

parentPort?.on('message', ({ round, work, durationMs }: MemoryRound) => {
  const pass = passes[work];
  let bytes = 0;
  rounds.waitForAll(round);
  const startedMs = performance.now();
  let elapsedMs = 0;
  do {
    pass();
    bytes += data.bytes;
    elapsedMs = performance.now() - startedMs;
  } while (elapsedMs < durationMs);
  rounds.finish();
  while (!rounds.haveAllFinished(round) && performance.now() - startedMs < OTHERS_MULTIPLE * durationMs) {
    pass();
  }
  report({ kind: 'measured', bytes, elapsedMs });
});

// The engine replaces a kernel's initial slow code only between calls, when it has time.
for (let call = 0; call < WARM_UP_CALLS; call += 1) {
  kernels.sum(0, WARM_UP_BYTES);
  multiplyRows(0, vectorAt, resultAt, READ_STEP_BYTES);
}
report({
  kind: 'ready',
  hasHugePages,
  works: comparison === undefined ? ['sum', 'copy', 'gemv'] : ['sum', 'compare', 'copy', 'gemv'],
  noForeignCalls: koffi.kind === 'missing' ? koffi.reason : undefined,
});
