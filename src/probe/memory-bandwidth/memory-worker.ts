// A thread of the memory probe: touches its own memory first, so that it lies near, then reads or copies all of it over
// and over for the time it is told. It goes on after its own span until every thread has finished, so that none is
// measured on a machine that is half idle.

import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import { libcMemory } from '../../native/libc-memory.ts';
import { loadKoffi } from '../../native/load-koffi.ts';
import { SharedRounds } from '../shared-rounds.ts';
import { wasmMemory } from '../wasm/engine.ts';
import { memoryKernels } from '../wasm/memory-kernels.ts';
import type { FromMemoryWorker, MemoryRound, MemoryWorkerData } from './memory-round.ts';

/** Divides every plan: a plan's unit. */
const PART_BYTES: number = 128 * 1024;
const PART_SUM = BigInt.asUintN(64, 0x0101_0101_0101_0101n * BigInt(PART_BYTES / 8));
const WARM_UP_CALLS = 2_000;
/** Another thread may be stuck; none waits for it longer than so many spans. */
const OTHERS_MULTIPLE = 20;
const data: MemoryWorkerData = workerData;
const board = new SharedRounds(data.threads, data.board);

const tell = (message: FromMemoryWorker): void => parentPort?.postMessage(message);

const memory = wasmMemory(data.bytes);
const koffi = await loadKoffi();
const libc = koffi.kind === 'loaded' ? libcMemory(koffi.koffi, process.platform) : undefined;
if (data.processor !== undefined) libc?.stayOnProcessor(data.processor);
const hasHugePages = libc?.adviseHugePages(memory.buffer) ?? false;
new Uint8Array(memory.buffer).fill(1);

const kernels = memoryKernels(memory);
const half = data.bytes / 2;

/** In parts, because the engine replaces a kernel's first, slow code only from one call to the next. */
const readAll = (): void => {
  for (let offset = 0; offset < data.bytes; offset += PART_BYTES) {
    if (kernels.sum(offset, PART_BYTES) !== PART_SUM)
      throw new Error('memory does not read as it was written');
  }
};
const warmUp = (): void => {
  for (let call = 0; call < WARM_UP_CALLS; call += 1) kernels.sum(0, PART_BYTES);
};
const copyHalf = (): void => kernels.copy(half, 0, half);

parentPort?.on('message', ({ round, work, durationMs }: MemoryRound) => {
  const pass = work === 'read' ? readAll : copyHalf;
  // Read once, or read once and written once: a half each.
  const passBytes = data.bytes;
  let bytes = 0;
  board.waitForAll(round);
  const startedMs = performance.now();
  let elapsedMs = 0;
  do {
    pass();
    bytes += passBytes;
    elapsedMs = performance.now() - startedMs;
  } while (elapsedMs < durationMs);
  board.finish();
  while (!board.haveAllFinished(round) && performance.now() - startedMs < OTHERS_MULTIPLE * durationMs) {
    pass();
  }
  tell({ kind: 'measured', bytes, elapsedMs });
});

warmUp();
tell({
  kind: 'ready',
  hasHugePages,
  noForeignCalls: koffi.kind === 'missing' ? koffi.reason : undefined,
});
