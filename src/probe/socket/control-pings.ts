// Round trips on the control connection, beside whatever the data connections carry: what a queue adds under load. Both the idle and
// the loaded ones go through the same two event loops, so that their difference is of the path and not of the ends.

import type { Clock } from '../../clock/clock.ts';
import { monotonicNs } from '../../clock/monotonic-ns.ts';
import { pause } from '../../clock/until-aborted.ts';
import { lowerPercentile } from '../../core/statistics/percentile.ts';
import type { Reported } from '../../core/unknown.ts';
import { unknown } from '../../core/unknown.ts';

export interface BesideOptions {
  /** Why none are made; undefined where they are. */
  readonly reason: string | undefined;
  readonly roundTripMs: number;
  readonly signal: AbortSignal;
}

export interface Beside {
  start(): void;
  /** Idempotent. */
  end(): Promise<Reported<number>>;
}

/** Why there are none between these ends; undefined where there are. */
export const reasonAgainstPings = (
  own: { readonly name: string },
  other: { readonly engine: string; readonly canPing?: boolean },
): string | undefined => {
  if (other.canPing !== true) return "the other end's version does not measure it";
  // The streams would be in the way of the round trips at the ends, and not on the path.
  return own.name === 'socket-ffi' && other.engine === 'socket-ffi'
    ? undefined
    : 'not measured where streams and round trips share an event loop';
};

export class ControlPings {
  readonly #send: (sequence: number) => void;
  readonly #clock: Clock;
  #idleNs: readonly number[] | undefined;
  #sequence = 0;
  #back: (() => void) | undefined;

  constructor(send: (sequence: number) => void, clock: Clock) {
    this.#send = send;
    this.#clock = clock;
  }

  /** When the other end has answered; answers to anything but the last are ignored. */
  hear(sequence: number): void {
    if (sequence === this.#sequence) this.#back?.();
  }

  /** For what is measured next; idle round trips are made once, before the first. */
  async beside({ reason, roundTripMs, signal }: BesideOptions): Promise<Beside> {
    if (reason !== undefined) return { start: () => undefined, end: () => Promise.resolve(unknown(reason)) };
    const idleMs = Math.max(IDLE_MS_MIN, IDLE_ROUND_TRIPS * roundTripMs);
    this.#idleNs ??= await this.#idle(idleMs, signal);
    const idleNs = this.#idleNs;
    const over = new AbortController();
    let loadedNs: Promise<readonly number[]> = Promise.resolve([]);
    return {
      start: () => {
        loadedNs = this.#series(LOADED_MAX, AbortSignal.any([over.signal, signal]));
      },
      end: async () => {
        over.abort();
        return queueNs(idleNs, await loadedNs);
      },
    };
  }

  async #idle(durationMs: number, signal: AbortSignal): Promise<readonly number[]> {
    const over = new AbortController();
    const ended = AbortSignal.any([over.signal, signal]);
    const limit = pause(this.#clock, durationMs, ended).then(() => over.abort());
    const timesNs = await this.#series(IDLE_MAX, ended);
    over.abort();
    await limit;
    return timesNs;
  }

  /** One after another until the signal, in order, nanoseconds. */
  async #series(countMax: number, signal: AbortSignal): Promise<readonly number[]> {
    const timesNs: number[] = [];
    while (!signal.aborted && timesNs.length < countMax) {
      const timeNs = await this.#once(signal);
      if (timeNs !== undefined) timesNs.push(timeNs);
      await pause(this.#clock, GAP_MS, signal);
    }
    return timesNs;
  }

  async #once(signal: AbortSignal): Promise<number | undefined> {
    const answered = Promise.withResolvers<number | undefined>();
    const give = (): void => answered.resolve(undefined);
    signal.addEventListener('abort', give, { once: true });
    const sentNs = monotonicNs();
    this.#back = () => answered.resolve(Number(monotonicNs() - sentNs));
    this.#sequence += 1;
    this.#send(this.#sequence);
    const timeNs = await answered.promise;
    signal.removeEventListener('abort', give);
    this.#back = undefined;
    return timeNs;
  }
}

/** How much longer the median of the later half of the loaded ones is than that of the idle ones; never below 0. */
export const queueNs = (idleNs: readonly number[], loadedNs: readonly number[]): Reported<number> => {
  if (idleNs.length < IDLE_MIN) return unknown(`${idleNs.length} idle round trips, fewer than ${IDLE_MIN}`);
  if (loadedNs.length < LOADED_MIN)
    return unknown(`${loadedNs.length} round trips under load, fewer than ${LOADED_MIN}`);
  // The queue fills while slow start goes on.
  const later = loadedNs.slice(Math.floor(loadedNs.length / 2));
  return Math.max(0, median(later) - median(idleNs));
};

const median = (values: readonly number[]): number => lowerPercentile(Float64Array.from(values).sort(), 50);

const GAP_MS = 10;
const IDLE_MIN = 3;
const IDLE_MAX = 10;
const IDLE_MS_MIN = 300;
const IDLE_ROUND_TRIPS = 4.5;
const LOADED_MIN = 6;
/** Of one run, which takes ten seconds at most. */
const LOADED_MAX = 1_000;
