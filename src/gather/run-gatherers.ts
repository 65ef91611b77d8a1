// Runs gatherers side by side, so that a failing or slow one never delays another. A failure is data: it is told to the
// sink for each kind the gatherer tells, and the gatherer is started again with backoff.

import type { Clock } from '../clock/clock.ts';
import type { Reading } from '../core/node/reading.ts';
import { errorMessage } from '../core/problem.ts';
import type { GatheredKind, Gatherer } from './gatherer.ts';

export interface ReadingSink {
  reading(gatherer: Gatherer, source: string, reading: Reading): void;
  failure(gatherer: Gatherer, kind: GatheredKind, source: string, reason: string): void;
  /** Nothing to tell on this machine. */
  absence(gatherer: Gatherer, kind: GatheredKind, source: string, reason: string): void;
}

export interface RunGatherersOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly sink: ReadingSink;
}

export const BACKOFF_FIRST_MS = 1_000;
export const BACKOFF_MAX_MS = 30_000;

/** Resolves when the signal has aborted and every gatherer has stopped. */
export const runGatherers = async (
  gatherers: readonly Gatherer[],
  options: RunGatherersOptions,
): Promise<void> => {
  await Promise.all(gatherers.map(gatherer => runGatherer(gatherer, options)));
};

const runGatherer = async (
  gatherer: Gatherer,
  { clock, signal, sink }: RunGatherersOptions,
): Promise<void> => {
  let backoffMs = BACKOFF_FIRST_MS;
  while (!signal.aborted) {
    let hasEmitted = false;
    const startedMs = clock.nowMs();
    try {
      await gatherer.gather({
        clock,
        signal,
        emit: (source, reading) => {
          hasEmitted = true;
          if (!signal.aborted) sink.reading(gatherer, source, reading);
        },
        fail: (kind, source, reason) => {
          if (!signal.aborted) sink.failure(gatherer, kind, source, reason);
        },
        absent: (kind, source, reason) => {
          if (!signal.aborted) sink.absence(gatherer, kind, source, reason);
        },
      });
      return;
    } catch (error) {
      if (signal.aborted) return;
      const reason = errorMessage(error);
      for (const kind of gatherer.tells) sink.failure(gatherer, kind, gatherer.name, reason);
    }
    // A source that worked for a while before it failed is tried again soon; one that never works, ever less often.
    if (hasEmitted && clock.nowMs() - startedMs > BACKOFF_MAX_MS) backoffMs = BACKOFF_FIRST_MS;
    try {
      await clock.sleep(backoffMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS);
  }
};
