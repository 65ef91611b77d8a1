// Whether the sink of an upload can have received what it claims. Its count cannot exceed what our kernel was given
// nor, in the end, what was acknowledged; and its clock cannot run much slower than ours, which would raise its rate.

import { isKnown } from '../../core/unknown.ts';
import { ProbeError } from './probe-error.ts';
import { CHUNK_BYTES, type Stream } from './stream.ts';
import { acknowledgedOf, bytesOf } from './stream-totals.ts';

interface ClaimedSample {
  readonly elapsedUs: number;
  readonly bytes: number;
}

export class UploadCheck {
  readonly #streams: readonly Stream[];
  #last: ClaimedSample = { elapsedUs: 0, bytes: 0 };
  readonly #clock = new ClockDoubt();

  constructor(streams: readonly Stream[]) {
    this.#streams = streams;
  }

  /** `atMs` on our own clock. @throws ProbeError */
  take(sample: ClaimedSample, atMs: number): void {
    // A call that has not returned yet may have handed over all of its bytes.
    if (sample.bytes > bytesOf(this.#streams) + CHUNK_BYTES * this.#streams.length) throw tooMuch();
    if (sample.bytes < this.#last.bytes || sample.elapsedUs < this.#last.elapsedUs) throw backwards();
    this.#last = sample;
    const isEnough = sample.bytes >= bytesOf(this.#streams); // its time stops once everything has arrived
    if (!isEnough && !this.#clock.believes(sample.elapsedUs / 1_000, atMs)) throw slowClock();
  }

  /** With the final count, when the streams have ended and everything counted is acknowledged. @throws ProbeError */
  end(bytes: number): void {
    if (bytes < this.#last.bytes) throw backwards();
    const acknowledged = acknowledgedOf(this.#streams);
    const handedOver = bytesOf(this.#streams);
    const arrived = isKnown(acknowledged)
      ? acknowledged + LATE_ACKNOWLEDGEMENT_BYTES * this.#streams.length
      : handedOver;
    if (bytes > Math.min(handedOver, arrived)) throw tooMuch();
  }
}

const tooMuch = (): ProbeError =>
  new ProbeError('protocol', 'the other end claims to have received more than was sent');

const backwards = (): ProbeError => new ProbeError('protocol', 'the other end counts backwards');

const slowClock = (): ProbeError =>
  new ProbeError('protocol', 'the clock of the other end runs implausibly slowly');

/** TCP may delay an acknowledgement for 40 ms or two segments, each up to 64 KiB with offloading. */
const LATE_ACKNOWLEDGEMENT_BYTES = 256 * 1_024;

export class ClockDoubt {
  #first: { readonly theirsMs: number; readonly oursMs: number } | undefined;
  #slowSinceMs: number | undefined;

  /**
   * `theirsMs`: the time in its sample; `oursMs`: when it arrived. @returns false once the claim is
   * impossible
   */
  believes(theirsMs: number, oursMs: number): boolean {
    this.#first ??= { theirsMs, oursMs };
    const theirs = theirsMs - this.#first.theirsMs;
    const ours = oursMs - this.#first.oursMs;
    if (theirs >= ours * SHARE_MIN - SLACK_MS) {
      this.#slowSinceMs = undefined;
      return true;
    }
    this.#slowSinceMs ??= oursMs;
    return oursMs - this.#slowSinceMs < SLOW_MS_MIN;
  }
}

const SHARE_MIN = 0.8;
/** A sample may wait this long on a busy machine. */
const SLACK_MS = 150;
/** For this long no sample may have been on time. */
const SLOW_MS_MIN = 250;
