// The events of a stage's load, read on the main thread as they arrive: event batches contain when requests were
// issued and when their first content came, lines of samples.jsonl how they ended. Ordinary runs have no tap and pay
// nothing for it.

import { type EndedSample, OUTSIDE_WINDOWS } from '../../core/run/ended-sample.ts';
import type { SampleTurn, SkippedTurn } from '../../core/run/session-outcome.ts';
import { SAMPLE_LINE_BYTES_MAX } from '../../metrics/samples-file.ts';
import { TextLines } from '../../process/text-lines.ts';
import { readEventBatch } from '../../wire/event-batch.ts';
import { decodeSampleLine } from '../../wire/sample-line.ts';
import type { LoadTap } from '../run/bench-parts.ts';

export interface StageFacts {
  /** Both in ns since the stage's start; `index` counts the measured requests from 0. */
  issued(index: number, intendedNs: number): void;
  /** It is a turn of a session; measured ones were issued before. */
  placed?(index: number, turn: SampleTurn): void;
  /** A turn that is never issued. */
  skipped?(turn: SkippedTurn): void;
  firstContent(index: number, atNs: number): void;
  /** Its stamps are relative to the run's zero. */
  ended(index: number, sample: EndedSample, startNs: number): void;
}

export class StageSampler implements LoadTap {
  readonly #facts: StageFacts;
  readonly #warmupRequests: () => number;
  #startNs: number | undefined;
  #nowNs: () => number = () => 0;
  #reportedUntilNs: () => number = () => 0;
  readonly #lines = new TextLines(SAMPLE_LINE_BYTES_MAX);

  /** @param warmupRequests known when the run has begun: their numbers come before the measured ones. */
  constructor(facts: StageFacts, warmupRequests: () => number) {
    this.#facts = facts;
    this.#warmupRequests = warmupRequests;
  }

  started(startNs: number, nowNs: () => number, reportedUntilNs: () => number = nowNs): void {
    this.#startNs = startNs;
    this.#nowNs = nowNs;
    this.#reportedUntilNs = reportedUntilNs;
  }

  /** ns since the stage's start: all facts before it have arrived, but for a few batches. */
  reportedNs(): number {
    return this.#reportedUntilNs() - (this.#startNs ?? 0);
  }

  /** ns since the stage's start; undefined before it. */
  elapsedNs(): number | undefined {
    return this.#startNs === undefined ? undefined : this.#nowNs() - this.#startNs;
  }

  batch(bytes: Uint8Array): void {
    const startNs = this.#startNs;
    if (startNs === undefined) return;
    const first = this.#warmupRequests();
    for (const record of readEventBatch(bytes).records) {
      if (record.kind === 'sample.issued') {
        if (record.sampleId >= first && !record.isWarmup)
          this.#facts.issued(record.sampleId - first, record.intendedNs - startNs);
      } else if (record.kind === 'sample.recv_first' && record.sampleId >= first)
        this.#facts.firstContent(record.sampleId - first, record.atNs - startNs);
      else if (record.kind === 'sample.placed' && record.sampleId >= first) {
        const { session, turn, turns } = record;
        this.#facts.placed?.(record.sampleId - first, { session, turn, turns });
      }
    }
  }

  sampleLines(bytes: Uint8Array): void {
    const startNs = this.#startNs;
    if (startNs === undefined) return;
    for (const line of this.#lines.add(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))) {
      const decoded = decodeSampleLine(line);
      if (decoded.kind === 'skipped' && decoded.turn.window !== OUTSIDE_WINDOWS)
        this.#facts.skipped?.(decoded.turn);
      if (decoded.kind !== 'sample' || decoded.sample.window === OUTSIDE_WINDOWS) continue;
      this.#facts.ended(decoded.sample.sampleId - this.#warmupRequests(), decoded.sample, startNs);
    }
  }
}
