// The thread in which one target is fuzzed. The input that is being tried is in shared memory, so that it is
// known for anything that it does to the thread.

import { parentPort, workerData } from 'node:worker_threads';
import { countModules, isCovered } from './counted-modules.ts';
import { fuzz } from './fuzz-loop.ts';
import { type FuzzMessage, type FuzzPlan, SHARED_HEAD_BYTES } from './fuzz-plan.ts';
import { loadTarget } from './targets.ts';

const attack = async ({ name, seed, seconds, runs, shared }: FuzzPlan): Promise<FuzzMessage> => {
  const modules = countModules();
  const target = await loadTarget(name);
  const head = new Int32Array(shared, 0, 2);
  const tried = new Uint8Array(shared, SHARED_HEAD_BYTES);
  const begunMs = performance.now();
  const before = process.threadCpuUsage();
  const untilMs = begunMs + seconds * 1_000;
  const counters = modules.counters.subarray(0, 4 * Math.ceil(modules.branches.length / 4));
  const { executions, kept, taken } = await fuzz(target, {
    seed,
    words: modules.wordsOf(target.covers),
    counters,
    begins: (input, executions) => {
      tried.set(input.subarray(0, tried.length));
      head[1] = Math.min(input.length, tried.length);
      Atomics.store(head, 0, executions + 1);
    },
    found: (finding, input) => parentPort?.postMessage({ kind: 'found', finding, input: input.slice() }),
    goesOn: count => count < runs && (count % 64 !== 0 || performance.now() < untilMs),
  });
  const { user, system } = process.threadCpuUsage(before);
  const own = modules.branches.flatMap(({ file, line }, at) =>
    isCovered(file, target.covers) ? [{ location: `${file}:${line}`, isTaken: taken[at] !== 0 }] : [],
  );
  return {
    kind: 'done',
    executions,
    seconds: (performance.now() - begunMs) / 1_000,
    processorSeconds: (user + system) / 1e6,
    kept,
    branchesTaken: taken.reduce((sum, bits) => sum + (bits === 0 ? 0 : 1), 0),
    ownTaken: own.filter(({ isTaken }) => isTaken).length,
    ownBranches: own.length,
    untaken: own.filter(({ isTaken }) => !isTaken).map(({ location }) => location),
  };
};

parentPort?.postMessage(await attack(workerData));
