// A thread of the CPU's matrix product: multiplies its own matrices for the given time, and continues until every
// thread has finished, so none is measured at the clock speed of a half-idle machine.

import { parentPort, workerData } from 'node:worker_threads';
import { SharedRounds } from '../../shared-rounds.ts';
import { type FromGemmWorker, type GemmRound, type GemmWorkerData, productDefect } from './matrix-entries.ts';
import { WASM_GEMM_SIZE, wasmGemm } from './wasm-gemm.ts';

/** Another thread may be stuck; none waits for it longer than this many spans. */
const OTHERS_MULTIPLE = 20;

const data: GemmWorkerData = workerData;
const rounds = new SharedRounds(data.threads, data.board);
const gemm = wasmGemm();
const report = (message: FromGemmWorker): void => parentPort?.postMessage(message);

// The second one runs in the engine's better code; the first one is checked.
gemm.multiply();
const defect = productDefect(WASM_GEMM_SIZE, gemm.result);
if (defect !== undefined) throw new Error(defect);
gemm.multiply();

parentPort?.on('message', ({ round, durationMs }: GemmRound) => {
  let products = 0;
  rounds.waitForAll(round);
  const startedMs = performance.now();
  let elapsedMs = 0;
  do {
    gemm.multiply();
    products += 1;
    elapsedMs = performance.now() - startedMs;
  } while (elapsedMs < durationMs);
  rounds.finish();
  while (!rounds.haveAllFinished(round) && performance.now() - startedMs < OTHERS_MULTIPLE * durationMs) {
    gemm.multiply();
  }
  report({ kind: 'measured', products, elapsedMs });
});

report({ kind: 'ready', isFused: gemm.isFused });
