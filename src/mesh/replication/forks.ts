// Two records that one origin signed for one position: its journal was restored from a copy and continued,
// which sequence numbers do not show. A node that has one branch and receives the other has the proof; it
// goes to every node once, and the origin starts a new epoch. Only the origin can create such a pair.

import type { NodeId } from '../../core/ids.ts';
import { decodeRecordHead } from '../../wire/durable-record.ts';
import type { MeshMessage, WireRecord } from '../../wire/mesh-message.ts';
import type { JournalPosition, VectorEntry } from '../../wire/version-vector.ts';
import type { ExchangeParts } from './exchange-parts.ts';
import { checkRecord, proofOf } from './record-proof.ts';
import { type RecordTips, tipOf } from './record-tips.ts';
import type { RelaySource } from './relay-source.ts';
import type { ReplicaPeer } from './replica-peer.ts';

type RecordsMessage = Extract<MeshMessage, { kind: 'records' }>;
type ForkMessage = Extract<MeshMessage, { kind: 'fork' }>;

/** Origins with a known fork, remembered until their epoch has moved on. */
const FORKS_MAX = 256;

export class Forks {
  readonly #parts: ExchangeParts;
  readonly #tips: RecordTips;
  readonly #known = new Map<NodeId, ForkMessage>();
  #bytes = 0;

  constructor(parts: ExchangeParts, tips: RecordTips) {
    this.#parts = parts;
    this.#tips = tips;
  }

  /** Bytes of the stored proofs. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Whether the peer's claim about the position stored here shows another branch for which there is no proof
   * yet.
   */
  isUnproven({ origin, epoch, through, tip }: VectorEntry): boolean {
    const position = this.#parts.store.position(origin);
    if (tip === undefined || position?.epoch !== epoch || position.through !== through) return false;
    const own = this.#tips.newest(origin, position);
    return own !== undefined && own !== tip && this.#known.get(origin)?.epoch !== epoch;
  }

  /** Searches the received records for one that contradicts the newest stored one. */
  seek({ origin, epoch, records }: RecordsMessage, position: JournalPosition): void {
    const { keys, nowMs, store, own } = this.#parts;
    const tip = this.#tips.newest(origin, position);
    if (tip === undefined || this.#known.get(origin)?.epoch === epoch) return;
    const theirs = records.find(
      wire => tipOf(wire.proof) !== tip && decodeRecordHead(wire.body)?.seq === position.through,
    );
    if (
      theirs === undefined ||
      checkRecord(theirs, { origin, epoch }, { keys, nowMs: nowMs() }).kind !== 'good'
    )
      return;
    for (const mine of store.recordsAfter(origin, position.through - 1)) {
      const proof = proofOf(mine, own);
      if (mine.seq !== position.through || proof === undefined) return;
      const records = [{ ageMs: 0, proof, body: mine.body }, theirs].map(copyOf);
      this.#spread({ kind: 'fork', origin, epoch, records }, undefined);
      return;
    }
  }

  take(peer: ReplicaPeer, relaySource: RelaySource, message: ForkMessage): void {
    const { counts, store, self } = this.#parts;
    const { origin, epoch } = message;
    if (store.position(origin)?.epoch !== epoch || this.#known.get(origin)?.epoch === epoch) return;
    if (!this.#isProof(message)) {
      counts.forged += 1;
      relaySource.fault(`no fork of ${origin}`);
      return;
    }
    if (origin !== self) {
      this.#spread({ ...message, records: message.records.map(copyOf) }, peer);
      return;
    }
    counts.newEpochs += 1;
    store.startNewEpoch(epoch);
  }

  /** An origin may have been offline when its fork was found. */
  greet(peer: ReplicaPeer): void {
    for (const [origin, fork] of this.#known) {
      if (this.#parts.store.position(origin)?.epoch === fork.epoch) peer.outbox.report(fork);
      else this.#forget(origin);
    }
  }

  #spread(fork: ForkMessage, sender: ReplicaPeer | undefined): void {
    this.#forget(fork.origin);
    this.#known.set(fork.origin, fork);
    this.#bytes += bytesOf(fork);
    const { forkBytesMax } = this.#parts.limits;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= FORKS_MAX && this.#bytes <= forkBytesMax) break;
      if (oldest !== fork.origin) this.#forget(oldest);
    }
    this.#parts.counts.forks += 1;
    for (const peer of this.#parts.peers.values())
      if (peer !== sender && peer.hasSentHello) peer.outbox.report(fork);
  }

  #forget(origin: NodeId): void {
    const fork = this.#known.get(origin);
    if (fork === undefined) return;
    this.#known.delete(origin);
    this.#bytes -= bytesOf(fork);
  }

  #isProof({ origin, epoch, records }: ForkMessage): boolean {
    const { keys, nowMs } = this.#parts;
    const [one, other, ...more] = records.map(record =>
      checkRecord(record, { origin, epoch }, { keys, nowMs: nowMs() }),
    );
    if (one?.kind !== 'good' || other?.kind !== 'good' || more.length > 0) return false;
    const [a, b] = [one.record, other.record];
    return a.seq === b.seq && Buffer.compare(a.body, b.body) !== 0;
  }
}

const bytesOf = ({ records }: ForkMessage): number =>
  records.reduce((sum, { proof, body }) => sum + proof.length + body.length, 0);

/** A view would keep the whole frame alive. */
const copyOf = ({ ageMs, proof, body }: WireRecord): WireRecord => ({
  ageMs,
  proof: proof.slice(),
  body: body.slice(),
});
