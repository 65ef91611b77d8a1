// The state of a fleet of simulated nodes on a virtual clock, a second further at each call.

import { applyAll } from '../src/core/apply.ts';
import type { Event } from '../src/core/event.ts';
import { eventClass, factKey } from '../src/core/event-kinds.ts';
import type { NodeId } from '../src/core/ids.ts';
import { EMPTY_STATE, type State } from '../src/core/state.ts';
import type { SimulatedFact } from '../src/simulate/node-reporting.ts';
import { scenarioOfSize } from '../src/simulate/scenario/scenario-of-size.ts';
import { seededNodeKeys } from '../src/simulate/seeded-node-key.ts';
import { Simulation } from '../src/simulate/simulation.ts';
import { VirtualClock } from '../test/support/virtual-clock.ts';

/** The events of the fleet so far, and of one more second at each call. */
export class SimulatedFleet {
  readonly clock: VirtualClock = new VirtualClock();
  readonly #seqs = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #reported: Event[] = [];
  state: State = EMPTY_STATE;

  constructor(nodes: number) {
    const simulation = new Simulation({
      scenario: scenarioOfSize(nodes),
      nodeIds: seededNodeKeys(1, nodes).map(({ nodeId }) => nodeId),
      seed: 1,
      clock: this.clock,
      plimsollVersion: '0.0.0',
      report: (node, facts) => {
        for (const reported of facts) this.#reported.push(this.#eventOf(node, reported));
      },
    });
    this.#running = simulation.run(this.#stop.signal);
  }

  async second(): Promise<void> {
    await this.clock.advance(1_000);
    this.state = applyAll(this.state, this.#reported);
    this.#reported = [];
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #eventOf(origin: NodeId, { fact, ageMs }: SimulatedFact): Event {
    const kindClass = eventClass(fact.kind);
    const seq = (this.#seqs.get(origin + kindClass) ?? 0) + 1;
    this.#seqs.set(origin + kindClass, seq);
    const receivedAtMs = this.clock.nowMs();
    return { origin, epoch: 1, class: kindClass, seq, key: factKey(fact), ageMs, receivedAtMs, ...fact };
  }
}
