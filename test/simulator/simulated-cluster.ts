// A whole cluster on one virtual clock: machines with disks, a network between them, and what happens to
// both. Every node runs the product's own parts (simulated-process.ts); the truth is recorded separately, for
// the invariants.

import type { NodeId } from '../../src/core/ids.ts';
import { type SeededRandom, seededRandom } from '../../src/core/random.ts';
import { createMemoryDisk, type MemoryDisk } from '../../src/journal/memory-journal.ts';
import { MemoryNetwork } from '../../src/mesh/memory/memory-network.ts';
import { type SeededNodeKey, seededNodeKeys } from '../../src/simulate/seeded-node-key.ts';
import { copyOfDisk } from '../support/copy-of-disk.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { Acknowledged } from './acknowledged.ts';
import type { Mutation } from './mutations.ts';
import { NodeClock } from './node-clock.ts';
import type { SimulatedDiskState } from './simulated-journal.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { SimulatedWire } from './simulated-wire.ts';
import type { Step } from './step.ts';

export interface Machine {
  readonly name: string;
  readonly address: string;
  readonly key: SeededNodeKey;
  readonly clock: NodeClock;
  disk: MemoryDisk;
  state: SimulatedDiskState;
  process: SimulatedProcess | undefined;
  starts: number;
  copy: { readonly disk: MemoryDisk; readonly acknowledged: Acknowledged } | undefined;
}

export class SimulatedCluster {
  readonly clock: VirtualClock = new VirtualClock();
  readonly machines: readonly Machine[];
  readonly wire: SimulatedWire;
  /** For each published value of a memory's bytes: its node and its time, on the shared clock. */
  readonly reported: Map<number, { readonly node: NodeId; readonly atMs: number }> = new Map();
  /** What parts failed with, and invariants that were broken at a moment. */
  readonly problems: string[] = [];
  readonly #network: MemoryNetwork = new MemoryNetwork(this.clock);
  readonly #random: SeededRandom;
  readonly #mutation: Mutation;
  readonly #dying: Promise<void>[] = [];
  /** "a b": what a sends does not reach b, by index. */
  readonly #blocked = new Set<string>();
  /** "a b": how long what a sends to b takes, by index. */
  readonly #delays = new Map<string, number>();
  #lastValue = 0;

  constructor({ seed, nodes, mutation }: { seed: number; nodes: number; mutation: Mutation }) {
    this.#random = seededRandom(seed + 1);
    this.#mutation = mutation;
    this.machines = seededNodeKeys(seed, nodes).map((key, index) => ({
      name: `node-${index}`,
      address: `10.0.0.${index + 1}`,
      key,
      clock: new NodeClock(this.clock, 1_000_000 * (index + 1)),
      disk: createMemoryDisk(),
      state: { isFull: false, acknowledged: new Acknowledged() },
      process: undefined,
      starts: 0,
      copy: undefined,
    }));
    this.wire = new SimulatedWire({
      clock: this.clock,
      flows: (source, sink) => this.#flows(source, sink),
      onMeasure: one => this.problems.push(...this.#measuredConcurrently(one.source, one.sink)),
    });
  }

  get running(): readonly SimulatedProcess[] {
    return this.machines.flatMap(({ process }) => (process === undefined ? [] : [process]));
  }

  async start(index: number): Promise<void> {
    const machine = this.#machine(index);
    if (machine.process !== undefined) return;
    machine.starts += 1;
    const process = await SimulatedProcess.start({
      ...machine,
      start: machine.starts,
      network: this.#network,
      peers: this.machines.filter(other => other !== machine).map(({ name }) => name),
      engine: this.wire.engineOf(machine.key.nodeId),
      random: () => this.#random.next(),
      mutation: this.#mutation,
      onPublished: value => this.reported.set(value, { node: machine.key.nodeId, atMs: this.clock.nowMs() }),
      nextValue: () => {
        this.#lastValue += 1;
        return this.#lastValue;
      },
    });
    machine.process = process;
    process.onFailure(error => this.problems.push(`a part of ${machine.name} failed: ${String(error)}`));
    for (const pair of this.#pairsOf(index)) this.#lay(pair);
    for (const other of this.machines)
      if (other !== machine) process.connect(other.key.nodeId, other.address);
  }

  async happen(step: Step): Promise<void> {
    const machine = this.#machine(step.node);
    switch (step.kind) {
      case 'crash':
      case 'power-loss':
        for (let turn = 0; turn < step.turns; turn += 1) await new Promise(resolve => setImmediate(resolve));
        return this.#die(machine, step.kind);
      case 'start':
        return await this.start(step.node);
      case 'cut':
        this.#block(step.node, step.other);
        return this.#block(step.other, step.node);
      case 'block':
        return this.#block(step.node, step.other);
      case 'delay':
        return this.#delay(`${step.node} ${step.other}`, step.ms);
      case 'heal':
        return this.#heal(step.node, step.other);
      case 'open':
        return machine.process?.connect(machine.key.nodeId, `c ${step.name}`);
      case 'close':
        return machine.process?.disconnect(machine.key.nodeId, `c ${step.name}`);
      case 'copy-home':
        machine.copy = copyOf(machine);
        return;
      case 'restore-home':
        return await this.#restore(step.node);
      case 'disk-full':
        machine.state.isFull = true;
        return;
      case 'disk-room':
        machine.state.isFull = false;
        return;
      case 'compact':
        if (!machine.state.isFull) machine.process?.node.journal.compact();
        return;
      case 'clock-jump':
        return machine.clock.jump(step.ms);
      case 'load':
        return machine.process?.loadUntil(this.clock.nowMs() + step.ms);
      default:
        return step satisfies never;
    }
  }

  /** Everything works again, and runs. */
  async fix(): Promise<void> {
    for (const pair of [...this.#blocked]) {
      const [node, other] = pair.split(' ').map(Number);
      this.#heal(node ?? 0, other ?? 0);
    }
    for (const pair of [...this.#delays.keys()]) this.#delay(pair, 0);
    for (const [index, machine] of this.machines.entries()) {
      machine.state.isFull = false;
      await this.start(index);
    }
  }

  async end(): Promise<void> {
    for (const machine of this.machines) this.#die(machine, 'crash');
    await this.clock.advance(20_000);
    await Promise.all(this.#dying);
  }

  #die(machine: Machine, how: 'crash' | 'power-loss'): void {
    const { process } = machine;
    if (process === undefined) return;
    machine.process = undefined;
    // The dying one keeps the old disk: nothing that it still writes is found by the next.
    machine.disk = copyOfDisk(machine.disk);
    machine.state = { isFull: machine.state.isFull, acknowledged: machine.state.acknowledged.copy() };
    if (how === 'crash') this.#network.crash(process.transport);
    else this.#network.vanish(process.transport);
    this.#dying.push(process.die());
  }

  async #restore(index: number): Promise<void> {
    const machine = this.#machine(index);
    if (machine.copy === undefined) return;
    this.#die(machine, 'crash');
    machine.disk = copyOfDisk(machine.copy.disk);
    machine.state = { isFull: machine.state.isFull, acknowledged: machine.copy.acknowledged.copy() };
    await this.start(index);
  }

  #block(source: number, sink: number): void {
    const pair = `${source} ${sink}`;
    this.#blocked.add(pair);
    this.#lay(pair);
  }

  #heal(one: number, other: number): void {
    for (const pair of [`${one} ${other}`, `${other} ${one}`])
      if (this.#blocked.delete(pair)) this.#lay(pair);
  }

  #delay(pair: string, ms: number): void {
    this.#delays.set(pair, ms);
    this.#lay(pair);
  }

  /** A cable exists independently of the processes at its ends; the network only contains running ones. */
  #lay(pair: string): void {
    const [source, sink] = pair.split(' ').map(index => this.machines[Number(index)]?.process?.transport);
    if (source === undefined || sink === undefined) return;
    if (this.#blocked.has(pair)) this.#network.block(source, sink);
    else this.#network.unblock(source, sink);
    this.#network.delay(source, sink, this.#delays.get(pair) ?? 0);
  }

  /** Both directions of each cable of a machine. */
  #pairsOf(index: number): readonly string[] {
    return [...this.machines.keys()].flatMap(other =>
      other === index ? [] : [`${index} ${other}`, `${other} ${index}`],
    );
  }

  #flows(source: NodeId, sink: NodeId): boolean {
    const [a, b] = [source, sink].map(id => this.machines.findIndex(({ key }) => key.nodeId === id));
    return !this.#blocked.has(`${a} ${b}`) && !this.#blocked.has(`${b} ${a}`);
  }

  /**
   * One measurement per interface, whichever end it is, and none during a benchmark that the node itself
   * reports.
   */
  #measuredConcurrently(source: NodeId, sink: NodeId): readonly string[] {
    const nowMs = this.clock.nowMs();
    const problems: string[] = [];
    const loading = [...this.wire.underWay].filter(one => this.#flows(one.source, one.sink));
    for (const end of [source, sink]) {
      const machine = this.machines.find(({ key }) => key.nodeId === end);
      const beside = loading.filter(one => one.source === end || one.sink === end);
      if (beside.length > 1)
        problems.push(`${beside.length} measurements at once on the interface of ${machine?.name}`);
      const until = machine?.process?.loadedUntilMs ?? Number.NEGATIVE_INFINITY;
      const since = machine?.process?.loadedSinceMs ?? Number.POSITIVE_INFINITY;
      if (nowMs < until && nowMs - since > NOTICED_MS)
        problems.push(`a measurement beside a benchmark on ${machine?.name}`);
    }
    return problems;
  }

  #machine(index: number): Machine {
    const machine = this.machines[index];
    if (machine === undefined) throw new Error(`there is no machine ${index}`);
    return machine;
  }
}

const copyOf = ({ disk, state }: Machine): NonNullable<Machine['copy']> => ({
  disk: copyOfDisk(disk),
  acknowledged: state.acknowledged.copy(),
});

/** A benchmark reports every 2 s, and a prober checks every second. */
const NOTICED_MS = 3_500;
