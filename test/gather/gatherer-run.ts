// A gatherer run as the daemon runs it, with everything that reaches the sink kept, and waits for what should come.

import type { Clock } from '../../src/clock/clock.ts';
import { systemClock } from '../../src/clock/system-clock.ts';
import type { Reading, ReadingKind } from '../../src/core/node/reading.ts';
import type { Gatherer } from '../../src/gather/gatherer.ts';
import { runGatherers } from '../../src/gather/run-gatherers.ts';

export type Told =
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
  readonly told: readonly Told[];
  /** Resolves when every gatherer has ended, whether asked to or because it has nothing to tell. */
  readonly ended: Promise<void>;
  /** The first that fits among those told from now on, or, with `fromStart`, from the beginning. */
  waitFor<T extends Told>(fits: (told: Told) => told is T, fromStart?: 'from start'): Promise<T>;
  waitUntil(fits: (told: Told) => boolean, fromStart?: 'from start'): Promise<Told>;
}

export const runForTest = (gatherers: readonly Gatherer[], clock: Clock = systemClock): GathererRun => {
  const ending = new AbortController();
  const told: Told[] = [];
  const waiters = new Set<() => void>();
  const tell = (entry: Told): void => {
    told.push(entry);
    for (const wake of waiters) wake();
  };
  const running = runGatherers(gatherers, {
    clock,
    signal: ending.signal,
    sink: {
      reading: (_gatherer, source, reading) => tell({ kind: 'reading', source, reading }),
      failure: (_gatherer, kind, source, reason, code) =>
        tell({ kind: 'failure', about: kind.reading, source, reason, code }),
      absence: (_gatherer, kind, source, reason) =>
        tell({ kind: 'absence', about: kind.reading, source, reason }),
    },
  });
  const waitFor = <T extends Told>(fits: (told: Told) => told is T, fromStart?: 'from start'): Promise<T> => {
    let next = fromStart === undefined ? told.length : 0;
    return new Promise(resolve => {
      const look = (): void => {
        for (; next < told.length; next++) {
          const entry = told[next];
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
    told,
    ended: running,
    waitFor,
    waitUntil: (fits, fromStart) => waitFor((entry): entry is Told => fits(entry), fromStart),
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await running;
    },
  };
};

export interface ToldReading<K extends ReadingKind> {
  readonly kind: 'reading';
  readonly source: string;
  readonly reading: Extract<Reading, { readonly kind: K }>;
}

/** Fits a reading of one kind. */
export const isReading =
  <K extends ReadingKind>(kind: K, source?: string) =>
  (told: Told): told is ToldReading<K> =>
    told.kind === 'reading' && told.reading.kind === kind && (source === undefined || told.source === source);

export const isFailure =
  (about: ReadingKind, reason: RegExp | string) =>
  (told: Told): boolean =>
    told.kind === 'failure' &&
    told.about === about &&
    (typeof reason === 'string' ? told.reason === reason : reason.test(told.reason));
