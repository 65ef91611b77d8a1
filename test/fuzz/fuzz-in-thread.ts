// Fuzzes one target in a thread of its own and watches it: an input that never comes back, or that takes the thread's whole heap, is a
// finding like any other.

import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Finding } from './attempt.ts';
import { type FuzzMessage, type FuzzPlan, SHARED_HEAD_BYTES } from './fuzz-plan.ts';
import { INPUT_BYTES_MOST } from './mutate.ts';

export interface FoundInput {
  readonly kind: Finding['kind'] | 'hung' | 'died';
  readonly what: string;
  readonly input: Uint8Array;
}

type FuzzResult = Extract<FuzzMessage, { kind: 'done' }>;

interface FuzzReport {
  /** One of each kind and cause, the shortest input of it. */
  readonly found: readonly FoundInput[];
  /** Undefined where the thread did not come to its end. */
  readonly result: FuzzResult | undefined;
}

export const fuzzInThread = async (plan: Omit<FuzzPlan, 'shared'>): Promise<FuzzReport> => {
  const shared = new SharedArrayBuffer(SHARED_HEAD_BYTES + 16 * INPUT_BYTES_MOST);
  const worker = new Worker(new URL('fuzz-thread.ts', import.meta.url), {
    workerData: { ...plan, shared } satisfies FuzzPlan,
    resourceLimits: { maxOldGenerationSizeMb: 1_024 },
  });
  const found = new Map<string, FoundInput>();
  const keep = (one: FoundInput): void => {
    const cause = `${one.kind} ${one.what.replace(/\d+/g, '0').slice(0, 60)}`;
    const existing = found.get(cause);
    if (existing === undefined ? found.size < FINDINGS_MOST : one.input.length < existing.input.length)
      found.set(cause, one);
  };
  const tried = (): Uint8Array => {
    const length = new Int32Array(shared)[1] ?? 0;
    return new Uint8Array(shared, SHARED_HEAD_BYTES, length).slice();
  };
  let result: FuzzResult | undefined;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  worker.on('message', (message: FuzzMessage) => {
    if (message.kind === 'done') result = message;
    else keep({ ...message.finding, input: message.input });
  });
  worker.on('error', error => keep({ kind: 'died', what: error.message, input: tried() }));
  worker.on('exit', () => end());
  const watch = new AbortController();
  void ended.then(() => watch.abort());
  let before = -1;
  for (;;) {
    await delay(HUNG_MS, undefined, { signal: watch.signal }).catch(() => undefined);
    if (watch.signal.aborted) break;
    const now = Atomics.load(new Int32Array(shared), 0);
    // Before the first input the modules are loaded.
    if (now > 0 && now === before && result === undefined) {
      keep({ kind: 'hung', what: `nothing came back for ${HUNG_MS / 1_000} s`, input: tried() });
      await worker.terminate();
    }
    before = now;
  }
  await ended;
  return { found: [...found.values()], result };
};

/** Long: the machine may be busy. What is slow but comes back is measured by the processor's time. */
const HUNG_MS = 60_000;
const FINDINGS_MOST = 20;
