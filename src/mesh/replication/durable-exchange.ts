// Durable events between this node and its peers. A peer requests what it lacks, chunk by chunk; what is new
// is pushed. A frame is accepted if every record in it carries valid proof, and a position only ever moves to
// a signed record.

import type { Event } from '../../core/event.ts';
import type { NodeId } from '../../core/ids.ts';
import { type DurableRecord, decodeRecordHead } from '../../wire/durable-record.ts';
import { ENTRIES_PER_FRAME_MAX, type MeshMessage, recordFrameBytes } from '../../wire/mesh-message.ts';
import {
  afterIn,
  isAhead,
  type JournalPosition,
  MESH_LIST_LENGTH_MAX,
  type VectorEntry,
} from '../../wire/version-vector.ts';
import { CatchUpRequests } from './catch-up-requests.ts';
import type { ExchangeParts } from './exchange-parts.ts';
import { Forks } from './forks.ts';
import { OriginQuota } from './origin-quota.ts';
import { receiptOf } from './receipt.ts';
import { checkRecord } from './record-proof.ts';
import { RecordTips } from './record-tips.ts';
import type { RelaySource } from './relay-source.ts';
import type { ReplicaPeer } from './replica-peer.ts';
import type { ReceivedRecords } from './replica-store.ts';

type RecordsMessage = Extract<MeshMessage, { kind: 'records' }>;
type Checked = Pick<ReceivedRecords, 'records' | 'events'>;

export class DurableExchange {
  readonly #parts: ExchangeParts;
  readonly catchUp: CatchUpRequests;
  readonly forks: Forks;
  readonly #tips: RecordTips;
  readonly #quota: OriginQuota;
  #ownReported: JournalPosition;

  /** `wasSeen`: whether a node's live values are stored; no durable record of such a node is evicted. */
  constructor(parts: ExchangeParts, wasSeen: (node: NodeId) => boolean) {
    this.#parts = parts;
    const { limits, nowMs, peers, store, self } = parts;
    this.#quota = new OriginQuota({
      limits: limits.durableOrigins,
      nowMs,
      peers: {
        get size() {
          return peers.size;
        },
        has: node => peers.has(node) || wasSeen(node),
      },
    });
    for (const { origin } of store.positions()) if (origin !== self) this.#quota.admit(origin, self);
    this.catchUp = new CatchUpRequests(parts);
    this.#tips = new RecordTips(parts.store, parts.self);
    this.forks = new Forks(parts, this.#tips);
    this.#ownReported = parts.store.position(parts.self) ?? NOTHING;
  }

  vectors(): readonly VectorEntry[] {
    return this.#parts.store
      .positions()
      .filter(({ through }) => through > 0)
      .slice(0, MESH_LIST_LENGTH_MAX)
      .map(position => {
        const { origin, epoch, through } = position;
        const tip = this.#tips.newest(origin, position);
        return tip === undefined ? { origin, epoch, through } : { origin, epoch, through, tip };
      });
  }

  /** After own events were stored: to every peer, from what was sent last. */
  pushOwn(): void {
    const { store, self, peers } = this.#parts;
    const position = store.position(self);
    if (position === undefined || !isAhead(position, this.#ownReported)) return;
    const from = { epoch: position.epoch, through: afterIn(position.epoch, this.#ownReported) };
    this.#ownReported = position;
    this.#tips.rememberOwn(position.epoch, from.through);
    for (const peer of peers.values()) if (peer.hasSentHello) peer.outbox.enqueue(self, from);
  }

  /** Compares with what a peer claims to have, and requests what is missing here. */
  compare(peer: ReplicaPeer, vectors: readonly VectorEntry[]): void {
    const { self, store } = this.#parts;
    for (const { origin, epoch, through } of vectors) peer.outbox.noteKnown(origin, { epoch, through });
    if (!peer.outbox.isWritable) return;
    const own = vectors.find(({ origin }) => origin === self);
    if (own?.tip !== undefined) {
      const tip = this.#tips.ownAt(own);
      if (tip !== 'other' && tip !== own.tip) requestAgain(peer, own);
    }
    for (const entry of vectors)
      if (entry.origin !== self && this.forks.isUnproven(entry)) requestAgain(peer, entry);
    this.catchUp.seek(
      vectors.filter(entry => isAhead(entry, store.position(entry.origin))).map(({ origin }) => origin),
    );
  }

  answer(peer: ReplicaPeer, wants: readonly VectorEntry[]): void {
    for (const { origin, epoch, through } of wants) {
      peer.outbox.restartAt(origin, { epoch, through });
      if (isAhead(this.#parts.store.position(origin) ?? NOTHING, { epoch, through }))
        peer.outbox.enqueue(origin, { epoch, through });
    }
  }

  peerGone(peer: NodeId): void {
    this.catchUp.peerGone(peer);
  }

  take(peer: ReplicaPeer, relaySource: RelaySource, message: RecordsMessage): void {
    const { self, counts, store } = this.#parts;
    const { origin, epoch, after, records } = message;
    if (!relaySource.maySend(records.length)) {
      counts.overRate += 1;
      return;
    }
    const position = store.position(origin);
    const from = afterIn(epoch, position);
    if (position !== undefined && epoch < position.epoch) {
      counts.recordsRepeated += records.length;
      return;
    }
    if (after > from) {
      counts.gaps += 1;
      this.catchUp.hasShown(peer.id, origin);
      this.compare(peer, [{ origin, epoch, through: message.through }]);
      return;
    }
    if (origin === self) {
      this.#takeOwn(relaySource, message, position);
      return;
    }
    if (position?.epoch === epoch && after < from) this.forks.seek(message, position);
    if (this.forks.isUnproven({ origin, epoch, through: after, ...tipIn(message) })) {
      requestAgain(peer, { origin, epoch, through: after });
      return;
    }
    if (position !== undefined && isRepeated(message, from)) {
      // Perhaps late: another peer has delivered it meanwhile.
      this.catchUp.received(peer.id, origin, { last: position, isFull: false });
      counts.recordsRepeated += records.length;
      this.#repeated(peer, message, position);
      return;
    }
    if (position === undefined && !this.#mayBegin(relaySource.id, origin)) {
      // It did deliver what was requested.
      this.catchUp.received(peer.id, origin, { last: { epoch, through: message.through }, isFull: true });
      counts.storeRefused += 1;
      return;
    }
    const received = this.#checked(relaySource, message, from);
    const last = received?.records.at(-1)?.seq;
    if (received === undefined || last === undefined) {
      if (position === undefined) this.#quota.drop(origin);
      return;
    }
    if (
      received.records.length < last - from &&
      this.#isBetterRequested(peer, { origin, epoch, through: last })
    ) {
      counts.gaps += 1;
      return;
    }
    this.catchUp.received(peer.id, origin, {
      last: { epoch, through: last },
      isFull: isFull(records, this.#parts.limits.chunkBytesMax),
    });
    counts.recordsRepeated += records.length - received.records.length;
    peer.outbox.noteKnown(origin, { epoch, through: last });
    this.#store(peer, relaySource, message, received, { epoch, through: last }, from);
  }

  /**
   * Whether the origin itself is linked and has this. Then nothing is requested from other peers, and gaps
   * are only accepted from the origin: a gap claims that compaction has dropped a record, and only the origin
   * cannot lie about that.
   */
  #isBetterRequested(peer: ReplicaPeer, { origin, epoch, through }: VectorEntry): boolean {
    const itself = this.#parts.peers.get(origin);
    if (itself === undefined || itself === peer || !itself.hasSentHello) return false;
    if (this.catchUp.isFailing(origin, origin)) return false;
    return !isAhead({ epoch, through }, itself.outbox.known.get(origin));
  }

  #store(
    peer: ReplicaPeer,
    relaySource: RelaySource,
    { origin, epoch, through }: RecordsMessage,
    { records, events }: Checked,
    last: JournalPosition,
    from: number,
  ): void {
    const { counts, store, nowMs, relays } = this.#parts;
    const ageMs = records.at(-1)?.ageMs ?? 0;
    const { receivedAtMs } = receiptOf(ageMs, nowMs());
    const result = store.storeRecords({ position: { origin, ...last }, records, events, receivedAtMs });
    if (result.kind === 'refused') {
      counts.storeRefused += 1;
      return;
    }
    this.#quota.received(origin, relaySource.id, receivedAtMs);
    counts.storeRefused += result.passedOver ?? 0;
    counts.recordsStored += records.length;
    counts.unreadable += records.length - events.length;
    if (through > last.through) this.compare(peer, [{ origin, epoch, through }]);
    for (const other of relays.to(peer.id)) {
      if (other.id !== origin && isAhead(last, other.outbox.known.get(origin)))
        other.outbox.enqueue(origin, { epoch, through: from });
    }
  }

  /** Whether a node without stored records is admitted, possibly instead of another. */
  #mayBegin(relaySource: NodeId, origin: NodeId): boolean {
    const { store, counts } = this.#parts;
    if (this.#quota.has(origin)) return true;
    if (!this.#quota.mayRelay(origin, relaySource)) return false;
    const admission = this.#quota.admit(origin, relaySource);
    if (admission.kind === 'refused') return false;
    if (admission.evicted === undefined) return true;
    counts.originsEvicted += 1;
    store.forget(admission.evicted);
    this.#tips.forget(admission.evicted);
    return true;
  }

  /** Own events that come back are ignored, unless this node signed them and its journal does not have them. */
  #takeOwn(relaySource: RelaySource, message: RecordsMessage, position: JournalPosition | undefined): void {
    const { counts, store } = this.#parts;
    const { epoch } = message;
    const records = this.#checked(relaySource, message, message.after)?.records ?? [];
    const isLost = records.some(
      record => isAhead({ epoch, through: record.seq }, position) || this.#tips.isForeign(record),
    );
    if (!isLost) {
      counts.recordsRepeated += records.length;
      return;
    }
    counts.newEpochs += 1;
    store.startNewEpoch(epoch);
  }

  /** Already stored, from another peer; this sender may have peers that no other node relays to. */
  #repeated(peer: ReplicaPeer, { origin, epoch, after }: RecordsMessage, position: JournalPosition): void {
    for (const other of this.#parts.relays.to(peer.id)) {
      if (other.id !== origin && isAhead(position, other.outbox.known.get(origin)))
        other.outbox.enqueue(origin, { epoch, through: after });
    }
  }

  /** The records that are new here, or undefined if the whole frame is refused. */
  #checked(
    relaySource: RelaySource,
    { origin, epoch, after, records }: RecordsMessage,
    from: number,
  ): Checked | undefined {
    const { counts, keys, nowMs } = this.#parts;
    const checked: { readonly records: DurableRecord[]; readonly events: Event[] } = {
      records: [],
      events: [],
    };
    let before = after;
    for (const wire of records) {
      const result = checkRecord(wire, { origin, epoch }, { keys, nowMs: nowMs() });
      if (result.kind === 'good' && result.record.seq > before) {
        before = result.record.seq;
        if (before <= from) continue;
        checked.records.push(result.record);
        if (result.event !== undefined) checked.events.push(result.event);
        continue;
      }
      if (result.kind === 'forged') counts.forged += 1;
      else counts.malformedFrames += 1;
      relaySource.fault(`an invalid record of ${origin}`);
      return undefined;
    }
    return checked;
  }
}

/**
 * Its last record shows that nothing in it is new: nothing is taken from it, so signatures need no check.
 */
const isRepeated = ({ records }: RecordsMessage, from: number): boolean => {
  const last = records.at(-1);
  const head = last === undefined ? undefined : decodeRecordHead(last.body);
  return head !== undefined && head.seq <= from;
};

/** Half of the bytes is enough: the next record may be a long one. */
const isFull = (records: RecordsMessage['records'], chunkBytesMax: number): boolean =>
  records.length >= ENTRIES_PER_FRAME_MAX ||
  records.reduce((sum, { body }) => sum + recordFrameBytes(body), 0) >= chunkBytesMax / 2;

/** Requests the record that proves that its position is on another branch than the one stored here. */
const requestAgain = (peer: ReplicaPeer, { origin, epoch, through }: VectorEntry): void =>
  peer.outbox.report({ kind: 'want', wants: [{ origin, epoch, through: through - 1 }] });

const tipIn = ({ afterTip }: RecordsMessage): { readonly tip?: number } =>
  afterTip === undefined ? {} : { tip: afterTip };

const NOTHING: JournalPosition = { epoch: 0, through: 0 };
