// The state of a sample between its record of issue and that of its end.

import type { EndedSample, SampleFailure } from '../core/run/ended-sample.ts';
import {
  NO_FIGURE,
  type ReplyCounts,
  type SampleLateness,
  type SampleRecord,
  type ServedTimes,
} from '../core/run/event-record.ts';
import type { SampleNote, SampleRemark } from '../core/run/sample-remark.ts';
import type { SampleTurn } from '../core/run/session-outcome.ts';

export type SampleRecordOf<K extends SampleRecord['kind']> = Extract<SampleRecord, { readonly kind: K }>;

export class SampleRow {
  readonly window: number;
  readonly intendedNs: number;
  readonly sentNs: number;
  readonly connectNs: number;
  readonly heldBackNs: number;
  readonly chunkGapsNs: number[] = [];
  readonly chunkChoices: number[] = [];
  firstByteNs: number = NO_FIGURE;
  firstContentNs: number = NO_FIGURE;
  lastContentNs: number = NO_FIGURE;
  failure: SampleFailure | undefined;
  lateness: SampleLateness | undefined;
  remark: SampleRemark | undefined;
  served: ServedTimes | undefined;
  counts: ReplyCounts | undefined;
  note: SampleNote | undefined;
  turn: SampleTurn | undefined;

  constructor(issued: Pick<EndedSample, 'window' | 'intendedNs' | 'sentNs' | 'connectNs' | 'heldBackNs'>) {
    this.window = issued.window;
    this.intendedNs = issued.intendedNs;
    this.sentNs = issued.sentNs;
    this.connectNs = issued.connectNs;
    this.heldBackNs = issued.heldBackNs;
  }

  reportLateness({ kind: _kind, sampleId: _id, ...lateness }: SampleRecordOf<'sample.lateness'>): void {
    this.lateness = lateness;
  }

  reportRemark({ kind: _kind, sampleId: _id, ...remark }: SampleRecordOf<'sample.remarked'>): void {
    this.remark = remark;
  }

  reportServed({ kind: _kind, sampleId: _id, ...served }: SampleRecordOf<'sample.served'>): void {
    this.served = served;
  }

  reportCounts({ kind: _kind, sampleId: _id, ...counts }: SampleRecordOf<'sample.counted'>): void {
    this.counts = counts;
  }

  reportNote({ kind: _kind, sampleId: _id, ...note }: SampleRecordOf<'sample.noted'>): void {
    this.note = note;
  }
}

/** An error makes a sample a failed one, independent of its end record. */
export const endedSample = (row: SampleRow, record: SampleRecordOf<'sample.complete'>): EndedSample => {
  const outcome = row.failure !== undefined && record.outcome === 'completed' ? 'failed' : record.outcome;
  return {
    sampleId: record.sampleId,
    window: row.window,
    intendedNs: row.intendedNs,
    sentNs: row.sentNs,
    connectNs: row.connectNs,
    heldBackNs: row.heldBackNs,
    firstByteNs: row.firstByteNs === NO_FIGURE ? record.firstByteNs : row.firstByteNs,
    firstContentNs: row.firstContentNs,
    firstAnswerNs: record.firstAnswerNs,
    chunkGapsNs: row.chunkGapsNs,
    chunkCount: record.chunkCount,
    ...(row.chunkChoices.length === 0 ? {} : { chunkChoices: row.chunkChoices }),
    endNs: record.atNs,
    outcome,
    failure: outcome === 'failed' ? (row.failure ?? UNEXPLAINED) : undefined,
    inputTokens: record.inputTokens,
    outputTokens: record.outputTokens,
    finishReason: record.finishReason,
    bytesSent: isWholeFigure(record.bytesSent) ? record.bytesSent : 0,
    bytesReceived: isWholeFigure(record.bytesReceived) ? record.bytesReceived : 0,
    ...(isWholeFigure(record.answerHash) ? { answerHash: record.answerHash } : {}),
    ...(row.lateness === undefined ? {} : { lateness: row.lateness }),
    ...(row.remark === undefined ? {} : { remark: row.remark }),
    ...(row.served === undefined ? {} : { served: row.served }),
    ...(row.counts === undefined ? {} : { counts: row.counts }),
    ...(row.note === undefined ? {} : { note: row.note }),
    ...(row.turn === undefined ? {} : { turn: row.turn }),
  };
};

export const isContradictory = (row: SampleRow, { outcome }: SampleRecordOf<'sample.complete'>): boolean =>
  (outcome === 'completed' && row.failure !== undefined) ||
  (outcome === 'failed' && row.failure === undefined);

/** Values that no writer produces are not counted as a turn of a session. */
export const isTurnPosition = ({ session, turn, turns }: SampleTurn): boolean =>
  [session, turn, turns].every(isWholeFigure) && turn < turns;

/** A stamp or a count. */
export const isWholeFigure = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

const UNEXPLAINED: SampleFailure = {
  kind: 'client',
  statusCode: 0,
  detail: 'failed without an error record',
};
