// Runs gatherers side by side, so a failing or slow one never delays another. A failure is data: it is reported for
// each of the gatherer's kinds, and the gatherer is restarted with backoff.

import type { Clock } from '../clock/clock.ts';
import { errorMessage, ProblemError } from '../core/problem.ts';
import { Arbitration, type ReadingSink } from './arbitration.ts';
import type { Gatherer } from './gatherer.ts';
import { runConcurrently } from './poll.ts';

interface RunGatherersOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly sink: ReadingSink;
}

export const BACKOFF_FIRST_MS = 1_000;
export const BACKOFF_MAX_MS = 30_000;

/**
 * Of gatherers that report the same kind of reading, earlier ones are preferred (`arbitration.ts`).
 * Resolves when the signal has aborted and every gatherer has stopped.
 */
export const runGatherers = async (
  gatherers: readonly Gatherer[],
  { clock, signal, sink }: RunGatherersOptions,
): Promise<void> => {
  const arbitration = new Arbitration(gatherers, { clock, sink });
  await runConcurrently(
    signal,
    async () => {
      await Promise.all(gatherers.map(gatherer => runGatherer(gatherer, { clock, signal, arbitration })));
    },
    own => arbitration.watch(own),
  );
};

interface Run {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly arbitration: Arbitration;
}

const runGatherer = async (gatherer: Gatherer, { clock, signal, arbitration }: Run): Promise<void> => {
  let backoffMs = BACKOFF_FIRST_MS;
  try {
    while (!signal.aborted) {
      const activation = await arbitration.activation(gatherer, signal);
      let hasEmitted = false;
      const startedMs = clock.nowMs();
      try {
        await gatherer.gather({
          clock,
          signal: activation,
          fallbackReason: () => arbitration.fallbackReason(gatherer),
          emit: (source, reading) => {
            hasEmitted = true;
            if (!activation.aborted) arbitration.reading(gatherer, source, reading);
          },
          fail: (kind, source, reason, code) => {
            if (!activation.aborted) arbitration.failure(gatherer, kind, source, reason, code);
          },
          absent: (kind, source, reason) => {
            if (!activation.aborted) arbitration.absence(gatherer, kind, source, reason);
          },
        });
        if (!activation.aborted) return arbitration.ended(gatherer);
      } catch (error) {
        if (!activation.aborted) {
          const reason = errorMessage(error);
          const code = error instanceof ProblemError ? error.code : undefined;
          for (const kind of gatherer.reports)
            arbitration.failure(gatherer, kind, gatherer.name, reason, code);
        }
      }
      // A source that worked for a while before it failed is retried soon; one that never works, less and less often.
      const wasWell = hasEmitted && clock.nowMs() - startedMs > BACKOFF_MAX_MS;
      if (wasWell || activation.aborted) backoffMs = BACKOFF_FIRST_MS;
      if (activation.aborted) continue;
      try {
        await clock.sleep(backoffMs, activation);
      } catch (error) {
        if (!activation.aborted) throw error;
      }
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
