// Round trips on the control connection during any load of the data connections: what a queue adds under
// load. Both the idle and the loaded ones go through the same two event loops, so that their difference comes
// from the path and not from the ends.

import { type Clock, pause, unlessAborted, untilAborted } from '../../clock/clock.ts';
import { counted } from '../../core/figure/figure.ts';
import { lowerPercentile } from '../../core/statistics/percentile.ts';
import { type Reported, unknown } from '../../core/unknown.ts';

interface BackgroundPingOptions {
  /** Why none are made; undefined if they are. */
  readonly reason: string | undefined;
  readonly roundTripMs: number;
  readonly signal: AbortSignal;
}

interface BackgroundPings {
  start(): void;
  /**
   * Called when the load ends; what is in transit then still counts. A repeated call returns the same figure.
   */
  end(): Promise<Reported<number>>;
  /** Stops waiting; nothing happens after `end`. */
  cancel(): void;
}

/** Why there are none between these ends; undefined if there are. */
export const reasonAgainstPings = (
  own: { readonly name: string },
  other: { readonly engine: string },
): string | undefined =>
  // The streams would delay the round trips at the ends, and not on the path.
  own.name === 'socket-ffi' && other.engine === 'socket-ffi'
    ? undefined
    : 'not measured if streams and round trips share an event loop';

export class ControlPings {
  readonly #send: (sequence: number) => void;
  readonly #clock: Clock;
  #idleNs: readonly number[] | undefined;
  #sequence = 0;
  readonly #requested = new Map<number, () => void>();

  constructor(send: (sequence: number) => void, clock: Clock) {
    this.#send = send;
    this.#clock = clock;
  }

  /** Called when the other end has replied; replies without a request are ignored. */
  receive(sequence: number): void {
    this.#requested.get(sequence)?.();
    this.#requested.delete(sequence);
  }

  /** For what is measured next; idle round trips are made once, before the first. */
  async duringLoad({ reason, roundTripMs, signal }: BackgroundPingOptions): Promise<BackgroundPings> {
    if (reason !== undefined)
      return { start: () => undefined, end: () => Promise.resolve(unknown(reason)), cancel: () => undefined };
    this.#idleNs ??= await this.#idle(Math.max(IDLE_MS_MIN, IDLE_ROUND_TRIPS * roundTripMs), signal);
    const idleNs = this.#idleNs;
    const [over, given] = [new AbortController(), new AbortController()];
    let loadedNs: Promise<readonly number[]> = Promise.resolve([]);
    return {
      start: () => {
        loadedNs = this.#loaded(over.signal, AbortSignal.any([given.signal, signal]));
      },
      end: async () => {
        over.abort();
        return queueNs(idleNs, await loadedNs);
      },
      cancel: () => {
        over.abort();
        given.abort();
      },
    };
  }

  /** One after another, in order, nanoseconds. */
  async #idle(durationMs: number, signal: AbortSignal): Promise<readonly number[]> {
    const over = new AbortController();
    const ended = AbortSignal.any([over.signal, signal]);
    const limit = pause(this.#clock, durationMs, ended).then(() => over.abort());
    const timesNs: number[] = [];
    while (!ended.aborted && timesNs.length < IDLE_MAX) {
      const timeNs = await unlessAborted(this.#request(), ended);
      if (timeNs !== undefined) timesNs.push(timeNs);
      await pause(this.#clock, GAP_MS, ended);
    }
    over.abort();
    await limit;
    return timesNs;
  }

  /**
   * In order, nanoseconds. The next goes out after an answer, or without one after a while: in a queue of a second that grows, those
   * made one after another would be three, all of its beginning.
   */
  async #loaded(over: AbortSignal, given: AbortSignal): Promise<readonly number[]> {
    const ended = AbortSignal.any([over, given]);
    const times: { readonly sentMs: number; timeNs: number | undefined }[] = [];
    const answers: Promise<void>[] = [];
    while (!ended.aborted && times.length < LOADED_MAX) {
      const time: (typeof times)[number] = { sentMs: this.#clock.nowMs(), timeNs: undefined };
      times.push(time);
      const answer = this.#request().then(timeNs => {
        time.timeNs = timeNs;
      });
      answers.push(answer);
      await this.#within(ANSWER_MS, answer, ended);
      await pause(this.#clock, GAP_MS, ended);
    }
    await untilAborted(ended);
    await this.#within(DRAIN_MS, Promise.all(answers), given);
    this.#requested.clear();
    const answered = times.flatMap(({ timeNs }) => timeNs ?? []);
    // A few lost ones are no evidence that any of the others was.
    if (given.aborted || answered.length < LOADED_MIN) return answered;
    const nowMs = this.#clock.nowMs();
    return times.map(({ sentMs, timeNs }) => timeNs ?? nanoseconds(nowMs - sentMs));
  }

  /** Until it is done, the time is up, or the signal aborts. */
  async #within(durationMs: number, work: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const done = new AbortController();
    const time = pause(this.#clock, durationMs, AbortSignal.any([done.signal, signal]));
    await Promise.race([work, time]);
    done.abort();
    await time;
  }

  /** Resolves with the time of its reply, nanoseconds; without one it never resolves. */
  #request(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    const sentMs = this.#clock.nowMs();
    this.#sequence += 1;
    this.#requested.set(this.#sequence, () => resolve(nanoseconds(this.#clock.nowMs() - sentMs)));
    this.#send(this.#sequence);
    return promise;
  }
}

/** How much longer the median of the later half of the loaded ones is than that of the idle ones; never below 0. */
export const queueNs = (idleNs: readonly number[], loadedNs: readonly number[]): Reported<number> => {
  if (idleNs.length < IDLE_MIN) return unknown(`${idleNs.length} idle round trips, fewer than ${IDLE_MIN}`);
  if (loadedNs.length < LOADED_MIN)
    return unknown(`${counted(loadedNs.length, 'round trip')} under load, fewer than ${LOADED_MIN}`);
  // The queue fills during slow start.
  const later = loadedNs.slice(Math.floor(loadedNs.length / 2));
  return Math.max(0, median(later) - median(idleNs));
};

const nanoseconds = (durationMs: number): number => Math.round(durationMs * 1e6);

const median = (values: readonly number[]): number => lowerPercentile(Float64Array.from(values).sort(), 50);

const GAP_MS = 10;
/** No more of them than 17 a second where none is answered: they share a slow link with what is measured. */
const ANSWER_MS = 50;
/** What is still queued when the load ends arrives within this time, or has waited as long. */
const DRAIN_MS = 3_000;
const IDLE_MIN = 3;
const IDLE_MAX = 10;
const IDLE_MS_MIN = 300;
const IDLE_ROUND_TRIPS = 4.5;
const LOADED_MIN = 6;
/** For one run, which takes ten seconds at most. */
const LOADED_MAX = 1_000;
