// The peers that this node measures, from the current state: read every second by the address checks, so the
// choice is made again only when nodes, their places or their work have changed, and at least once a minute
// for the day that passes.

import type { Clock } from '../../clock/clock.ts';
import { standsAt } from '../../core/group/node-place.ts';
import type { NodeId } from '../../core/ids.ts';
import { isSampled } from '../../core/link/measured-pairs.ts';
import { nodeIds, presence } from '../../core/node/presence-view.ts';
import { activeLeases } from '../../core/run/run-selectors.ts';
import type { State } from '../../core/state.ts';
import { knownOr } from '../../core/unknown.ts';
import { chosenPeers, type WhyChosen } from './chosen-peers.ts';

interface MeasuredPeersParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
}

export class MeasuredPeers {
  readonly #parts: MeasuredPeersParts;
  /** A person requested them, until then. */
  readonly #requested = new Map<NodeId, number>();
  #chosen: ReadonlyMap<NodeId, WhyChosen> = new Map();
  #isSampled = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #chosenAtMs = Number.NEGATIVE_INFINITY;
  #seen = '';
  #places: readonly unknown[] = [];

  constructor(parts: MeasuredPeersParts) {
    this.#parts = parts;
  }

  isChosen(node: NodeId): boolean {
    this.#look();
    return !this.#isSampled || this.#chosen.has(node);
  }

  /** For a probe on request: its connection opens within seconds and stays for a while. */
  request(node: NodeId): void {
    this.#requested.delete(node);
    this.#requested.set(node, this.#parts.clock.nowMs() + REQUEST_MS);
    const oldest = this.#requested.keys().next().value;
    if (this.#requested.size > REQUESTS_SHOWN_MAX && oldest !== undefined) this.#requested.delete(oldest);
    this.#lookedAtMs = Number.NEGATIVE_INFINITY;
  }

  #look(): void {
    const { nodeId: self, clock, state: stateOf } = this.#parts;
    const nowMs = clock.nowMs();
    if (nowMs - this.#lookedAtMs < LOOK_AGAIN_MS) return;
    this.#lookedAtMs = nowMs;
    const state = stateOf();
    const ids = nodeIds(state);
    this.#isSampled = isSampled(ids.length);
    if (!this.#isSampled) return;
    for (const [node, untilMs] of this.#requested) if (untilMs <= nowMs) this.#requested.delete(node);
    const present = ids.map(node => presence(state, node, nowMs) !== 'offline');
    const used = [...this.#requested.keys(), ...peersInUse(state, self, nowMs)];
    const seen = `${ids.join(' ')}|${present.join(' ')}|${used.join(' ')}`;
    const places = [state.nodeConfigs, state.nodeContainers];
    const isSame = seen === this.#seen && places.every((map, index) => map === this.#places[index]);
    if (isSame && nowMs - this.#chosenAtMs < CHOOSE_AGAIN_MS) return;
    [this.#seen, this.#places, this.#chosenAtMs] = [seen, places, nowMs];
    const members = ids.map((nodeId, index) => ({
      nodeId,
      ...standsAt(state, nodeId),
      isPresent: present[index] === true,
    }));
    this.#chosen = chosenPeers({ self, members, used, wallMs: clock.wallMs() });
  }
}

/** The other ends of the runs that this node makes, or that are made against it, newest leases of all reporters. */
const peersInUse = (state: State, self: NodeId, nowMs: number): readonly NodeId[] => {
  const peers = new Set<NodeId>();
  for (const { reporter, runner } of activeLeases(state, nowMs)) {
    const target = knownOr(runner.targetNode, undefined);
    if (runner.source !== 'run' || target === undefined || target === reporter) continue;
    if (reporter === self) peers.add(target);
    else if (target === self) peers.add(reporter);
  }
  return [...peers].sort();
};

/** At most this late the choice follows a node that comes, goes or works. */
const LOOK_AGAIN_MS = 2_000;
const CHOOSE_AGAIN_MS = 60_000;
const REQUEST_MS = 600_000;
export const REQUESTS_SHOWN_MAX = 16;
