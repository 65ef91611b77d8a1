// A simulation on a virtual clock, with everything that its nodes said.

import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import type { Fact } from '../../src/core/event.ts';
import type { NodeId } from '../../src/core/ids.ts';
import type { ToldFact } from '../../src/simulate/node-telling.ts';
import { scenarioOfSize } from '../../src/simulate/scenario/scenario-of-size.ts';
import { seededNodeKeys } from '../../src/simulate/seeded-node-key.ts';
import { Simulation } from '../../src/simulate/simulation.ts';

export interface Said extends ToldFact {
  readonly node: NodeId;
  readonly atMs: number;
}

export class SimulatedWorld implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly said: Said[] = [];
  /** What works on every node besides what is simulated. */
  activity: string | undefined;
  readonly simulation: Simulation;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    count: number,
    { seed = 1, pastStepSeconds }: { seed?: number; pastStepSeconds?: number } = {},
  ) {
    this.simulation = new Simulation({
      scenario: scenarioOfSize(count),
      nodeIds: seededNodeKeys(seed, count).map(({ nodeId }) => nodeId),
      seed,
      clock: this.clock,
      plimsollVersion: '0.0.0-test',
      activity: () => this.activity,
      ...(pastStepSeconds === undefined ? {} : { pastStepSeconds }),
      tell: (node, facts) => {
        for (const told of facts) this.said.push({ ...told, node, atMs: this.clock.nowMs() });
      },
    });
    this.#running = this.simulation.run(this.#stop.signal);
  }

  nodeNamed(name: string): NodeId {
    const site = this.simulation.wiring.sites.find(({ machine }) => machine.name === name);
    if (site === undefined) throw new Error(`nobody is called ${name}`);
    return site.nodeId;
  }

  /** Of one kind, in the order in which they were said. */
  facts<K extends Fact['kind']>(kind: K): readonly (Said & { readonly fact: Extract<Fact, { kind: K }> })[] {
    return this.said.filter(
      (one): one is Said & { readonly fact: Extract<Fact, { kind: K }> } => one.fact.kind === kind,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}
