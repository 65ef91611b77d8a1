// The peers that this node measures, from the current state: read every second by the address checks, so the
// choice is made again only when nodes, their places or their work have changed, and at least once a minute
// for the day that passes.

import type { Clock } from '../../clock/clock.ts';
import { groupPlaceOf } from '../../core/group/node-place.ts';
import type { NodeId } from '../../core/ids.ts';
import { isSampled } from '../../core/link/link-view.ts';
import { nodeIds, presence } from '../../core/node/presence-view.ts';
import { activeLeases } from '../../core/run/run-selectors.ts';
import type { State } from '../../core/state.ts';
import { knownOr } from '../../core/unknown.ts';

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
  #inputs: readonly unknown[] = [];

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
    const inputs = [state.nodeConfigs, state.nodeContainers];
    const isSame = seen === this.#seen && inputs.every((map, index) => map === this.#inputs[index]);
    if (isSame && nowMs - this.#chosenAtMs < CHOOSE_AGAIN_MS) return;
    [this.#seen, this.#inputs, this.#chosenAtMs] = [seen, inputs, nowMs];
    const members = ids.map((nodeId, index) => ({
      nodeId,
      ...groupPlaceOf(state, nodeId),
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

// Which peers a node measures. Up to 64 nodes it is all of them; a thousand would be half a million links.
// Above that each node chooses by itself, by hashes of the day and of ids, without communication: the nodes
// of its own group, three others drawn each day, and for each two groups the one pair that represents them
// that day. Nodes that see the same members make the same choice; one that joins or leaves changes the choice
// only where it wins or won a draw (rendezvous hashing, Thaler and Ravishankar 1998).
export interface FleetMember {
  readonly nodeId: NodeId;
  readonly site: string | undefined;
  readonly rack: string | undefined;
  /**
   * Only those are chosen. The size of a group includes the others too, so that one that comes and goes moves
   * no limit.
   */
  readonly isPresent: boolean;
}

interface PeerChoice {
  readonly self: NodeId;
  /** All that are known and not forgotten, this one among them. */
  readonly members: readonly FleetMember[];
  /** At the other end of what runs now, most important first. */
  readonly used: readonly NodeId[];
  /** Wall time. A wrong clock only draws another day's pairs. */
  readonly wallMs: number;
}

/**
 * `all`: few enough. `group`: of its own site or rack. `drawn`: one of three. `pair`: they represent their
 * groups. `used`: by a run.
 */
type WhyChosen = 'all' | 'group' | 'drawn' | 'pair' | 'used';

export const chosenPeers = (choice: PeerChoice): ReadonlyMap<NodeId, WhyChosen> => {
  const { self, members, used } = choice;
  // Until this node's place is known, it has none.
  const own = members.find(({ nodeId }) => nodeId === self) ?? nowhere(self);
  const others = members.filter(member => member.nodeId !== self && member.isPresent);
  if (!isSampled(members.length)) return new Map(others.map(({ nodeId }) => [nodeId, 'all']));
  const chosen = new Map<NodeId, WhyChosen>();
  const present = new Set(others.map(({ nodeId }) => nodeId));
  const add = (nodes: Iterable<NodeId>, why: WhyChosen): void => {
    for (const node of nodes) if (present.has(node) && !chosen.has(node)) chosen.set(node, why);
  };
  add(used.slice(0, USED_MAX), 'used');
  add(neighbours(choice, own), 'group');
  add(standsIn(choice, own), 'pair');
  const rest = others.filter(({ nodeId }) => !chosen.has(nodeId));
  add(drawn(rest, { seed: `${self} drawn`, wallMs: choice.wallMs, count: DRAWN_COUNT }), 'drawn');
  return chosen;
};

const nowhere = (nodeId: NodeId): FleetMember => ({
  nodeId,
  site: undefined,
  rack: undefined,
  isPresent: true,
});

/** All of its site if that is small, else all of its rack, else a few of it. */
const neighbours = ({ self, members, wallMs }: PeerChoice, own: FleetMember): readonly NodeId[] => {
  const ofSite = own.site === undefined ? [] : members.filter(({ site }) => site === own.site);
  if (ofSite.length > 1 && ofSite.length <= GROUP_MEASURED_MAX) return idsOf(ofSite);
  const ofGroup = members.filter(member => groupKeyOf(member) === groupKeyOf(own));
  if (ofGroup.length <= GROUP_MEASURED_MAX) return idsOf(ofGroup);
  const there = ofGroup.filter(({ nodeId, isPresent }) => isPresent && nodeId !== self);
  return drawn(there, { seed: `${self} group`, wallMs, count: NEIGHBOURS_COUNT });
};

/**
 * The nodes of other groups that this one measures because the two represent their groups. The day of each
 * pair starts at another moment; if a node must represent more groups than it may measure at once, those
 * whose day is youngest count, so that each is measured when its day starts.
 */
const standsIn = ({ self, members, wallMs }: PeerChoice, own: FleetMember): readonly NodeId[] => {
  const groups = Map.groupBy(
    members.filter(member => member.isPresent || member.nodeId === self),
    groupKeyOf,
  );
  const ownKey = groupKeyOf(own);
  const ownGroup = groups.get(ownKey) ?? [];
  const duties: { readonly sinceMs: number; readonly sink: NodeId }[] = [];
  for (const [key, group] of groups) {
    if (key === ownKey) continue;
    const [first, second] = key < ownKey ? [key, ownKey] : [ownKey, key];
    const pair = hashOf(`${first}\n${second}`);
    const day = mixed(pair, dayOf(wallMs, pair));
    // One of the two groups measures today, the other one another day.
    if ((day & 1) === (ownKey === first ? 1 : 0) || winner(ownGroup, day) !== self) continue;
    const sink = winner(group, mixed(day, SINK_SALT));
    if (sink !== undefined) duties.push({ sinceMs: intoDayMs(wallMs, pair), sink });
  }
  return duties
    .sort((a, b) => a.sinceMs - b.sinceMs || (a.sink < b.sink ? -1 : 1))
    .slice(0, DUTIES_MAX)
    .map(({ sink }) => sink);
};

/** Racks of one name at two sites are two. */
export const groupKeyOf = ({ site = '', rack = '' }: FleetMember): string => `${site}/${rack}`;

const drawn = (
  members: readonly FleetMember[],
  { seed, wallMs, count }: { readonly seed: string; readonly wallMs: number; readonly count: number },
): readonly NodeId[] => {
  const base = hashOf(seed);
  const day = mixed(base, dayOf(wallMs, base));
  return members
    .map(({ nodeId }) => ({ nodeId, rank: mixed(day, hashOf(nodeId)) }))
    .sort((a, b) => b.rank - a.rank || (a.nodeId < b.nodeId ? -1 : 1))
    .slice(0, count)
    .map(({ nodeId }) => nodeId);
};

const winner = (members: readonly FleetMember[], seed: number): NodeId | undefined => {
  let best: NodeId | undefined;
  let bestRank = -1;
  for (const { nodeId } of members) {
    const rank = mixed(seed, hashOf(nodeId));
    if (rank < bestRank || (rank === bestRank && best !== undefined && best < nodeId)) continue;
    [best, bestRank] = [nodeId, rank];
  }
  return best;
};

const idsOf = (members: readonly FleetMember[]): readonly NodeId[] => members.map(({ nodeId }) => nodeId);

/**
 * Days start at another moment for each seed, so that a fleet does not change all of its links at midnight.
 */
const dayOf = (wallMs: number, seed: number): number => Math.floor((wallMs + offsetMs(seed)) / DAY_MS);

const intoDayMs = (wallMs: number, seed: number): number => (wallMs + offsetMs(seed)) % DAY_MS;

const offsetMs = (seed: number): number => (seed / 2 ** 32) * DAY_MS;

/** FNV-1a (Fowler, Noll, Vo), 32 bits. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mixed(hash >>> 0, 0);
};

/** The finaliser of MurmurHash3 (A. Appleby, public domain) over both numbers: 0 to below 2³². */
const mixed = (one: number, other: number): number => {
  let hash = Math.imul(one ^ Math.imul(other, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  hash = Math.imul(hash ^ (other >>> 15), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
};

/** Nodes of a site or a rack in which every node measures every other. */
export const GROUP_MEASURED_MAX = 64;
/** In a larger one without racks, each measures this many. */
export const NEIGHBOURS_COUNT = 8;
export const DRAWN_COUNT = 3;
/** Groups that one node represents at once. */
export const DUTIES_MAX = 16;
export const USED_MAX = 16;
const DAY_MS = 86_400_000;
const SINK_SALT = 0x5eed;
