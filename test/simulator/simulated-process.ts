// One life of a simulated daemon: the product's own transport, replication, requests, leases and reconciler
// over a network in memory. When it dies nothing of it is received again, and its disk is what it was at that
// moment.

import type { NodeId } from '../../src/core/ids.ts';
import type { NetworkInterface } from '../../src/core/node/network.ts';
import { unknown } from '../../src/core/unknown.ts';
import { JOURNAL_RETRY_MS } from '../../src/daemon/event-recorder.ts';
import type { MemoryDisk } from '../../src/journal/memory-journal.ts';
import type { MemoryNetwork } from '../../src/mesh/memory/memory-network.ts';
import type { MeshTransport } from '../../src/mesh/mesh.ts';
import { MeshRequests } from '../../src/mesh/mesh-requests.ts';
import { LeaseServer } from '../../src/probe/lease/lease-server.ts';
import type { LinkEngine } from '../../src/probe/link-engine.ts';
import { ProbeRunner } from '../../src/probe/reconcile/probe-runner.ts';
import { Reconciler } from '../../src/probe/reconcile/reconciler.ts';
import { PortLocks } from '../../src/probe/schedule/port-locks.ts';
import { SpendLedger } from '../../src/probe/schedule/spend-ledger.ts';
import type { SeededNodeKey } from '../../src/simulate/seeded-node-key.ts';
import { MeshNode } from '../support/mesh-node.ts';
import { PROBE_SETTINGS } from '../support/probing-mesh.ts';
import type { Mutation } from './mutations.ts';
import type { NodeClock } from './node-clock.ts';
import { type SimulatedDiskState, simulatedJournal } from './simulated-journal.ts';

interface SimulatedProcessParts {
  readonly name: string;
  readonly address: string;
  readonly key: SeededNodeKey;
  /** Greater than that of the life before. */
  readonly start: number;
  readonly clock: NodeClock;
  readonly network: MemoryNetwork;
  readonly peers: readonly string[];
  readonly disk: MemoryDisk;
  readonly state: SimulatedDiskState;
  readonly engine: LinkEngine;
  readonly random: () => number;
  readonly mutation: Mutation;
  /** Called with each value that the node publishes of its memory. */
  readonly onPublished: (availableBytes: number) => void;
  readonly nextValue: () => number;
}

export class SimulatedProcess {
  readonly node: MeshNode;
  readonly transport: MeshTransport;
  readonly locks: PortLocks;
  /** The shared clock, ms: until then a benchmark loads the node. */
  loadedUntilMs: number = Number.NEGATIVE_INFINITY;
  loadedSinceMs: number = Number.POSITIVE_INFINITY;
  readonly #parts: SimulatedProcessParts;
  readonly #stop = new AbortController();
  readonly #work: Promise<unknown>[];

  static async start(parts: SimulatedProcessParts): Promise<SimulatedProcess> {
    const { network, name, key, start, random } = parts;
    const transport = network.transport({ name, identity: key, start, random });
    const process = new SimulatedProcess(parts, transport);
    await transport.start(process.#stop.signal);
    for (const peer of parts.peers) transport.addCandidate({ address: peer, port: 4_181, source: 'static' });
    return process;
  }

  private constructor(parts: SimulatedProcessParts, transport: MeshTransport) {
    const { clock: own, key, disk, state, engine, random, mutation } = parts;
    const clock = mutation.clock(own);
    this.#parts = parts;
    this.transport = transport;
    this.node = new MeshNode({
      clock,
      key,
      disk,
      nonce: `start ${this.#parts.start}`,
      mesh: transport,
      wrapJournal: journal => mutation.journal(simulatedJournal(journal, key.nodeId, state)),
      wrapStore: store => mutation.store(store, () => clock.nowMs()),
    });
    const requests = new MeshRequests({ mesh: transport, clock });
    const nowMs = (): number => clock.nowMs();
    const settings = () => PROBE_SETTINGS;
    const locks = mutation.locks(new PortLocks(nowMs));
    this.locks = locks;
    const common = {
      self: key.nodeId,
      clock,
      random,
      state: () => mutation.probedState(this.node.state),
      settings,
      requests,
      engines: { socket: engine, rdma: engine },
      locks,
      ledger: new SpendLedger(nowMs, settings),
      log: () => undefined,
      record: (fact: Parameters<MeshNode['record']>[0]) => this.node.recorder.record(fact),
    };
    const leases = new LeaseServer({ ...common, newTicket: () => `ticket ${parts.name} ${random()}` });
    const runner = new ProbeRunner({
      ...common,
      lockDevices: () => ({ kind: 'unguarded', reason: 'no device here' }),
      probeDevice: () => Promise.resolve({ kind: 'failed', reason: 'no device here', bytesUsed: 0 }),
    });
    const reconciler = new Reconciler({ ...common, devices: () => [], runner });
    const { signal } = this.#stop;
    this.node.record(networkFact(parts.address));
    this.#work = [
      requests.run(signal),
      leases.run(signal),
      reconciler.run(signal),
      this.#every(PUBLISH_MS, () => this.#use()),
      this.#every(LOAD_REPORTING_MS, () => this.#reportLoad()),
      this.#every(JOURNAL_RETRY_MS, () => this.node.recorder.retry()),
    ];
  }

  get id(): NodeId {
    return this.node.id;
  }

  /** What one of its parts failed with, and nothing after a death. */
  onFailure(reported: (error: unknown) => void): void {
    for (const work of this.#work)
      work.catch((error: unknown) => {
        if (!this.#stop.signal.aborted) reported(error);
      });
  }

  /** From now on, without a pause where it was loaded already. */
  loadUntil(ms: number): void {
    const nowMs = this.#parts.clock.sharedMs();
    if (nowMs >= this.loadedUntilMs) this.loadedSinceMs = nowMs;
    this.loadedUntilMs = Math.max(this.loadedUntilMs, ms);
  }

  /** A durable fact that other starts of this node publish with the same content. */
  connect(sink: NodeId, sinkAddress: string): void {
    this.node.record({
      kind: 'connection.opened',
      payload: {
        kind: 'socket',
        sink,
        sinkAddress,
        sourceInterface: 'eth0',
        sinkInterface: 'eth0',
        type: 'ethernet',
        negotiatedBitsPerSecond: 1e9,
      },
    });
  }

  disconnect(sink: NodeId, sinkAddress: string): void {
    const connectionKey = `socket ${sinkAddress}`;
    this.node.record({ kind: 'connection.closed', payload: { sink, connectionKey, reason: 'ended' } });
  }

  /** Its network is gone before; the promise ends with the last of its waits. */
  async die(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#work);
    await this.transport[Symbol.asyncDispose]();
    await this.node.stop();
  }

  #use(): void {
    const value = this.#parts.nextValue();
    this.#parts.onPublished(value);
    this.node.reportMemory(value);
  }

  #reportLoad(): void {
    if (this.#parts.clock.sharedMs() >= this.loadedUntilMs) return;
    this.node.record({
      kind: 'runner.reported',
      payload: { runnerKey: 'run r1', source: 'run', targetNode: this.id, requestsInFlight: 4 },
    });
  }

  async #every(ms: number, act: () => void): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      act();
      await this.#parts.clock.sleep(ms, signal).catch(() => undefined);
    }
  }
}

const PUBLISH_MS = 5_000;
/** As a run renews its lease. */
const LOAD_REPORTING_MS = 2_000;

const networkFact = (address: string): Parameters<MeshNode['record']>[0] => ({
  kind: 'network.gathered',
  payload: { source: 'simulation', intervalMs: 10_000, value: { interfaces: [ethernet('eth0', address)] } },
});

const ethernet = (name: string, address: string): NetworkInterface => ({
  name,
  type: 'ethernet',
  typeEvidence: 'simulation',
  macAddress: unknown('simulation'),
  isUp: true,
  speedBitsPerSecond: 1e9,
  mtuBytes: 1_500,
  driver: unknown('simulation'),
  addresses: [{ address, family: 'ipv4', prefixLength: 24, scope: 'global' }],
  members: [],
});
