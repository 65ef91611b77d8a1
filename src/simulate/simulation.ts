// Runs a simulated cluster on a clock: every node speaks once a second, spread over it, and nothing but the seed and the
// clock decides what it says.

import type { Clock } from '../clock/clock.ts';
import type { NodeId } from '../core/ids.ts';
import type { ProbeSubject } from '../core/probe/probe-status.ts';
import type { AnsweredWish } from './asked-probes.ts';
import { LIVE_INTERVAL_MS } from './live-readings.ts';
import type { ToldFact } from './node-telling.ts';
import { NodeTelling } from './node-telling.ts';
import type { Scenario } from './scenario/scenario.ts';
import type { Wiring } from './site.ts';
import { wire } from './site.ts';

export interface SimulationOptions {
  readonly scenario: Scenario;
  /** One a machine. */
  readonly nodeIds: readonly NodeId[];
  readonly seed: number;
  readonly clock: Clock;
  readonly plimsollVersion: string;
  /** Seconds between two moments of the quarter of an hour that is told as past; undefined: no past. */
  readonly pastStepSeconds?: number;
  /** What works on a node besides what is simulated; undefined: nothing ever does. */
  readonly activity?: (node: NodeId) => string | undefined;
  /** Takes what a node says, in order. */
  readonly tell: (node: NodeId, facts: readonly ToldFact[]) => void;
}

export class Simulation {
  readonly wiring: Wiring;
  readonly #options: SimulationOptions;
  readonly #tellings: readonly NodeTelling[];

  constructor(options: SimulationOptions) {
    const { scenario, nodeIds, seed, plimsollVersion } = options;
    this.#options = options;
    this.wiring = wire(scenario, nodeIds);
    this.#tellings = this.wiring.sites.map(
      site =>
        new NodeTelling({
          site,
          wiring: this.wiring,
          seed,
          plimsollVersion,
          activity: () => options.activity?.(site.nodeId),
        }),
    );
  }

  /** Measures now what is meant of one node; none where there is no such node. */
  ask(node: NodeId, isMeant: (subject: ProbeSubject) => boolean): readonly AnsweredWish[] {
    return this.#tellings.find(({ site }) => site.nodeId === node)?.ask(isMeant) ?? [];
  }

  /** Until the signal aborts; resolves then. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, tell, pastStepSeconds } = this.#options;
    const beganAtMs = clock.nowMs();
    try {
      for (const telling of this.#tellings) {
        if (pastStepSeconds !== undefined) tell(telling.site.nodeId, telling.past(pastStepSeconds));
        tell(telling.site.nodeId, telling.begin(clock.nowMs() - beganAtMs));
        // A breath between two nodes: whoever serves a page in this process is not kept waiting.
        await clock.sleep(0, signal);
      }
      for (let step = 0; ; step += 1) {
        await clock.sleep(Math.max(0, beganAtMs + (step + 1) * STEP_MS - clock.nowMs()), signal);
        const nowMs = clock.nowMs() - beganAtMs;
        for (let index = step % STEPS; index < this.#tellings.length; index += STEPS) {
          const telling = this.#tellings[index];
          if (telling !== undefined) tell(telling.site.nodeId, telling.tick(nowMs));
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** Nodes speak in turns, a part of them at a time. */
const STEPS = 10;
const STEP_MS: number = LIVE_INTERVAL_MS / STEPS;
