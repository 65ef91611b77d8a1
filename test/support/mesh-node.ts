// A node as replication sees it: the daemon's own recorder, cluster and journal (in memory), and a replicator on a mesh
// that the test hands in. It can be killed and started again with what its disk holds.

import type { Clock } from '../../src/clock/clock.ts';
import { ageMsOf } from '../../src/core/entry-maps.ts';
import type { Event } from '../../src/core/event.ts';
import type { Fact } from '../../src/core/event-kinds.ts';
import type { NodeId } from '../../src/core/ids.ts';
import type { State } from '../../src/core/state.ts';
import { Cluster } from '../../src/daemon/cluster.ts';
import { EventRecorder } from '../../src/daemon/event-recorder.ts';
import { restore } from '../../src/daemon/local-node.ts';
import { clusterReplicaStore } from '../../src/daemon/mesh/cluster-replica-store.ts';
import type { NodeKey } from '../../src/daemon/node-key.ts';
import { Notices } from '../../src/daemon/notices.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { createMemoryJournal, type MemoryDisk } from '../../src/journal/memory-journal.ts';
import type { MeshTransport } from '../../src/mesh/mesh.ts';
import { canonicalHash } from '../../src/mesh/replication/canonical-hash.ts';
import type { ReplicationLimits } from '../../src/mesh/replication/limits.ts';
import type { ReplicaStore } from '../../src/mesh/replication/replica-store.ts';
import { Replicator } from '../../src/mesh/replication/replicator.ts';

type Met = Pick<MeshTransport, 'localId' | 'links' | 'onLink'>;

interface MeshNodeOptions {
  readonly clock: Clock;
  readonly key: NodeKey;
  readonly disk: MemoryDisk;
  /** What it replicates over; one that needs the node's store gets it. */
  readonly mesh: Met | ((store: ReplicaStore) => Met);
  readonly limits?: ReplicationLimits;
  /** In its durable records; default: random. */
  readonly nonce?: string;
  /** Wraps the journal and the store: a disk that fails, a bug planted on purpose. */
  readonly wrapJournal?: (journal: Journal) => Journal;
  readonly wrapStore?: (store: ReplicaStore) => ReplicaStore;
}

export class MeshNode {
  readonly id: NodeId;
  readonly journal: Journal;
  readonly cluster: Cluster = new Cluster();
  readonly recorder: EventRecorder;
  readonly replicator: Replicator;
  /** Batches of events that came from peers or from here, as state took them. */
  readonly seen: Event[] = [];
  readonly #options: MeshNodeOptions;
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;
  #isFull = false;
  /** The facts of this node about itself, reported again after each new epoch. */
  readonly #facts = new Map<string, Fact>();

  constructor(options: MeshNodeOptions) {
    const { clock, key, disk, mesh, limits, nonce, wrapJournal = same, wrapStore = same } = options;
    this.#options = options;
    this.id = key.nodeId;
    this.journal = wrapJournal(createMemoryJournal({ ownNode: key.nodeId, clock, disk }));
    restore(this.journal, this.cluster, clock);
    const notices = new Notices(() => undefined);
    this.recorder = new EventRecorder({
      ...{ key, clock, journal: this.journal, cluster: this.cluster, notices },
      ...(nonce === undefined ? {} : { nonce }),
    });
    this.cluster.subscribe(events => {
      this.seen.push(...events);
    });
    const store = wrapStore(this.#store());
    this.replicator = new Replicator({
      mesh: typeof mesh === 'function' ? mesh(store) : mesh,
      store,
      clock,
      publicKey: key.publicKey,
      sign: bytes => key.sign(bytes),
      plimsollVersion: '0.0.0-test',
      ...(limits === undefined ? {} : { limits }),
    });
    this.#running = this.replicator.run(this.#abort.signal);
  }

  get state(): State {
    return this.cluster.state;
  }

  get hash(): string {
    return canonicalHash(this.state);
  }

  get epoch(): number {
    return this.journal.ownEpoch;
  }

  record(fact: Fact): void {
    if (fact.kind === 'connection.opened') this.#facts.set(fact.payload.sink, fact);
    this.recorder.record(fact);
  }

  /** Opens a connection of that name: a durable fact that shows in state. */
  open(name: string): void {
    this.record(openedConnection(this.id, name));
  }

  close(name: string): void {
    const connectionKey = `socket ${name}`;
    this.record({ kind: 'connection.closed', payload: { sink: this.id, connectionKey, reason: 'test' } });
  }

  /** A live fact. */
  reportMemory(availableBytes: number): void {
    this.record(memoryFact(availableBytes));
  }

  connectionsOf(node: NodeId): readonly string[] {
    return Object.keys(this.state.connections[node]?.[node] ?? {}).sort();
  }

  memoryOf(node: NodeId): { readonly availableBytes: unknown; readonly ageMs: number } | undefined {
    const entry = this.state.nodeMemories[node];
    if (entry === undefined) return undefined;
    return { availableBytes: entry.value.availableBytes, ageMs: ageMsOf(entry, this.#options.clock.nowMs()) };
  }

  /** As a disk that is full, until it is resumed. */
  refuseStores(): { resume(): void } {
    this.#isFull = true;
    return {
      resume: () => {
        this.#isFull = false;
      },
    };
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
    this.journal[Symbol.dispose]();
  }

  #store(): ReplicaStore {
    const { journal, cluster, recorder, id } = this;
    const store = clusterReplicaStore({ nodeId: id, clock: this.#options.clock, journal, cluster, recorder });
    return {
      ...store,
      storeRecords: received =>
        this.#isFull ? { kind: 'refused', reason: 'full' } : store.storeRecords(received),
      startNewEpoch: floor => {
        journal.startNewEpoch(floor);
        recorder.epochStarted();
        recorder.record(openedConnection(id, 'again'));
        for (const fact of this.#facts.values()) recorder.record(fact);
      },
    };
  }
}

const same = <T>(value: T): T => value;

export const openedConnection = (sink: NodeId, sinkAddress: string): Fact => ({
  kind: 'connection.opened',
  payload: {
    kind: 'socket',
    sink,
    sinkAddress,
    sourceInterface: 'test0',
    sinkInterface: 'test0',
    type: 'ethernet',
    negotiatedBitsPerSecond: 1e9,
  },
});

export const memoryFact = (availableBytes: number): Fact => ({
  kind: 'memory.gathered',
  payload: {
    source: 'test',
    intervalMs: 500,
    value: {
      totalBytes: 1e9,
      availableBytes,
      swapTotalBytes: 0,
      swapUsedBytes: 0,
      pressure: { level: 'normal', stalledShare: 0 },
      container: { kind: 'none' },
    },
  },
});
