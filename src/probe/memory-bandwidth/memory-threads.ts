// Leads the threads of the memory probe. Runs in a child process of the probe, because a thread in the middle of a pass
// can only be stopped by ending its process.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { maximumOf } from '../../core/extremes.ts';
import type { Reported } from '../../core/unknown.ts';
import { entryUrl } from '../../process/entry.ts';
import { SharedRounds } from '../shared-rounds.ts';
import type { MemoryPlan } from './memory-plan.ts';
import type { FromMemoryWorker, MemoryRound, MemoryWork, MemoryWorkerData } from './memory-round.ts';

interface MemoryThreadsOptions {
  readonly plan: MemoryPlan;
  readonly lastLevelCacheBytes: Reported<number>;
  /** Processors to stay on, one per thread; empty if the system chooses. */
  readonly processors: readonly number[];
  readonly rounds: number;
  /** Duration of one round of one kind. */
  readonly durationMs: number;
}

/** Bytes per second over all threads, one figure per round. */
export interface MemoryRounds {
  /** By the faster way of reading on this machine. */
  readonly read: readonly number[];
  readonly readBy: 'sum' | 'compare';
  readonly copy: readonly number[];
  /** Matrix times vector, bytes of the matrix. */
  readonly gemv: readonly number[];
  readonly hasHugePages: boolean;
  readonly noForeignCalls: string | undefined;
}

/** @throws when a thread fails. */
export const measureMemoryHere = async (options: MemoryThreadsOptions): Promise<MemoryRounds> => {
  const { plan, processors, rounds, durationMs } = options;
  const board = new SharedRounds(plan.threads);
  const threads = Array.from({ length: plan.threads }, (_, index) => {
    const workerData: MemoryWorkerData = {
      board: board.memory,
      threads: plan.threads,
      bytes: plan.bytesPerThread,
      processor: processors[index],
    };
    return new Worker(entryUrl(import.meta.url, './memory-worker.ts'), {
      workerData,
      name: `plimsoll memory ${index}`,
    });
  });
  try {
    const ready = await Promise.all(threads.map(thread => answerOf(thread)));
    const works = WORKS.filter(work =>
      ready.every(answer => answer.kind === 'ready' && answer.works.includes(work)),
    );
    const rates: Record<MemoryWork, number[]> = { sum: [], compare: [], copy: [], gemv: [] };
    for (let round = 0; round < works.length * rounds; round += 1) {
      const work = works[round % works.length] ?? 'sum';
      const answers = threads.map(thread => answerOf(thread));
      const message: MemoryRound = { kind: 'round', round, work, durationMs };
      for (const thread of threads) thread.postMessage(message);
      rates[work].push((await Promise.all(answers)).reduce((sum, answer) => sum + rateOf(answer), 0));
    }
    const readBy = maximumOf(rates.compare) > maximumOf(rates.sum) ? 'compare' : 'sum';
    return {
      read: rates[readBy],
      readBy,
      copy: rates.copy,
      gemv: rates.gemv,
      hasHugePages: ready.every(answer => answer.kind === 'ready' && answer.hasHugePages),
      noForeignCalls: ready.flatMap(answer => (answer.kind === 'ready' ? [answer.noForeignCalls] : []))[0],
    };
  } finally {
    await Promise.all(threads.map(thread => thread.terminate()));
  }
};

/** Alternated, so a busy moment affects all equally. */
const WORKS: readonly MemoryWork[] = ['sum', 'compare', 'copy', 'gemv'];

const answerOf = async (thread: Worker): Promise<FromMemoryWorker> => {
  const [answer]: FromMemoryWorker[] = await once(thread, 'message');
  if (answer === undefined) throw new Error('a thread of the memory probe did not respond');
  return answer;
};

const rateOf = (answer: FromMemoryWorker): number =>
  answer.kind === 'measured' && answer.elapsedMs > 0 ? (answer.bytes / answer.elapsedMs) * 1_000 : 0;
