// When the server was away: it refused connections, or a proxy returned 502, 503 or 504, or it accepted
// requests and sent no byte, while no request in flight was answered. Found from requests in any order, in
// limited memory.

import * as v from 'valibot';
import { minimumOf } from '../extremes.ts';
import { count, figure, type Infer, openObject } from '../schema.ts';
import { type EndedSample, isOverload } from './ended-sample.ts';

export const outageSchema = openObject({
  /** When the first request failed because of it, since the run's zero. */
  fromNs: figure,
  /**
   * When the first request was sent that was answered again; if it was not over, when the last one failed.
   */
  toNs: figure,
  /** A request was answered afterwards. */
  isOver: v.boolean(),
  /** Requests that failed because of it, measured or not. */
  failed: count,
  /**
   * It accepted requests and did not answer them: from when the first of them was sent. Missing if it was
   * down.
   */
  isSilent: v.exactOptional(v.literal(true)),
});

export type Outage = Infer<typeof outageSchema>;

type Ended = Pick<EndedSample, 'sentNs' | 'endNs' | 'outcome' | 'failure' | 'bytesSent' | 'bytesReceived'>;

/** Time in steps, each with the first and last failure and the first and last moment of an answer in it. */
export class OutageTally {
  #stepNs: number = STEP_NS;
  #steps: Step[] = [];
  #hasAnswer = false;
  #hasFailure = false;
  #lastTimeoutNs = 0;

  ended(sample: Ended): void {
    const sign = signOf(sample);
    switch (sign) {
      case 'answered':
        this.#answered(sample);
        return;
      case 'away':
        this.#failed(sample.endNs, { failed: 1, certain: 1 });
        // A connection that is not accepted shows that the server was away for as long as it was attempted.
        if (sample.bytesSent === 0) this.#failed(sample.sentNs, { failed: 0, certain: 0 });
        return;
      case 'lost':
        this.#failed(sample.endNs, { failed: 1, certain: 0 });
        return;
      case 'not-answered':
        this.#failed(sample.endNs, { failed: 1, certain: 0 });
        this.#notAnswered(sample);
        return;
      case 'no-sign':
        return;
      default:
        sign satisfies never;
    }
  }

  /** Outages that are over and the one that is not, in order of time. Empty if nothing was ever answered. */
  outages(): readonly Outage[] {
    if (!this.#hasAnswer || !this.#hasFailure) return [];
    const found: (Candidate & Outage)[] = [];
    let open: Candidate | undefined;
    for (const { isAnswered, failedFromNs, failedToNs, answeredFromNs, answeredToNs, ...counts } of this
      .#steps) {
      if (isAnswered) continue;
      const hasAnswer = answeredFromNs <= answeredToNs;
      // In a step with both, failures before the first answer belong to the outage that the answer ends.
      if (failedFromNs < answeredFromNs)
        open = extended(open, { ...counts, failedFromNs, failedToNs: Math.min(failedToNs, answeredFromNs) });
      if (hasAnswer) {
        if (open !== undefined) found.push(closed(open, answeredFromNs));
        open = undefined;
      }
      if (hasAnswer && failedToNs >= answeredToNs)
        open = extended(open, { ...counts, failedFromNs: Math.max(failedFromNs, answeredToNs), failedToNs });
    }
    if (open !== undefined) found.push(closed(open, undefined));
    const down = found
      .filter(isOutage)
      .map(({ fromNs, toNs, isOver, failed }): Outage => ({ fromNs, toNs, isOver, failed }));
    const silent = this.#silences().filter(
      ({ fromNs, toNs }) => !down.some(other => other.fromNs <= toNs && fromNs <= other.toNs),
    );
    return [...down, ...silent]
      .toSorted((a, b) => lengthOf(b) - lengthOf(a))
      .slice(0, OUTAGES_MAX)
      .toSorted((a, b) => a.fromNs - b.fromNs);
  }

  /**
   * Gaps between answers before which requests were sent that were never answered, although no later request
   * was. One that hangs while others are answered is not a sign.
   */
  #silences(): readonly Outage[] {
    const found: Outage[] = [];
    let open: Unanswered[] = [];
    let [answeredToNs, answeredSentNs] = [0, Number.NEGATIVE_INFINITY];
    const add = (toNs: number, isOver: boolean): void => {
      const sent = open.filter(({ fromNs }) => fromNs <= toNs);
      const fromNs = Math.max(answeredToNs, minimumOf(sent.map(each => each.fromNs)));
      const failed = sent.reduce((sum, { count }) => sum + count, 0);
      if (failed >= SILENT_MIN && toNs - fromNs >= LENGTH_NS_MIN)
        found.push({ fromNs, toNs, isOver, failed, isSilent: true });
    };
    for (const step of this.#steps) {
      if (step.unanswered.count > 0) open.push(step.unanswered);
      if (step.answeredFromNs > step.answeredToNs) continue;
      add(step.answeredFromNs, true);
      answeredToNs = step.answeredToNs;
      answeredSentNs = Math.max(answeredSentNs, step.answeredSentNs);
      open = open.filter(({ toNs }) => toNs > answeredSentNs);
    }
    add(this.#lastTimeoutNs, false);
    return found;
  }

  #notAnswered({ sentNs, endNs }: Ended): void {
    this.#lastTimeoutNs = Math.max(this.#lastTimeoutNs, endNs);
    const step = this.#at(this.#indexOf(sentNs));
    step.unanswered = addedUnanswered(step.unanswered, { count: 1, fromNs: sentNs, toNs: sentNs });
  }

  /** From sending to its end a server was there: one that exits takes its connections with it. */
  #answered({ sentNs, endNs }: Ended): void {
    this.#hasAnswer = true;
    // The later one first: accessing it may merge steps.
    const last = this.#indexOf(endNs);
    const first = this.#indexOf(Math.min(sentNs, endNs));
    const sent = this.#at(first);
    sent.answeredSentNs = Math.max(sent.answeredSentNs, sentNs);
    for (let index = first; index <= last; index += 1) {
      const step = this.#at(index);
      const fromNs = Math.max(sentNs, index * this.#stepNs);
      const toNs = Math.min(endNs, (index + 1) * this.#stepNs);
      step.answeredFromNs = Math.min(step.answeredFromNs, fromNs);
      step.answeredToNs = Math.max(step.answeredToNs, toNs);
      if (index > first && index < last) step.isAnswered = true;
    }
  }

  #failed(atNs: number, { failed, certain }: Pick<Step, 'failed' | 'certain'>): void {
    this.#hasFailure = true;
    const step = this.#at(this.#indexOf(atNs));
    step.failedFromNs = Math.min(step.failedFromNs, atNs);
    step.failedToNs = Math.max(step.failedToNs, atNs);
    step.failed += failed;
    step.certain += certain;
  }

  #indexOf(atNs: number): number {
    while (atNs / this.#stepNs >= STEPS_MAX) this.#join();
    return Math.max(0, Math.floor(atNs / this.#stepNs));
  }

  #at(index: number): Step {
    while (this.#steps.length <= index) this.#steps.push(emptyStep());
    return this.#steps[index] ?? emptyStep();
  }

  #join(): void {
    this.#stepNs *= 2;
    this.#steps = Array.from({ length: Math.ceil(this.#steps.length / 2) }, (_, index) =>
      joined(this.#steps[2 * index] ?? emptyStep(), this.#steps[2 * index + 1] ?? emptyStep()),
    );
  }
}

/**
 * What one request shows of whether the server is there. A connection lost in the middle is not enough by
 * itself: a server may close one connection and be there for all others.
 */
const signOf = ({
  outcome,
  failure,
  bytesSent,
  bytesReceived,
}: Ended): 'answered' | 'away' | 'lost' | 'not-answered' | 'no-sign' => {
  if (outcome === 'completed') return 'answered';
  if (failure === undefined) return 'no-sign';
  switch (failure.kind) {
    case 'connect':
    case 'tls':
      return 'away';
    case 'timeout':
      if (bytesSent === 0) return 'away';
      return bytesReceived === 0 ? 'not-answered' : 'lost';
    case 'reset':
    case 'truncated':
      return 'lost';
    case 'http-status':
      return AWAY_STATUSES.has(failure.statusCode) && !isOverload(failure) ? 'away' : 'answered';
    case 'error-frame':
    case 'malformed':
    case 'empty':
    case 'aborted':
      return 'answered';
    case 'client':
      return 'no-sign';
    default:
      return failure.kind satisfies never;
  }
};

interface Step {
  /** Throughout the step some request was in flight that was answered. */
  isAnswered: boolean;
  answeredFromNs: number;
  answeredToNs: number;
  failedFromNs: number;
  failedToNs: number;
  failed: number;
  /** Requests that no server can have received. */
  certain: number;
  /** Send time of the last request that was sent in it and answered. */
  answeredSentNs: number;
  /** Requests that were sent in it and not answered. */
  unanswered: Unanswered;
}

/** Requests that the server accepted without sending a byte. */
interface Unanswered {
  readonly count: number;
  /** When the first and the last of them were sent. */
  readonly fromNs: number;
  readonly toNs: number;
}

const addedUnanswered = (a: Unanswered, b: Unanswered): Unanswered => ({
  count: a.count + b.count,
  fromNs: Math.min(a.fromNs, b.fromNs),
  toNs: Math.max(a.toNs, b.toNs),
});

const emptyStep = (): Step => ({
  isAnswered: false,
  answeredFromNs: Number.POSITIVE_INFINITY,
  answeredToNs: Number.NEGATIVE_INFINITY,
  failedFromNs: Number.POSITIVE_INFINITY,
  failedToNs: Number.NEGATIVE_INFINITY,
  failed: 0,
  certain: 0,
  answeredSentNs: Number.NEGATIVE_INFINITY,
  unanswered: { count: 0, fromNs: Number.POSITIVE_INFINITY, toNs: Number.NEGATIVE_INFINITY },
});

const joined = (a: Step, b: Step): Step => ({
  isAnswered: a.isAnswered && b.isAnswered,
  answeredFromNs: Math.min(a.answeredFromNs, b.answeredFromNs),
  answeredToNs: Math.max(a.answeredToNs, b.answeredToNs),
  failedFromNs: Math.min(a.failedFromNs, b.failedFromNs),
  failedToNs: Math.max(a.failedToNs, b.failedToNs),
  failed: a.failed + b.failed,
  certain: a.certain + b.certain,
  answeredSentNs: Math.max(a.answeredSentNs, b.answeredSentNs),
  unanswered: addedUnanswered(a.unanswered, b.unanswered),
});

interface Candidate {
  readonly fromNs: number;
  readonly lastNs: number;
  readonly failed: number;
  readonly certain: number;
}

const extended = (
  open: Candidate | undefined,
  {
    failedFromNs,
    failedToNs,
    failed,
    certain,
  }: Pick<Step, 'failedFromNs' | 'failedToNs' | 'failed' | 'certain'>,
): Candidate => ({
  fromNs: open?.fromNs ?? failedFromNs,
  lastNs: Math.max(open?.lastNs ?? failedToNs, failedToNs),
  failed: (open?.failed ?? 0) + failed,
  certain: (open?.certain ?? 0) + certain,
});

const closed = (open: Candidate, answeredNs: number | undefined): Candidate & Outage => ({
  ...open,
  toNs: Math.max(open.lastNs, answeredNs ?? open.lastNs),
  isOver: answeredNs !== undefined,
});

const isOutage = ({ fromNs, lastNs, certain }: Candidate): boolean =>
  certain >= CERTAIN_MIN && lastNs - fromNs >= LENGTH_NS_MIN;

const lengthOf = ({ fromNs, toNs }: Outage): number => toNs - fromNs;

/** Returned by a proxy whose server does not answer (RFC 9110 §15.6), and by a server that is starting. */
const AWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
const CERTAIN_MIN = 2;
/** One or two may be long requests that reach their timeout. */
const SILENT_MIN = 3;
/** Between the first and the last failure: a connection that is lost and opened again is not an outage. */
const LENGTH_NS_MIN = 500_000_000;
const STEP_NS = 100_000_000;
/** Seven minutes in steps of 100 ms; a longer run has longer steps, up to 21 s in a day. */
const STEPS_MAX = 4_096;
/** The longest are reported. */
export const OUTAGES_MAX = 20;
