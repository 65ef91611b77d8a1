// A row of the journal in the API: a measurement as its node recorded it, or the summary of an hour.

import type { Event } from '../../core/event.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';
import { decodeHourlySummary } from '../../journal/hourly-summary.ts';
import type { HistoryRow } from '../../journal/journal.ts';
import type { ProfileRecord, ProfileRow } from '../../wire/api/history-answers.ts';
import { decodeRecordBody, RECORD_VERSION } from '../../wire/durable-record.ts';

/** Read as events are, so that a field that a version did not report is unknown. */
export const profileRow = ({ atWallMs, isHourly, body }: HistoryRow): ProfileRow => {
  if (isHourly) {
    const record = decodeHourlySummary(body) ?? unknown('the stored summary cannot be read');
    return { isHourly, atWallMs, record };
  }
  const decoded = decodeRecordBody(body, { ageMs: 0, receivedAtMs: 0 });
  if (decoded.kind === 'refused')
    return { isHourly, atWallMs, record: unknown(`the stored record cannot be read: ${decoded.reason}`) };
  return { isHourly, atWallMs, record: recordOf(decoded.event) };
};

const recordOf = (event: Event): ProfileRecord | Unknown => {
  const { origin, epoch, seq, key } = event;
  const head = { version: RECORD_VERSION, origin, epoch, seq, key } as const;
  if (event.kind === 'gpu.profiled') return { ...head, kind: event.kind, payload: event.payload };
  if (event.kind === 'link.profiled') return { ...head, kind: event.kind, payload: event.payload };
  return unknown('the stored record is not a profile');
};
