// A simulation on a virtual clock, with everything that its nodes reported.

import { applyAll } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../src/core/event-kinds.ts';
import type { NodeId } from '../../src/core/ids.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import type { SimulatedFact } from '../../src/simulate/node-reporting.ts';
import type { Scenario } from '../../src/simulate/scenario/scenario.ts';
import { scenarioOfSize, withoutFaults } from '../../src/simulate/scenario/scenario-of-size.ts';
import { seededNodeKeys } from '../../src/simulate/seeded-node-key.ts';
import { Simulation } from '../../src/simulate/simulation.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

export interface AgentReply extends SimulatedFact {
  readonly node: NodeId;
  readonly atMs: number;
}

/** What a node reports in place of a fact: for faults that no scenario has. */
type ChangedFact = (name: string, fact: Fact, atMs: number) => Fact;

export class SimulatedWorld implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly reported: AgentReply[] = [];
  /** Activity on every node in addition to the simulation. */
  activity: string | undefined;
  readonly simulation: Simulation;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #seqs = new Map<string, number>();
  #state: State = EMPTY_STATE;
  #appliedCount = 0;

  constructor(
    of: number | Scenario,
    {
      seed = 1,
      pastStepSeconds,
      hasFaults = true,
      change = (_name, fact) => fact,
    }: { seed?: number; pastStepSeconds?: number; hasFaults?: boolean; change?: ChangedFact } = {},
  ) {
    const scenario = typeof of === 'number' ? scenarioOfSize(of) : of;
    this.simulation = new Simulation({
      scenario: hasFaults ? scenario : withoutFaults(scenario),
      nodeIds: seededNodeKeys(seed, scenario.machines.length).map(({ nodeId }) => nodeId),
      seed,
      clock: this.clock,
      plimsollVersion: '0.0.0-test',
      activity: () => this.activity,
      ...(pastStepSeconds === undefined ? {} : { pastStepSeconds }),
      report: (node, facts) => {
        const name = this.simulation.wiring.sites.find(({ nodeId }) => nodeId === node)?.machine.name ?? node;
        const atMs = this.clock.nowMs();
        for (const reported of facts)
          this.reported.push({ ...reported, fact: change(name, reported.fact, atMs), node, atMs });
      },
      onAway: (node, away) => {
        if (away === 'stopped') this.#stopNode(node);
      },
    });
    for (const { node, awayMs, facts } of this.simulation.remaining())
      for (const reported of facts)
        this.reported.push({ ...reported, node, atMs: this.clock.nowMs() - awayMs });
    this.#running = this.simulation.run(this.#stop.signal);
  }

  nodeNamed(name: string): NodeId {
    const site = this.simulation.wiring.sites.find(({ machine }) => machine.name === name);
    if (site === undefined) throw new Error(`nobody is called ${name}`);
    return site.nodeId;
  }

  /** The events of one kind, in the order in which they were reported. */
  facts<K extends Fact['kind']>(
    kind: K,
  ): readonly (AgentReply & { readonly fact: Extract<Fact, { kind: K }> })[] {
    return this.reported.filter(
      (one): one is AgentReply & { readonly fact: Extract<Fact, { kind: K }> } => one.fact.kind === kind,
    );
  }

  /** Of everything until now. */
  get state(): State {
    const news = this.reported.slice(this.#appliedCount).map(reported => this.#event(reported));
    this.#appliedCount = this.reported.length;
    this.#state = applyAll(this.#state, news);
    return this.#state;
  }

  #event({ node, fact, ageMs, atMs }: AgentReply): Event {
    const kindClass = eventClass(fact.kind);
    const seq = (this.#seqs.get(node + kindClass) ?? 0) + 1;
    this.#seqs.set(node + kindClass, seq);
    const head = {
      origin: node,
      epoch: 1,
      class: kindClass,
      seq,
      key: factKey(fact),
      ageMs,
      receivedAtMs: atMs,
    };
    return { ...head, ...fact };
  }

  /** As its daemon would when a person stops it. */
  #stopNode(node: NodeId): void {
    const durableSeq = this.reported.filter(
      one => one.node === node && eventClass(one.fact.kind) === 'durable',
    ).length;
    const fact: Fact = { kind: 'node.stopping', payload: { durableEpoch: 1, durableSeq } };
    this.reported.push({ fact, ageMs: 0, node, atMs: this.clock.nowMs() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

/** The state after everything that was reported. */
export const stateOf = (world: SimulatedWorld): State => world.state;
