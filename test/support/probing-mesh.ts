// Nodes on a network in memory that probe their links and devices, with the product's own replication, requests, leases and
// reconciler on one virtual clock. Only the engines are made up.

import type { NodeId } from '../../src/core/ids.ts';
import { pathEnds, pathProfiles } from '../../src/core/link/link-path.ts';
import type { LinkProfile } from '../../src/core/link/link-profile.ts';
import type { NetworkInterface } from '../../src/core/node/network.ts';
import { seededRandom } from '../../src/core/random.ts';
import type { Runner } from '../../src/core/run/run.ts';
import { unknown } from '../../src/core/unknown.ts';
import { generateNodeKey, type NodeKey } from '../../src/daemon/node-key.ts';
import { createMemoryDisk, type MemoryDisk } from '../../src/journal/memory-journal.ts';
import { MemoryNetwork } from '../../src/mesh/memory/memory-network.ts';
import type { MeshTransport } from '../../src/mesh/mesh.ts';
import { MeshRequests } from '../../src/mesh/mesh-requests.ts';
import type { DeviceLock } from '../../src/probe/device-lock.ts';
import { LeaseServer } from '../../src/probe/lease/lease-server.ts';
import { LoadRunner } from '../../src/probe/load/load-runner.ts';
import type { ProbeDevice, ProbeDeviceNow } from '../../src/probe/probe.ts';
import { ProbeRunner } from '../../src/probe/reconcile/probe-runner.ts';
import { Reconciler } from '../../src/probe/reconcile/reconciler.ts';
import { PortLocks } from '../../src/probe/schedule/port-locks.ts';
import type { ProbeLogEntry } from '../../src/probe/schedule/probe-log.ts';
import type { ProbeSettings } from '../../src/probe/schedule/probe-settings.ts';
import { SpendLedger } from '../../src/probe/schedule/spend-ledger.ts';
import { MadeUpEngine } from './made-up-engine.ts';
import { MeshNode } from './mesh-node.ts';
import { VirtualClock } from './virtual-clock.ts';

export const PROBE_SETTINGS: ProbeSettings = {
  isEnabled: true,
  gpuTtlMs: 3_600_000,
  socketTtlMs: 300_000,
  rdmaTtlMs: 21_600_000,
  bandwidthShare: 0.02,
  bytesPerHourMax: 50e9,
};

export interface ProbingNode {
  readonly id: NodeId;
  readonly address: string;
  readonly transport: MeshTransport;
  readonly node: MeshNode;
  readonly disk: MemoryDisk;
  readonly requests: MeshRequests;
  readonly reconciler: Reconciler;
  readonly loads: LoadRunner;
  readonly engine: MadeUpEngine;
  readonly rdma: MadeUpEngine;
  settings: ProbeSettings;
  devices: readonly ProbeDevice[];
  probeDevice: ProbeDeviceNow;
  lockDevices: (what: string) => DeviceLock;
}

interface ProbingMeshOptions {
  /** Only from the lesser id to the greater one: no other end to measure from. */
  readonly isOneWay?: boolean;
  readonly names: readonly string[];
  readonly settings?: Partial<ProbeSettings>;
  readonly seed?: number;
  /** False: nobody answers for leases. */
  readonly leases?: (index: number) => boolean;
}

export class ProbingMesh implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly network: MemoryNetwork = new MemoryNetwork(this.clock);
  readonly nodes: ProbingNode[] = [];
  readonly log: ProbeLogEntry[] = [];
  readonly engine: MadeUpEngine = new MadeUpEngine(this.clock);
  readonly rdma: MadeUpEngine = new MadeUpEngine(this.clock);
  readonly #stop = new AbortController();
  readonly #work: Promise<unknown>[] = [];
  readonly #random: () => number;

  /** Linked all to all, each with eth0 and a connection from each to each. */
  static async start(options: ProbingMeshOptions): Promise<ProbingMesh> {
    const mesh = new ProbingMesh(options.seed ?? 1);
    // In the order of their ids: the end with the lesser one measures.
    const keys = options.names.map(() => generateNodeKey()).sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
    for (const [index, key] of keys.entries())
      await mesh.#add({ name: options.names[index] ?? '', key, index }, options);
    for (let turn = 0; turn < 1_000 && !mesh.#areLinked(); turn += 1) await mesh.clock.advance(50);
    if (!mesh.#areLinked()) throw new Error('the nodes did not meet');
    for (const source of mesh.nodes)
      for (const sink of mesh.nodes)
        if (sink !== source && (options.isOneWay !== true || source.id < sink.id)) mesh.connect(source, sink);
    await mesh.clock.advance(1_000);
    return mesh;
  }

  private constructor(seed: number) {
    const random = seededRandom(seed);
    this.#random = () => random.next();
  }

  at(index: number): ProbingNode {
    const node = this.nodes[index];
    if (node === undefined) throw new Error(`there is no node ${index}`);
    return node;
  }

  connect(source: ProbingNode, sink: ProbingNode): void {
    source.node.recorder.record({
      kind: 'connection.opened',
      payload: {
        kind: 'socket',
        sink: sink.id,
        sinkAddress: sink.address,
        sourceInterface: 'eth0',
        sinkInterface: 'eth0',
        type: 'ethernet',
        negotiatedBitsPerSecond: 1e9,
      },
    });
  }

  connectRdma(source: ProbingNode, sink: ProbingNode): void {
    source.node.recorder.record({
      kind: 'connection.opened',
      payload: {
        kind: 'rdma',
        sink: sink.id,
        sourceInterface: 'mlx5_0',
        sinkInterface: 'mlx5_0',
        type: 'roce',
        negotiatedBitsPerSecond: 100e9,
      },
    });
  }

  /** Of a path, the newest attempt from either end, as `source` has it: a path is measured once. */
  profile(
    source: ProbingNode,
    sink: ProbingNode,
    kind: 'socket' | 'rdma' = 'socket',
  ): LinkProfile | undefined {
    const { state } = source.node;
    const names = kind === 'socket' ? 'eth0 eth0' : 'mlx5_0 mlx5_0';
    const paths = pathProfiles(pathEnds(state, source.id, sink.id));
    return paths.get(`${kind} ${names}`)?.tried.entry.value;
  }

  /** Reports a benchmark against `node`, from the node itself unless another sends it; due every 2 s. */
  lease(node: ProbingNode, sender: ProbingNode = node, source: Runner['source'] = 'run'): void {
    sender.node.recorder.record({
      kind: 'runner.reported',
      payload: { runnerKey: 'run r1', source, targetNode: node.id, requestsInFlight: 4 },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.clock.advance(2_000);
    await Promise.all(this.#work);
    for (const { node, transport } of this.nodes) {
      await transport[Symbol.asyncDispose]();
      await node.stop();
    }
  }

  async #add(
    { name, key, index }: { readonly name: string; readonly key: NodeKey; readonly index: number },
    options: ProbingMeshOptions,
  ): Promise<void> {
    const { clock, network } = this;
    const transport = network.transport({ name, identity: key, start: 1 });
    await transport.start(this.#stop.signal);
    for (const { transport: other } of this.nodes) network.connect(transport, other);
    const disk = createMemoryDisk();
    const node = new MeshNode({ clock, key, disk, mesh: transport });
    const requests = new MeshRequests({ mesh: transport, clock });
    const self = key.nodeId;
    const started: { current: ProbingNode | undefined } = { current: undefined };
    const settings = (): ProbeSettings =>
      started.current?.settings ?? { ...PROBE_SETTINGS, ...options.settings };
    const nowMs = (): number => clock.nowMs();
    const locks = new PortLocks(nowMs);
    const common = {
      self,
      clock,
      random: this.#random,
      state: () => node.state,
      settings,
      requests,
      engines: { socket: this.engine, rdma: this.rdma },
      locks,
      ledger: new SpendLedger(nowMs, settings),
      log: (entry: ProbeLogEntry) => this.log.push(entry),
      record: (fact: Parameters<MeshNode['recorder']['record']>[0]) => node.recorder.record(fact),
    };
    const server = new LeaseServer({ ...common, newTicket: () => `ticket ${index} ${this.#random()}` });
    const running = {
      ...common,
      lockDevices: (what: string): DeviceLock =>
        started.current?.lockDevices(what) ?? { kind: 'unguarded', reason: 'no home here' },
      probeDevice: (...[device, signal]: Parameters<ProbeDeviceNow>) =>
        (started.current?.probeDevice ?? unready)(device, signal),
      devices: () => started.current?.devices ?? [],
    };
    const reconciler = new Reconciler({ ...running, runner: new ProbeRunner(running) });
    const address = `10.0.0.${index + 1}`;
    const probing: ProbingNode = {
      id: self,
      address,
      transport,
      node,
      disk,
      requests,
      reconciler,
      loads: new LoadRunner(running),
      engine: this.engine,
      rdma: this.rdma,
      settings: settings(),
      devices: [],
      probeDevice: unready,
      lockDevices: () => ({ kind: 'unguarded', reason: 'no home here' }),
    };
    started.current = probing;
    this.nodes.push(probing);
    reportHardware(node, address);
    const { signal } = this.#stop;
    this.#work.push(requests.run(signal), reconciler.run(signal), this.#use(node, signal));
    if (options.leases?.(index) ?? true) this.#work.push(server.run(signal));
  }

  /** As gatherers do, so that the node is there. */
  async #use(node: MeshNode, signal: AbortSignal): Promise<void> {
    for (let count = 1; !signal.aborted; count += 1) {
      node.reportMemory(count);
      await this.clock.sleep(5_000, signal).catch(() => undefined);
    }
  }

  #areLinked(): boolean {
    return this.nodes.every(({ transport }) => transport.links.size === this.nodes.length - 1);
  }
}

const unready: ProbeDeviceNow = () =>
  Promise.resolve({ kind: 'failed', reason: 'no device here', bytesUsed: 0 });

const reportHardware = (node: MeshNode, address: string): void => {
  node.recorder.record({
    kind: 'network.gathered',
    payload: { source: 'test', intervalMs: 10_000, value: { interfaces: [ethernet('eth0', address)] } },
  });
  node.recorder.record({
    kind: 'rdmaDevices.gathered',
    payload: {
      source: 'test',
      intervalMs: 10_000,
      value: {
        isEnabled: true,
        devices: [
          {
            name: 'mlx5_0',
            nodeGuid: unknown('test'),
            systemImageGuid: unknown('test'),
            firmware: unknown('test'),
            ports: [
              {
                number: 1,
                state: 'active',
                physicalState: 'LinkUp',
                linkLayer: 'ethernet',
                rateBitsPerSecond: 100e9,
                activeMtuBytes: 4_096,
                interfaceName: 'eth0',
                subnetPrefix: unknown('test'),
              },
            ],
          },
        ],
      },
    },
  });
};

const ethernet = (name: string, address: string): NetworkInterface => ({
  name,
  type: 'ethernet',
  typeEvidence: 'test',
  macAddress: unknown('test'),
  isUp: true,
  speedBitsPerSecond: 1e9,
  mtuBytes: 1_500,
  driver: unknown('test'),
  addresses: [{ address, family: 'ipv4', prefixLength: 24, scope: 'global' }],
  members: [],
});
