// How many requests wait in the server's own queue while a stage runs, from its Prometheus page, once a second:
// passed on from the run's own watch, or read here when other machines send the load. In flight are requests that
// this client sent and that have no reply: the server works on some and queues others, and only its metrics show
// which.

import { type Clock, pause } from '../../clock/clock.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { ServerApi } from '../target/api/server-api.ts';
import { fetchText } from '../target/fetch-text.ts';
import { requestsWaiting } from '../target/llama-slots.ts';
import type { HeaderField } from '../target/load-target.ts';
import { pagePath } from '../target/server-pages.ts';
import type { BenchTarget } from '../target/target-url.ts';

export interface QueueReading {
  /** ns since the stage's start. */
  readonly atNs: number;
  readonly waiting: number;
}

interface ServerQueueOptions {
  readonly target: BenchTarget;
  readonly api: ServerApi;
  readonly headers: readonly HeaderField[];
  readonly clock: Clock;
  /** ns since the stage's start; undefined before it. */
  readonly elapsedNs: () => number | undefined;
}

export class ServerQueue {
  readonly #options: ServerQueueOptions;
  #readings: QueueReading[] = [];
  /** Every n-th reading is stored. */
  #every = 1;
  #answers = 0;
  #reason = 'the server reports no queue on /metrics';

  constructor(options: ServerQueueOptions) {
    this.#options = options;
  }

  get readings(): Reported<readonly QueueReading[]> {
    return this.#readings.length === 0 ? unknown(this.#reason) : this.#readings;
  }

  /** Called by the existing reader of the server's metrics. */
  note(waiting: number): void {
    if (waiting !== NO_FIGURE) this.#keep(waiting);
  }

  /** Reads the page itself, until the signal; a server without metrics is not requested again. */
  async watch(signal: AbortSignal): Promise<void> {
    const { target, api, headers, clock } = this.#options;
    const path = pagePath(target, '/metrics', api);
    for (let misses = 0; !signal.aborted && misses < MISSES_MAX; ) {
      const answer = await fetchText({
        server: target.server,
        path,
        headers,
        timeoutMs: ANSWER_MS,
        signal,
      }).catch(() => undefined);
      if (answer === undefined) return;
      const waiting =
        answer.kind === 'answer' && answer.status === 200 ? requestsWaiting(answer.text) : undefined;
      if (waiting === undefined) {
        this.#reason =
          answer.kind === 'answer'
            ? 'the server reports no queue on /metrics'
            : 'the server did not answer on /metrics';
        misses += answer.kind === 'answer' ? MISSES_MAX : 1;
      } else {
        misses = 0;
        this.#keep(waiting);
      }
      await pause(clock, INTERVAL_MS, signal);
    }
  }

  #keep(waiting: number): void {
    const atNs = this.#options.elapsedNs();
    if (atNs === undefined) return;
    this.#answers += 1;
    if (this.#answers % this.#every !== 0) return;
    this.#readings.push({ atNs, waiting });
    if (this.#readings.length < READINGS_MAX) return;
    this.#readings = this.#readings.filter((_, at) => at % 2 === 0);
    this.#every *= 2;
  }
}

/**
 * In equal steps from the stage's start: for each the newest reading by its end, for the first steps the first
 * reading.
 */
export const queueInSteps = (
  readings: Reported<readonly QueueReading[]>,
  { stepNs, steps }: { readonly stepNs: number; readonly steps: number },
): Reported<readonly number[]> => {
  if ('kind' in readings) return readings;
  let at = 0;
  return Array.from({ length: steps }, (_, step) => {
    while ((readings[at + 1]?.atNs ?? Number.POSITIVE_INFINITY) <= (step + 1) * stepNs) at += 1;
    return readings[at]?.waiting ?? 0;
  });
};

const INTERVAL_MS = 1_000;
const ANSWER_MS = 2_000;
/** A busy server may miss some. */
const MISSES_MAX = 3;
/** Beyond it, every second one is removed. */
const READINGS_MAX = 2_048;
