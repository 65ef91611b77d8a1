// From event records to counted samples. A row lives from `sample.issued` to `sample.complete`; records in between
// are collected in it and counted once, when the outcome is known. Records that do not fit are counted, never thrown.

import { pushAll } from '../core/push-all.ts';
import { OUTSIDE_WINDOWS } from '../core/run/ended-sample.ts';
import { type ErrorRecord, type EventRecord, NO_FIGURE } from '../core/run/event-record.ts';
import { type FailureKind, isFailureKind } from '../core/run/outcome.ts';
import { InFlightTasks } from './in-flight-tasks.ts';
import type { RunMetrics } from './run-metrics.ts';
import {
  endedSample,
  isContradictory,
  isTurnPosition,
  isWholeFigure,
  type SampleRecordOf,
  SampleRow,
} from './sample-row.ts';
import { SeenIds } from './seen-ids.ts';

interface MetricsTableOptions {
  /** Limit of rows at a time. */
  readonly rowsMax?: number;
}

export class MetricsTable {
  readonly #metrics: RunMetrics;
  readonly #rowsMax: number;
  readonly #rows = new Map<number, SampleRow>();
  readonly #seen = new SeenIds();
  readonly #tasks: InFlightTasks;
  #window = OUTSIDE_WINDOWS;
  #trackedFromNs: number | undefined;
  #windowCount = 0;
  #hasStarted = false;
  #hasSamples = false;
  #hasEnded = false;

  constructor(metrics: RunMetrics, { rowsMax = ROWS_MAX }: MetricsTableOptions = {}) {
    this.#metrics = metrics;
    this.#rowsMax = rowsMax;
    this.#tasks = new InFlightTasks(() => metrics.counters.tasksFailed.add());
  }

  /** The record of the start may be lost; samples are evidence of it, too. */
  get hasStarted(): boolean {
    return this.#hasStarted || this.#hasSamples;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** When the first measured phase began, since the run's zero. */
  get trackedFromNs(): number | undefined {
    return this.#trackedFromNs;
  }

  get inFlightSamples(): number {
    return this.#rows.size;
  }

  get inFlightTasks(): number {
    return this.#tasks.count;
  }

  startTask(task: (signal: AbortSignal) => Promise<void>): void {
    this.#tasks.start(task);
  }

  whenTasksEnd(): Promise<void> {
    return this.#tasks.whenIdle();
  }

  cancelAllTasks(): void {
    this.#tasks.cancelAll();
  }

  apply(record: EventRecord): void {
    const { counters } = this.#metrics;
    if (this.#hasEnded) {
      counters.recordsAfterEnd.add();
      return;
    }
    if (!hasWholeStamp(record)) {
      counters.recordsRefused.add();
      return;
    }
    switch (record.kind) {
      case 'session.started':
        if (this.#hasStarted) counters.recordsDuplicate.add();
        this.#hasStarted = true;
        return;
      case 'session.start_performance_tracking':
        if (this.#window !== OUTSIDE_WINDOWS) counters.recordsDuplicate.add();
        else this.#window = this.#windowCount++;
        this.#trackedFromNs ??= record.atNs;
        return;
      case 'session.stop_performance_tracking':
        this.#window = OUTSIDE_WINDOWS;
        return;
      case 'session.stop_load':
        return;
      case 'session.ended':
        this.#hasEnded = true;
        return;
      case 'sample.issued':
        this.#hasSamples = true;
        this.#issued(record);
        return;
      case 'sample.recv_first':
        this.#receivedFirst(record);
        return;
      case 'sample.recv_non_first':
        this.#receivedMore(record);
        return;
      case 'sample.skipped':
        this.#skipped(record);
        return;
      case 'sample.placed':
        this.#placed(record);
        return;
      case 'sample.remarked':
        this.#rowOf(record.sampleId)?.reportRemark(record);
        return;
      case 'sample.served':
        this.#rowOf(record.sampleId)?.reportServed(record);
        return;
      case 'sample.counted':
        this.#rowOf(record.sampleId)?.reportCounts(record);
        return;
      case 'sample.choices':
        pushAll(this.#rowOf(record.sampleId)?.chunkChoices, record.ofChunks);
        return;
      case 'sample.noted':
        this.#rowOf(record.sampleId)?.reportNote(record);
        return;
      case 'sample.complete':
        this.#ended(record);
        return;
      case 'client.observed':
        this.#metrics.client.observed(record, this.#isTracking(record.atNs));
        return;
      case 'client.beats':
        this.#metrics.client.beats(record, this.#isTracking(record.atNs));
        return;
      case 'sample.lateness':
        this.#rowOf(record.sampleId)?.reportLateness(record);
        return;
      case 'client.marks':
      case 'client.gaps':
        if (this.#isTracking(record.atNs)) this.#metrics.bounds.observed(record);
        return;
      case 'client.host':
        this.#metrics.host(record, this.#isTracking(record.atNs));
        return;
      case 'server.observed':
        if (record.moment !== 'load' || this.#isTracking(record.atNs)) this.#metrics.server.observed(record);
        return;
      default:
        this.#failed(record);
    }
  }

  /** The measured window may be announced before it begins, while the load still grows. */
  #isTracking(atNs: number): boolean {
    return this.#window !== OUTSIDE_WINDOWS && atNs >= (this.#trackedFromNs ?? 0);
  }

  /** A message of records that could not be read, or a gap in their numbering. */
  lost({ undecodable, dropped }: { readonly undecodable: number; readonly dropped: number }): void {
    this.#metrics.counters.recordsUndecodable.add(undecodable);
    this.#metrics.counters.droppedEvents.add(dropped);
    this.#metrics.bounds.lost(undecodable + dropped);
  }

  /** The first one of a sample counts: a second would reset stamps that later records depend on. */
  #issued({ sampleId, atNs, isWarmup, ...issued }: SampleRecordOf<'sample.issued'>): void {
    const { counters } = this.#metrics;
    if (!this.#seen.add(sampleId) || this.#rows.has(sampleId)) {
      counters.recordsDuplicate.add();
      return;
    }
    const sample = { ...issued, sentNs: atNs, window: isWarmup ? OUTSIDE_WINDOWS : this.#window };
    this.#metrics.issued(sample);
    if (this.#rows.size >= this.#rowsMax) {
      counters.samplesNotFollowed.add();
      return;
    }
    this.#rows.set(sampleId, new SampleRow(sample));
  }

  #placed({ sampleId, session, turn, turns }: SampleRecordOf<'sample.placed'>): void {
    const row = this.#rowOf(sampleId);
    const position = { session, turn, turns };
    if (row === undefined) return;
    if (row.turn !== undefined) this.#metrics.counters.recordsDuplicate.add();
    else if (!isTurnPosition(position)) this.#metrics.counters.recordsRefused.add();
    else {
      row.turn = position;
      this.#metrics.placed(position, row.window);
    }
  }

  #skipped({ sampleId, isWarmup, turn, reason }: SampleRecordOf<'sample.skipped'>): void {
    const window = isWarmup ? OUTSIDE_WINDOWS : this.#window;
    const skipped = !isTurnPosition(turn) ? {} : { ...turn, reason };
    if (this.#seen.add(sampleId)) this.#metrics.skipped({ window, ...skipped });
    else this.#metrics.counters.recordsDuplicate.add();
  }

  #receivedFirst({ sampleId, atNs, firstByteNs }: SampleRecordOf<'sample.recv_first'>): void {
    const row = this.#rowOf(sampleId);
    if (row === undefined) return;
    if (row.firstContentNs !== NO_FIGURE) {
      this.#metrics.counters.recordsDuplicate.add();
      return;
    }
    row.firstContentNs = atNs;
    row.firstByteNs = firstByteNs;
    row.lastContentNs = atNs;
    if (row.window >= 0) this.#metrics.counters.chunksReceived.add();
  }

  #receivedMore({ sampleId, stampsNs }: SampleRecordOf<'sample.recv_non_first'>): void {
    const row = this.#rowOf(sampleId);
    if (row === undefined || row.window < 0) return;
    this.#metrics.counters.chunksReceived.add(stampsNs.length);
    for (const stampNs of stampsNs) {
      // Without a previous stamp the gap is NaN, and the sample is found inconsistent at its end.
      row.chunkGapsNs.push(row.lastContentNs === NO_FIGURE ? Number.NaN : stampNs - row.lastContentNs);
      row.lastContentNs = stampNs;
    }
  }

  #failed(record: ErrorRecord): void {
    if (record.sampleId < 0) {
      this.#metrics.counters.errorsOutsideSamples.add();
      return;
    }
    const row = this.#rowOf(record.sampleId);
    if (row === undefined) return;
    if (row.failure !== undefined) this.#metrics.counters.recordsDuplicate.add();
    row.failure ??= { kind: failureKindOf(record), statusCode: record.statusCode, detail: record.detail };
  }

  #ended(record: SampleRecordOf<'sample.complete'>): void {
    const row = this.#rowOf(record.sampleId);
    if (row === undefined) return;
    this.#rows.delete(record.sampleId);
    const sample = endedSample(row, record);
    if (isContradictory(row, record)) this.#metrics.counters.samplesInconsistent.add();
    this.#metrics.ended(sample);
  }

  /** undefined, and counted, where the sample has ended or was never issued. */
  #rowOf(sampleId: number): SampleRow | undefined {
    const row = this.#rows.get(sampleId);
    if (row !== undefined) return row;
    const { recordsLate, recordsUnknown } = this.#metrics.counters;
    if (this.#seen.has(sampleId)) recordsLate.add();
    else recordsUnknown.add();
    return undefined;
  }
}

const failureKindOf = ({ kind }: ErrorRecord): FailureKind => {
  const name = kind.slice('error.'.length);
  return isFailureKind(name) ? name : 'client';
};

const hasWholeStamp = (record: EventRecord): boolean => {
  switch (record.kind) {
    case 'sample.issued':
      return isWholeFigure(record.sampleId) && isWholeFigure(record.atNs) && isWholeFigure(record.intendedNs);
    case 'sample.recv_first':
    case 'sample.skipped':
    case 'sample.complete':
      return isWholeFigure(record.sampleId) && isWholeFigure(record.atNs);
    case 'sample.recv_non_first':
    case 'sample.lateness':
    case 'sample.placed':
    case 'sample.remarked':
    case 'sample.served':
    case 'sample.counted':
    case 'sample.noted':
    case 'sample.choices':
      return isWholeFigure(record.sampleId);
    default:
      return isWholeFigure(record.atNs);
  }
};

/** A row is some 200 bytes and its chunk gaps: far more streams than one machine can have open. */
const ROWS_MAX = 1_000_000;
