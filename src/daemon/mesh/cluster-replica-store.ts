// The daemon's journal and state as replication needs them.

import type { NodeId } from '../../core/ids.ts';
import { JournalError } from '../../journal/journal.ts';
import type { ReceivedRecords, ReplicaStore, StoreResult } from '../../mesh/replication/replica-store.ts';
import type { DurableRecord } from '../../wire/durable-record.ts';
import { type OwnEpochParts, startOwnEpoch } from '../own-epoch.ts';

export const clusterReplicaStore = (parts: OwnEpochParts): ReplicaStore => {
  const { nodeId, journal, cluster } = parts;
  return {
    positions: () => journal.origins(),
    position: origin => journal.origin(origin),
    recordsAfter: (origin, after) => agedRecords(parts, origin, after),
    storeRecords: received => storeRecords(parts, received),
    applyLive: events => cluster.dispatch(events),
    forget: origin => {
      journal.forget(origin);
      cluster.drop(origin);
    },
    dropLive: origins => cluster.dropLive(origins),
    startNewEpoch: floor => startOwnEpoch(parts, floor),
    raiseStart: start => {
      try {
        journal.raiseStart(start);
      } catch (error) {
        // The disk is full: peers send it again when they link the next time.
        if (!(error instanceof JournalError)) throw error;
      }
    },
    onOwnEvents: listener =>
      cluster.subscribe(events => {
        const own = events.filter(event => event.origin === nodeId);
        if (own.length > 0) listener(own);
      }),
  };
};

/** Ages grow while a record is in the journal; this machine's wall clock is only compared with itself. */
function* agedRecords(
  { clock, journal }: OwnEpochParts,
  origin: NodeId,
  after: number,
): Generator<DurableRecord> {
  const wallMs = clock.wallMs();
  for (const record of journal.recordsAfter(origin, after))
    yield { ...record, ageMs: record.ageMs + Math.max(0, wallMs - record.storedAtWallMs) };
}

const storeRecords = (
  { journal, cluster }: OwnEpochParts,
  { position, records, events, receivedAtMs }: ReceivedRecords,
): StoreResult => {
  const progress = cluster.progress(position.origin);
  const passedOver = journal.passedOver;
  try {
    journal.appendCatchUp(position, records);
  } catch (error) {
    if (error instanceof JournalError) return { kind: 'refused', reason: error.message };
    throw error;
  }
  const from = progress?.epoch === position.epoch ? progress.seq : 0;
  // Without holes they are a stream like any other, which pages can follow event by event.
  if (events.length === position.through - from) cluster.dispatch(events);
  else cluster.catchUp({ ...position, events, receivedAtMs });
  return { kind: 'stored', passedOver: journal.passedOver - passedOver };
};
