// Starts the thread that makes an agent's plan, and ends it when the plan is no longer needed. A plan that exceeds
// the thread's memory limit ends that thread alone.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { errorMessage } from '../../core/problem.ts';
import { entryUrl } from '../../process/entry.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { BenchError } from '../bench-error.ts';
import type { PlannedPart } from '../run/bench-parts.ts';
import type { PlanWork, PlanWorkResult } from './plan-worker.ts';

/** @throws BenchError `input` for what cannot be planned, DecodeError for a data set that is damaged; the signal's reason. */
export const plannedApart = async (work: PlanWork, signal: AbortSignal): Promise<PlannedPart> => {
  signal.throwIfAborted();
  const worker = new Worker(entryUrl(import.meta.url, './plan-worker.ts'), {
    workerData: work,
    name: 'plimsoll plan',
    resourceLimits: { maxOldGenerationSizeMb: PLAN_HEAP_MB_MAX },
  });
  try {
    const [result]: readonly PlanWorkResult[] = await once(worker, 'message', { signal });
    if (result === undefined) throw new Error('the thread that plans said nothing');
    if (result.kind === 'refused') throw new BenchError(result.problem);
    if (result.kind === 'malformed') throw new DecodeError(result.problem);
    return result.part;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BenchError || error instanceof DecodeError) throw error;
    throw new BenchError({
      code: 'input',
      problem: `this agent cannot make the plan of the run: ${errorMessage(error)}`,
      advice: `Send fewer or shorter prompts: a plan may use ${PLAN_HEAP_MB_MAX} MB while it is made.`,
    });
  } finally {
    await worker.terminate();
  }
};

/** Of the heap of that thread; 256 MiB of prompts take about a third of it. */
const PLAN_HEAP_MB_MAX = 2_048;
