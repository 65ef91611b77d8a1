// Events of a simulated cluster in which every node is connected to every other twice: the state that apply handles
// when a mesh is complete, and the mix of events that such a mesh sends.

import type { Event } from '../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../src/core/ids.ts';
import { LINK_FIGURES } from '../test/support/link-figures.ts';

/** Numbers the facts of its nodes as their origins would: gapless for durable ones, one counter for live ones. */
export class ClusterEvents {
  readonly nodes: readonly NodeId[];
  readonly #seqs = new Map<string, number>();
  #made = 0;

  constructor(nodeCount: number) {
    this.nodes = Array.from({ length: nodeCount }, (_, index) => nodeId(`n${index}`.padEnd(26, 'a')));
  }

  /** Every node's readings, connections and link profiles: what a state holds before the measured events come. */
  first(): readonly Event[] {
    return this.nodes.flatMap(origin => [
      ...READING_FACTS.map(fact => this.#event(origin, fact(this.#made))),
      ...this.nodes
        .filter(sink => sink !== origin)
        .flatMap(sink =>
          ADDRESSES.flatMap(address => [
            this.#event(origin, connectionFact(sink, address)),
            this.#event(origin, profileFact(sink, address, this.#made)),
          ]),
        ),
    ]);
  }

  /** The next events in the proportions of a running mesh: the gatherers' intervals over ten seconds. */
  mixed(count: number): readonly Event[] {
    return this.#next(count, (origin, turn) => {
      const kind = turn % MIX.length;
      const fact = MIX[kind];
      return fact === undefined ? this.#profile(origin, turn) : fact(turn);
    });
  }

  /** The costliest kind alone: nested source, sink, key. */
  linkProfiles(count: number): readonly Event[] {
    return this.#next(count, (origin, turn) => this.#profile(origin, turn));
  }

  #next(count: number, factOf: (origin: NodeId, turn: number) => Fact): readonly Event[] {
    return Array.from({ length: count }, () => {
      const origin = this.#node(this.#made);
      return this.#event(origin, factOf(origin, Math.floor(this.#made / this.nodes.length)));
    });
  }

  #profile(origin: NodeId, turn: number): Fact {
    const sink = this.#node(turn);
    const other = sink === origin ? this.#node(turn + 1) : sink;
    return profileFact(other, ADDRESSES[turn % ADDRESSES.length] ?? '', turn);
  }

  #node(index: number): NodeId {
    return this.nodes[index % this.nodes.length] ?? nodeId('');
  }

  #event(origin: NodeId, fact: Fact): Event {
    const kindClass = eventClass(fact.kind);
    const counter = `${origin} ${kindClass}`;
    const seq = (this.#seqs.get(counter) ?? 0) + 1;
    this.#seqs.set(counter, seq);
    this.#made += 1;
    const head = { origin, epoch: 1, class: kindClass, seq, key: factKey(fact), ageMs: 1 };
    return { ...head, receivedAtMs: this.#made, ...fact };
  }
}

const memoryFact = (turn: number): Fact => ({
  kind: 'memory.gathered',
  payload: {
    source: 'procfs',
    intervalMs: 500,
    value: {
      totalBytes: 512e9,
      availableBytes: 300e9 + turn,
      swapTotalBytes: 0,
      swapUsedBytes: 0,
      pressure: { level: 'normal', stalledShare: 0 },
      container: { kind: 'none' },
    },
  },
});

const systemFact = (turn: number): Fact => ({
  kind: 'system.gathered',
  payload: {
    source: 'procfs',
    intervalMs: 1_000,
    value: {
      cpuUse: (turn % 100) / 100,
      cpuTemperatureCelsius: 61,
      cpuPowerWatts: 88,
      systemPowerWatts: 410,
      loadAverage1: 3,
      uptimeSeconds: turn,
      cpuClusters: [],
    },
  },
});

const gpuLoadsFact = (turn: number): Fact => ({
  kind: 'gpuLoads.gathered',
  payload: {
    source: 'nvidia-smi',
    intervalMs: 1_000,
    value: {
      vendor: 'nvidia',
      devices: Array.from({ length: 8 }, (_, index) => ({
        deviceId: `GPU-${index}`,
        use: (turn % 100) / 100,
        memoryUsedBytes: 70e9,
        temperatureCelsius: 55,
        powerWatts: 480,
        clockMhz: 1_755,
        pcieNow: { generation: 5, width: 16 },
        throttleReasons: [],
      })),
    },
  },
});

const confirmedFact = (reading: 'identity' | 'network' | 'config') => (): Fact => ({
  kind: 'reading.confirmed',
  payload: { reading, vendor: 'none', source: 'procfs', intervalMs: 10_000 },
});

const connectionFact = (sink: NodeId, sinkAddress: string): Fact => ({
  kind: 'connection.opened',
  payload: {
    kind: 'socket',
    sink,
    sinkAddress,
    sourceInterface: 'eth0',
    sinkInterface: 'eth0',
    type: 'ethernet',
    negotiatedBitsPerSecond: 100e9,
  },
});

const profileFact = (sink: NodeId, sinkAddress: string, turn: number): Fact => ({
  kind: 'link.profiled',
  payload: {
    sink,
    connectionKey: `socket ${sinkAddress}`,
    ...LINK_FIGURES,
    uploadBitsPerSecond: 90e9 + turn,
    downloadBitsPerSecond: 91e9,
    roundTripNsMin: 11_000,
    roundTripNsP50: 14_000,
    roundTripNsP99: 40_000,
    jitterNs: 900,
    bytesUsed: 1_000_000,
  },
});

const ADDRESSES = ['192.0.2.1', '198.51.100.1'];

const READING_FACTS = [
  memoryFact,
  systemFact,
  gpuLoadsFact,
  confirmedFact('identity'),
  confirmedFact('network'),
];

/** Ten seconds of one node: memory twice a second, system and GPU loads once, a link profile in five minutes each. */
const MIX: readonly (((turn: number) => Fact) | undefined)[] = [
  ...Array.from({ length: 10 }, () => [memoryFact, systemFact, memoryFact, gpuLoadsFact]).flat(),
  confirmedFact('identity'),
  confirmedFact('network'),
  confirmedFact('config'),
  undefined,
  undefined,
  undefined,
  undefined,
];
