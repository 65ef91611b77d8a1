// The lines of events.jsonl: one JSON object each, the record as it is, with null for a figure that is not there.

import { type EventRecord, NO_FIGURE } from '../core/run/event-record.ts';

export const EVENT_LOG_SCHEMA = 'plimsoll.events/1';

/** The first line. Times in all others are nanoseconds since `runZeroNs`, which is CLOCK_MONOTONIC of the host. */
export const openingLine = (runZeroNs: number): string =>
  `${JSON.stringify({ kind: 'log.opened', schema: EVENT_LOG_SCHEMA, runZeroNs })}\n`;

export const recordLine = (record: EventRecord): string => {
  if (record.kind !== 'sample.complete') return `${JSON.stringify(record)}\n`;
  return `${JSON.stringify({
    ...record,
    firstAnswerNs: figureOrNull(record.firstAnswerNs),
    firstByteNs: figureOrNull(record.firstByteNs),
    inputTokens: figureOrNull(record.inputTokens),
    outputTokens: figureOrNull(record.outputTokens),
  })}\n`;
};

/** The last line: a log without one was cut off. */
export const closingLine = (summary: {
  readonly recordsWritten: number;
  readonly recordsDropped: number;
  readonly recordsMissed: number;
}): string => `${JSON.stringify({ kind: 'log.closed', ...summary })}\n`;

const figureOrNull = (figure: number): number | null => (figure === NO_FIGURE ? null : figure);
