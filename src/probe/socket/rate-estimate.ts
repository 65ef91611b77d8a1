// When a bandwidth measurement has seen enough, and its result: bytes over time at the receiver, from its
// first byte on. Durations were checked against long runs on shaped links: on a fast link slow start must be
// excluded, and a slow one needs seconds, because an initial overshoot loses packets and then the reader
// receives nothing for a while.

import { type Reported, type Unknown, unknown } from '../../core/unknown.ts';

export interface RateSample {
  /** Since the receiver's first byte. */
  readonly elapsedMs: number;
  /** Received by then, over all streams. */
  readonly bytes: number;
}

interface RateEstimateOptions {
  /** Median of the connection when idle. */
  readonly roundTripMs: number;
  /** A measurement that is not stable by then ends. */
  readonly durationMsMax: number;
  /** A load: it goes on although its figure is stable. */
  readonly isWhole?: boolean | undefined;
}

export class RateEstimate {
  readonly #options: RateEstimateOptions;
  readonly #samples: RateSample[] = [{ elapsedMs: 0, bytes: 0 }];
  readonly #estimates: { readonly elapsedMs: number; readonly bitsPerSecond: number }[] = [];

  constructor(options: RateEstimateOptions) {
    this.#options = options;
  }

  /** Samples come in order, about every SAMPLE_INTERVAL_MS. */
  add(sample: RateSample): void {
    if (sample.elapsedMs <= this.#last.elapsedMs) return;
    this.#samples.push(sample);
    const bitsPerSecond = this.bitsPerSecond;
    if (bitsPerSecond !== undefined) this.#estimates.push({ elapsedMs: sample.elapsedMs, bitsPerSecond });
  }

  /** undefined until there is enough data. */
  get bitsPerSecond(): number | undefined {
    const last = this.#last;
    const whole = rateBetween(FIRST_BYTE, last);
    if (whole === undefined) return undefined;
    const skipMs = this.#skipMs(whole);
    // A run that ended soon after slow start is still useful, but its last moments alone would give nonsense.
    const start = this.#at(skipMs);
    return skipMs * 2 > last.elapsedMs ? whole : (rateBetween(start, last) ?? whole);
  }

  get elapsedMs(): number {
    return this.#last.elapsedMs;
  }

  get bytes(): number {
    return this.#last.bytes;
  }

  get isDone(): boolean {
    const { elapsedMs } = this.#last;
    const { durationMsMax, isWhole = false } = this.#options;
    if (elapsedMs >= durationMsMax) return true;
    if (isWhole) return false;
    const now = this.bitsPerSecond;
    if (now === undefined || elapsedMs < this.#leastMs(now)) return false;
    if (now > FAST_BITS_PER_SECOND && elapsedMs >= FAST_MS_MAX) return true;
    const atHalf = this.#estimates.find(estimate => estimate.elapsedMs >= elapsedMs / 2);
    return atHalf !== undefined && Math.abs(now - atHalf.bitsPerSecond) < SETTLED_SHARE * now;
  }

  get #last(): RateSample {
    return this.#samples.at(-1) ?? FIRST_BYTE;
  }

  #skipMs(bitsPerSecond: number): number {
    const { roundTripMs, durationMsMax } = this.#options;
    // Slow start overshoots, and for many round trips after it the reader receives nothing, then all at once:
    // the first half is discarded.
    if (this.#isLong)
      return Math.min(Math.max(SKIP_ROUND_TRIPS * roundTripMs, this.elapsedMs / 2), durationMsMax / 2);
    if (bitsPerSecond <= SKIP_ABOVE_BITS_PER_SECOND) return 0;
    return Math.min(Math.max(SKIP_MS, SKIP_ROUND_TRIPS * roundTripMs), durationMsMax / 2);
  }

  get #isLong(): boolean {
    return this.#options.roundTripMs >= LONG_ROUND_TRIP_MS;
  }

  #leastMs(bitsPerSecond: number): number {
    const longMs = this.#isLong ? runMsLeast(this.#options.roundTripMs) : 0;
    if (bitsPerSecond < SLOW_BITS_PER_SECOND) return Math.max(SLOW_MS_MIN, longMs);
    if (this.#isLong) return Math.max(MODEST_MS_MIN, longMs);
    if (bitsPerSecond < MODEST_BITS_PER_SECOND)
      return Math.max(MODEST_MS_MIN, 2 * this.#skipMs(bitsPerSecond));
    return Math.max(RUN_MS_MIN, 2 * this.#skipMs(bitsPerSecond));
  }

  /** The first sample at or after a time. */
  #at(elapsedMs: number): RateSample {
    return this.#samples.find(sample => sample.elapsedMs >= elapsedMs) ?? FIRST_BYTE;
  }
}

/** A shorter run is not enough for a connection with this round trip. */
export const runMsLeast = (roundTripMs: number): number =>
  Math.max(RUN_MS_LEAST, LONG_RUN_ROUND_TRIPS * roundTripMs);

export const SAMPLE_INTERVAL_MS: number = 50;

const rateBetween = (from: RateSample, to: RateSample): number | undefined =>
  to.elapsedMs > from.elapsedMs
    ? ((to.bytes - from.bytes) * 8_000) / (to.elapsedMs - from.elapsedMs)
    : undefined;

const FIRST_BYTE: RateSample = { elapsedMs: 0, bytes: 0 };
const SKIP_ABOVE_BITS_PER_SECOND = 50e6;
const SKIP_MS = 100;
/** TCP's window doubles each round trip: ten of them open it a thousandfold. */
const SKIP_ROUND_TRIPS = 10;
/** From here on slow start and what follows from it take a large part of a run. */
const LONG_ROUND_TRIP_MS = 10;
const LONG_RUN_ROUND_TRIPS = 30;
const RUN_MS_LEAST = 500;
const SLOW_BITS_PER_SECOND = 20e6;
const SLOW_MS_MIN = 2_000;
/** A burst from a queue weighs less over a second, which costs little there. */
const MODEST_BITS_PER_SECOND = 100e6;
const MODEST_MS_MIN = 1_000;
const RUN_MS_MIN = 400;
const SETTLED_SHARE = 0.02;
/** At these rates variation comes from the machines, and each extra second costs over a hundred megabytes. */
const FAST_BITS_PER_SECOND = 1.5e9;
const FAST_MS_MAX = 1_500;

// One measurement of one direction: its limits and its result.
export type ProbeDirection = 'upload' | 'download';

export interface RunOptions {
  readonly streams: number;
  /** Limit for all streams together. */
  readonly bytesMax: number;
  readonly durationMsMax: number;
  readonly roundTripMs: number;
  readonly measuresQueue: boolean;
  readonly isWhole?: boolean;
}

/** Why a figure is missing that costs much and changes little. */
export const HOURLY: Unknown = unknown('measured once an hour');

export interface DirectionRun {
  /** undefined if not one byte arrived in time. */
  readonly bitsPerSecond: number | undefined;
  readonly elapsedMs: number;
  readonly bytes: number;
  readonly retransmits: Reported<number>;
  readonly streams: number;
  /** How much longer a round trip takes during it than without it. */
  readonly queueNs: Reported<number>;
}

export const runFiguresOf = (
  estimate: RateEstimate,
): Pick<DirectionRun, 'bitsPerSecond' | 'elapsedMs' | 'bytes'> => ({
  bitsPerSecond: estimate.bitsPerSecond,
  elapsedMs: estimate.elapsedMs,
  bytes: estimate.bytes,
});

/** How much longer the sink may run than the source requested. */
export const RUN_SLACK_MS = 3_000;
