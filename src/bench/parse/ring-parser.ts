// Reads the ring of one load thread and passes each record to its sample.

import { SKIP_REASONS } from '../../core/run/session-outcome.ts';
import { CONTENT_KINDS, END_KINDS, HEAD_MARK, RECORD } from '../arena/load-record.ts';
import { type RingMemory, RingReader } from '../arena/ring.ts';
import type { ServerApi } from '../target/api/server-api.ts';
import { GapEdges } from './gap-edges.ts';
import type { RecordOutput } from './record-output.ts';
import { SampleTracker } from './sample-tracker.ts';
import type { TokensPerRequest } from './tokens-per-request.ts';
import { type TurnNotifier, windowOf } from './turn-notifier.ts';

interface RingParserOptions {
  readonly thread: number;
  readonly memory: RingMemory;
  readonly output: RecordOutput;
  readonly api: ServerApi;
  readonly isStreaming: boolean;
  readonly requested: TokensPerRequest;
  /** For a run of sessions. */
  readonly turns?: TurnNotifier | undefined;
  warmedUp(thread: number): void;
  issuingEnded(thread: number, atNs: number): void;
  ended(thread: number, atNs: number): void;
}

export class RingParser {
  readonly thread: number;
  readonly #options: RingParserOptions;
  readonly #ring: RingReader;
  readonly #trackers: Map<number, SampleTracker> = new Map();
  readonly #gaps = new GapEdges();
  #observedCount = 0;
  #hasEnded = false;

  constructor(options: RingParserOptions) {
    this.thread = options.thread;
    this.#options = options;
    this.#ring = new RingReader(options.memory);
  }

  /** @returns whether the ring may hold more. */
  parse(recordsMax: number): boolean {
    for (let count = 0; count < recordsMax; count += 1) {
      if (!this.#ring.next()) {
        this.#ring.release();
        return false;
      }
      this.#record();
      // A flood fills the ring faster than any of our timers fires.
      if ((count & RELEASE_MASK) === RELEASE_MASK) this.#ring.release();
    }
    this.#ring.release();
    return true;
  }

  /** The thread writes no more: its requests in flight fail. Its records must be parsed before. */
  lost(reason: string, atNs: number): void {
    if (this.#hasEnded) return;
    for (const tracker of this.#trackers.values()) {
      if (!tracker.isActive) continue;
      tracker.ended(atNs, undefined, {
        kind: 'client',
        detail: reason,
        bytesSent: 0,
        bytesReceived: 0,
        firstByteNs: -1,
      });
    }
    this.#hasEnded = true;
    this.#reportGaps(atNs);
    this.#options.ended(this.thread, atNs);
  }

  #record(): void {
    const ring = this.#ring;
    switch (ring.type) {
      case RECORD.body:
        this.#issued()?.body(ring.bytes, ring.payloadStart, ring.payloadEnd, ring.stampNs, ring);
        return;
      case RECORD.issued:
        this.#tracker().issued(
          ring.sampleId,
          ring.stampNs,
          this.#figure(0),
          this.#figure(1),
          this.#figure(2),
          this.#figure(3) === 1,
          this.#figure(4),
          this.#figure(5),
        );
        return;
      case RECORD.head:
        this.#head();
        return;
      case RECORD.end:
        this.#end();
        return;
      case RECORD.observed:
        this.#observed();
        return;
      case RECORD.beats:
        this.#options.output.observed({ kind: 'client.beats', ...this.#latenesses(), isLoad: true });
        return;
      case RECORD.marks:
        this.#marks();
        return;
      case RECORD.skipped:
        this.#skipped();
        return;
      case RECORD.warmedUp:
        this.#options.warmedUp(this.thread);
        return;
      case RECORD.issuingEnded:
        this.#options.issuingEnded(this.thread, ring.stampNs);
        return;
      case RECORD.ended:
        this.#hasEnded = true;
        this.#reportGaps(ring.stampNs);
        this.#options.ended(this.thread, ring.stampNs);
    }
  }

  #tracker(): SampleTracker {
    const { slot } = this.#ring;
    const known = this.#trackers.get(slot);
    if (known !== undefined) return known;
    const tracker = new SampleTracker(this.#options, this.#gaps);
    this.#trackers.set(slot, tracker);
    return tracker;
  }

  /** undefined for a sample whose issue record did not fit into the ring, which is counted where it was dropped. */
  #issued(): SampleTracker | undefined {
    const { slot, sampleId } = this.#ring;
    const tracker = this.#trackers.get(slot);
    return tracker?.isActive === true && tracker.sampleId === sampleId ? tracker : undefined;
  }

  #head(): void {
    const text = this.#text(4);
    const marks = this.#figure(3);
    const isEncoded = (marks & HEAD_MARK.isEncoded) !== 0;
    this.#issued()?.head(this.#figure(0), this.#ring, {
      status: this.#figure(1),
      contentKind: CONTENT_KINDS[this.#figure(2)] ?? 'other',
      encoding: isEncoded ? text : '',
      location: isEncoded ? '' : text,
      hasRetryAfter: (marks & HEAD_MARK.hasRetryAfter) !== 0,
    });
  }

  #end(): void {
    this.#issued()?.ended(this.#ring.stampNs, this.#ring, {
      kind: END_KINDS[this.#figure(0)] ?? 'client',
      bytesSent: this.#figure(1),
      bytesReceived: this.#figure(2),
      firstByteNs: this.#figure(3),
      detail: this.#text(5),
    });
  }

  #skipped(): void {
    const { sampleId, stampNs } = this.#ring;
    const position = this.#options.turns?.turnOf(sampleId);
    const reason = SKIP_REASONS[this.#figure(0)];
    if (position === undefined || reason === undefined) return;
    const window = windowOf(this.#figure(1) === 1);
    this.#options.output.skipped({ sampleId, ...position, window, reason }, stampNs);
  }

  #observed(): void {
    this.#observedCount += 1;
    if (this.#observedCount % GAPS_REPORTED_EVERY === 0) this.#reportGaps(this.#ring.stampNs);
    this.#options.output.observed({
      kind: 'client.observed',
      atNs: this.#ring.stampNs,
      thread: this.#figure(0),
      eventLoopUtilization: this.#figure(1),
      cpuShare: this.#figure(2),
      eventLoopDelayNsMax: this.#figure(3),
      readLatenessNsMax: this.#figure(4),
      gcPauseNsTotal: this.#figure(5),
      gcPauseNsMax: this.#figure(6),
      connectionsOpened: this.#figure(7),
      connectionsReused: this.#figure(8),
      connectionsClosed: this.#figure(9),
      connectionsStale: this.#figure(10),
      arrivalsWaiting: this.#figure(11),
      backoffNs: this.#figure(12),
      connectionsAhead: this.#figure(13),
    });
  }

  /** For each mark, its lateness, then the delay caused by the system. */
  #marks(): void {
    const { latenessNs: figures, ...of } = this.#latenesses();
    this.#options.output.observed({
      kind: 'client.marks',
      ...of,
      latenessNs: figures.filter((_, at) => at % 2 === 0).map(ns => Math.max(0, ns)),
      blockedNs: figures.filter((_, at) => at % 2 === 1).map(ns => Math.max(0, ns)),
    });
  }

  /** At the end all of them, so that each completed sample with a figure also has its limits. */
  #reportGaps(atNs: number): void {
    for (const record of this.#gaps.take({ atNs, thread: this.thread }))
      this.#options.output.observed(record);
  }

  #latenesses(): { readonly atNs: number; readonly thread: number; readonly latenessNs: number[] } {
    const { payloadStart, payloadEnd, stampNs } = this.#ring;
    const count = (payloadEnd - payloadStart) / 8;
    return {
      atNs: stampNs,
      thread: this.thread,
      latenessNs: Array.from({ length: count }, (_, index) => this.#figure(index)),
    };
  }

  #figure(index: number): number {
    return this.#ring.f64[this.#ring.payloadStart / 8 + index] ?? 0;
  }

  /** The text after that many figures. */
  #text(figures: number): string {
    const { bytes, payloadStart, payloadEnd } = this.#ring;
    const start = payloadStart + figures * 8;
    return start >= payloadEnd ? '' : bytes.toString('utf8', start, payloadEnd);
  }
}

const RELEASE_MASK = 63;
/** Once a second: a thread is observed five times in it. */
const GAPS_REPORTED_EVERY = 5;
