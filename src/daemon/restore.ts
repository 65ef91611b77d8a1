// From the journal back to state, at start. Receipt times are placed in the past by this machine's wall clock; a replay
// receives nothing new, so a node that was silent before the restart is still silent after it.

import type { Clock } from '../clock/clock.ts';
import type { Event } from '../core/event.ts';
import type { Journal, StoredRecord } from '../journal/journal.ts';
import { decodeRecordBody } from '../wire/durable-record.ts';
import type { Cluster } from './cluster.ts';

interface Restored {
  readonly events: number;
  /** Reasons of records that this version cannot read, at most a few. */
  readonly refusals: readonly string[];
}

export const restore = (journal: Journal, cluster: Cluster, clock: Clock): Restored => {
  let count = 0;
  const refusals: string[] = [];
  for (const position of journal.origins()) {
    if (position.through === 0) continue;
    const events: Event[] = [];
    for (const record of journal.currentRecords(position.origin)) {
      const decoded = decodeRecordBody(record.body, {
        ageMs: record.ageMs,
        receivedAtMs: receivedAtMs(record, clock),
      });
      if (decoded.kind === 'event') events.push(decoded.event);
      else if (refusals.length < REFUSALS_MAX) refusals.push(decoded.reason);
    }
    count += events.length;
    cluster.restore({ ...position, events, receivedAtMs: lastReceiptMs(events, clock) });
  }
  return { events: count, refusals };
};

/** Never in the future, also when the wall clock was set back meanwhile. */
const receivedAtMs = (record: StoredRecord, clock: Clock): number =>
  clock.nowMs() - Math.max(0, clock.wallMs() - record.storedAtWallMs);

/** If compaction kept nothing of an origin, the time it was last seen is unknown. */
const lastReceiptMs = (events: readonly Event[], clock: Clock): number =>
  events.at(-1)?.receivedAtMs ?? clock.nowMs() - LONG_AGO_MS;

const REFUSALS_MAX = 5;
const LONG_AGO_MS = 365 * 24 * 3_600_000;
