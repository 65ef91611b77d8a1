// A simulated node on the mesh: it uses the mesh's protocol with every linked node, and sends what it is given. It
// stores its own records and those it is given to store, and passes nothing else on, claiming all other simulated nodes
// as neighbours, so the cost of a hundred of them in one process grows linearly, not quadratically.

import type { Clock } from '../clock/clock.ts';
import { eventClass, eventSlot, type Fact, factKey } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import { pushAll } from '../core/push-all.ts';
import type { MeshIdentity, MeshLink, MeshTransport } from '../mesh/mesh.ts';
import { encodeRecordBody } from '../wire/durable-record.ts';
import {
  decodeMeshMessage,
  encodeMeshMessage,
  recordFrameBytes,
  type WireLive,
  type WireRecord,
} from '../wire/mesh-message.ts';
import type { SimulatedFact } from './node-reporting.ts';

interface SimulatedPeerOptions {
  readonly identity: MeshIdentity;
  readonly transport: MeshTransport;
  readonly clock: Clock;
  /** Of its durable events. */
  readonly epoch: number;
  /** Of its live events. */
  readonly start: number;
  /** All simulated nodes. */
  readonly fleet: readonly NodeId[];
  readonly plimsollVersion: string;
}

/** A durable record that it sends, with the proof of its origin. */
interface OwnRecord {
  readonly seq: number;
  readonly kind: string;
  readonly key: string;
  readonly body: Uint8Array;
  /** The raw public key, then the signature. */
  readonly proof: Uint8Array;
  readonly trueSinceMs: number;
}

/** A live event, the newest of its key. */
interface LastValue {
  readonly body: Uint8Array;
  /** As for a record; a node's own events need none. */
  readonly proof?: Uint8Array;
  readonly trueSinceMs: number;
}

export class SimulatedPeer {
  readonly #options: SimulatedPeerOptions;
  /** Slot and key to the current record, ascending by seq. */
  readonly #records = new Map<string, OwnRecord>();
  readonly #live = new Map<string, LastValue>();
  readonly #relayed: LastValue[] = [];
  #durableSeq = 0;
  #liveSeq = 0;

  constructor(options: SimulatedPeerOptions) {
    this.#options = options;
    options.transport.onLink(link => this.#meet(link));
  }

  /** Current ones, ascending by seq. */
  get records(): readonly OwnRecord[] {
    return [...this.#records.values()];
  }

  /** Of the newest record. */
  get durableSeq(): number {
    return this.#durableSeq;
  }

  /** With proof, to be passed on. */
  get lastValues(): readonly LastValue[] {
    return [...this.#live.values()].map(value => ({ ...value, proof: this.#proofOf(value.body) }));
  }

  /** The last values of an absent node: any peer of this one gets them, as from any neighbour that received them. */
  relay(values: readonly LastValue[]): void {
    pushAll(this.#relayed, values);
  }

  report(facts: readonly SimulatedFact[]): void {
    const live: WireLive[] = [];
    const after = this.#durableSeq;
    for (const reported of facts) {
      if (eventClass(reported.fact.kind) === 'durable') this.#keep(reported);
      else live.push(this.#print(reported));
    }
    for (const link of this.#options.transport.links.values()) {
      if (this.#durableSeq > after) this.#sendRecords(link, after);
      if (live.length > 0) link.send(encodeMeshMessage({ kind: 'live', entries: live }));
    }
  }

  /** Its daemon was stopped by a person: the last event until it reports again. */
  stop(): void {
    const { epoch } = this.#options;
    const payload = { durableEpoch: epoch, durableSeq: this.#durableSeq };
    this.report([{ fact: { kind: 'node.stopping', payload }, ageMs: 0 }]);
  }

  #meet(link: MeshLink): void {
    const { plimsollVersion, fleet, identity } = this.#options;
    link.onFrame(frame => this.#receive(link, frame));
    link.send(
      encodeMeshMessage({
        kind: 'hello',
        plimsollVersion,
        vectors: this.#vectors(),
        live: [],
        neighboursVersion: 1,
        neighbours: [...fleet.filter(node => node !== identity.nodeId), link.peerId],
      }),
    );
    const nowMs = this.#options.clock.nowMs();
    const entries = [...this.#live.values(), ...this.#relayed].map(({ trueSinceMs, ...value }) => ({
      ...value,
      ageMs: Math.max(0, nowMs - trueSinceMs),
    }));
    if (entries.length > 0) link.send(encodeMeshMessage({ kind: 'live', entries }));
  }

  /** It ignores what others send; it sends what they lack of its own. */
  #receive(link: MeshLink, frame: Uint8Array): void {
    const decoded = decodeMeshMessage(frame);
    if (decoded.kind !== 'message') return;
    const { message } = decoded;
    const { identity, epoch } = this.#options;
    if (message.kind === 'want') {
      const want = message.wants.find(({ origin }) => origin === identity.nodeId);
      if (want !== undefined) this.#sendRecords(link, want.epoch === epoch ? want.through : 0);
    }
    if (message.kind === 'digest') {
      const own = message.vectors.find(({ origin }) => origin === identity.nodeId);
      const through = own?.epoch === epoch ? own.through : 0;
      if (through < this.#durableSeq) this.#sendRecords(link, through);
    }
  }

  #vectors(): { readonly origin: NodeId; readonly epoch: number; readonly through: number }[] {
    const { identity, epoch } = this.#options;
    return this.#durableSeq === 0 ? [] : [{ origin: identity.nodeId, epoch, through: this.#durableSeq }];
  }

  #keep({ fact, ageMs }: SimulatedFact): void {
    const { identity, epoch, clock } = this.#options;
    this.#durableSeq += 1;
    const seq = this.#durableSeq;
    const body = encodeRecordBody({ origin: identity.nodeId, epoch, seq }, fact);
    const proof = this.#proofOf(body);
    const key = factKey(fact);
    const valueKey = `${eventSlot(fact.kind)} ${key}`;
    this.#records.delete(valueKey);
    const trueSinceMs = clock.nowMs() - ageMs;
    this.#records.set(valueKey, { seq, kind: fact.kind, key, body, proof, trueSinceMs });
  }

  #proofOf(body: Uint8Array): Uint8Array {
    const { identity } = this.#options;
    const proof = new Uint8Array(identity.publicKey.length + SIGNATURE_BYTES);
    proof.set(identity.publicKey);
    proof.set(identity.sign(body), identity.publicKey.length);
    return proof;
  }

  #print({ fact, ageMs }: SimulatedFact): WireLive {
    const { identity, start, clock } = this.#options;
    this.#liveSeq += 1;
    const body = encodeRecordBody({ origin: identity.nodeId, epoch: start, seq: this.#liveSeq }, fact);
    this.#live.set(liveKey(fact), { body, trueSinceMs: clock.nowMs() - ageMs });
    return { ageMs, body };
  }

  #sendRecords(link: MeshLink, after: number): void {
    const { identity, epoch, clock } = this.#options;
    const nowMs = clock.nowMs();
    let from = after;
    let bytes = 0;
    let records: WireRecord[] = [];
    let last = after;
    const send = (): void => {
      if (records.length === 0) return;
      link.send(
        encodeMeshMessage({
          kind: 'records',
          origin: identity.nodeId,
          epoch,
          after: from,
          through: this.#durableSeq,
          records,
        }),
      );
      [from, bytes, records] = [last, 0, []];
    };
    for (const { seq, body, proof, trueSinceMs } of this.#records.values()) {
      if (seq <= after) continue;
      if (bytes + recordFrameBytes(body) > CHUNK_BYTES_MAX) send();
      records.push({ ageMs: Math.max(0, nowMs - trueSinceMs), proof, body });
      bytes += recordFrameBytes(body);
      last = seq;
    }
    send();
  }
}

const liveKey = (fact: Fact): string => `${eventSlot(fact.kind)} ${factKey(fact)}`;

const SIGNATURE_BYTES = 64;
/** Of one frame of records. */
const CHUNK_BYTES_MAX = 131_072;
