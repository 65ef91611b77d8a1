// A gatherer run as the daemon runs it, with everything that reaches the sink kept, and waits for what should come.

import type { Clock } from '../../src/clock/clock.ts';
import { systemClock } from '../../src/clock/system-clock.ts';
import type { Reading, ReadingKind } from '../../src/core/node/reading.ts';
import type { Gatherer } from '../../src/gather/gatherer.ts';
import { runGatherers } from '../../src/gather/run-gatherers.ts';

export type ReportedState =
  | { readonly kind: 'reading'; readonly source: string; readonly reading: Reading }
  | {
      readonly kind: 'failure' | 'absence';
      readonly about: string;
      readonly source: string;
      readonly reason: string;
      /** Of a failure, where it has one. */
      readonly code?: string | undefined;
    };

export interface GathererRun extends AsyncDisposable {
  readonly reported: readonly ReportedState[];
  /** Resolves when every gatherer has ended, on request or because it has nothing to report. */
  readonly ended: Promise<void>;
  /** The first matching report from now on, or, with `fromStart`, from the beginning. */
  waitFor<T extends ReportedState>(
    fits: (reported: ReportedState) => reported is T,
    fromStart?: 'from start',
  ): Promise<T>;
  waitUntil(fits: (reported: ReportedState) => boolean, fromStart?: 'from start'): Promise<ReportedState>;
}

export const runForTest = (gatherers: readonly Gatherer[], clock: Clock = systemClock): GathererRun => {
  const ending = new AbortController();
  const reported: ReportedState[] = [];
  const waiters = new Set<() => void>();
  const report = (entry: ReportedState): void => {
    reported.push(entry);
    for (const wake of waiters) wake();
  };
  const running = runGatherers(gatherers, {
    clock,
    signal: ending.signal,
    sink: {
      reading: (_gatherer, source, reading) => report({ kind: 'reading', source, reading }),
      failure: (_gatherer, kind, source, reason, code) =>
        report({ kind: 'failure', about: kind.reading, source, reason, code }),
      absence: (_gatherer, kind, source, reason) =>
        report({ kind: 'absence', about: kind.reading, source, reason }),
    },
  });
  const waitFor = <T extends ReportedState>(
    fits: (reported: ReportedState) => reported is T,
    fromStart?: 'from start',
  ): Promise<T> => {
    let next = fromStart === undefined ? reported.length : 0;
    return new Promise(resolve => {
      const look = (): void => {
        for (; next < reported.length; next++) {
          const entry = reported[next];
          if (entry === undefined || !fits(entry)) continue;
          waiters.delete(look);
          resolve(entry);
          return;
        }
      };
      waiters.add(look);
      look();
    });
  };
  return {
    reported,
    ended: running,
    waitFor,
    waitUntil: (fits, fromStart) => waitFor((entry): entry is ReportedState => fits(entry), fromStart),
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await running;
    },
  };
};

export interface PublishedReading<K extends ReadingKind> {
  readonly kind: 'reading';
  readonly source: string;
  readonly reading: Extract<Reading, { readonly kind: K }>;
}

/** Fits a reading of one kind. */
export const isReading =
  <K extends ReadingKind>(kind: K, source?: string) =>
  (reported: ReportedState): reported is PublishedReading<K> =>
    reported.kind === 'reading' &&
    reported.reading.kind === kind &&
    (source === undefined || reported.source === source);

export const isFailure =
  (about: ReadingKind, reason: RegExp | string) =>
  (reported: ReportedState): boolean =>
    reported.kind === 'failure' &&
    reported.about === about &&
    (typeof reason === 'string' ? reported.reason === reason : reason.test(reported.reason));
