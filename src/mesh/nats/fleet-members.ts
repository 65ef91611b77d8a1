// Which nodes of a fleet are present: those that published recently, by this node's own clock; and which are
// muted for a while because of what they published.

import type { HostPort } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import type { FleetProblem } from './fleet-problem.ts';
import type { FleetSubscriptions } from './fleet-subjects.ts';

/** What a node reports in its digests about its subscription, by number: all readings, or those of its rack. */
export const FLEET_WAYS: Readonly<Record<FleetSubscriptions, number>> = { all: 1, group: 2 };

export class FleetMembers {
  readonly #lastMessageAtMs = new Map<NodeId, number>();
  readonly #ofGroups = new Set<NodeId>();
  readonly #mutedUntilMs = new Map<NodeId, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** @returns whether it was absent before; one above the limit is not added. */
  received(node: NodeId): boolean {
    const isNew = !this.#lastMessageAtMs.has(node);
    if (isNew && this.#lastMessageAtMs.size >= FLEET_MEMBERS_MAX) return false;
    this.#lastMessageAtMs.set(node, this.#nowMs());
    return isNew;
  }

  /** `way` as in its digest; an unknown one counts as all readings. */
  neighboursChanged(node: NodeId, way: number): void {
    if (!this.#lastMessageAtMs.has(node)) return;
    if (way === FLEET_WAYS.group) this.#ofGroups.add(node);
    else this.#ofGroups.delete(node);
  }

  /** Some node does not receive all readings. */
  get hasOfGroups(): boolean {
    return this.#ofGroups.size > 0;
  }

  has(node: NodeId): boolean {
    return this.#lastMessageAtMs.has(node);
  }

  get size(): number {
    return this.#lastMessageAtMs.size;
  }

  get nodes(): ReadonlySet<NodeId> {
    return new Set(this.#lastMessageAtMs.keys());
  }

  /** Removes those that were silent for too long. */
  sweep(): readonly NodeId[] {
    const before = this.#nowMs() - MEMBER_SILENT_MS;
    const gone = [...this.#lastMessageAtMs].filter(([, atMs]) => atMs < before).map(([node]) => node);
    for (const node of gone) for (const map of [this.#lastMessageAtMs, this.#ofGroups]) map.delete(node);
    return gone;
  }

  isMuted(node: NodeId): boolean {
    const untilMs = this.#mutedUntilMs.get(node);
    if (untilMs === undefined || untilMs > this.#nowMs()) return untilMs !== undefined;
    this.#mutedUntilMs.delete(node);
    return false;
  }

  /** If there are more than the limit, the one that was muted first is accepted again. */
  mute(node: NodeId): void {
    const first = this.#mutedUntilMs.keys().next().value;
    if (this.#mutedUntilMs.size >= FLEET_MEMBERS_MAX && first !== undefined) this.#mutedUntilMs.delete(first);
    this.#mutedUntilMs.set(node, this.#nowMs() + MUTED_MS);
  }

  clear(): void {
    for (const map of [this.#lastMessageAtMs, this.#ofGroups]) map.clear();
  }
}

export const FLEET_MEMBERS_MAX = 4_096;
/** Three digest intervals. */
const MEMBER_SILENT_MS = 15_000;
const MUTED_MS = 60_000;

// The state of a node's connection to its fleet's server.
export type FleetStanding =
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'connected';
      readonly server: HostPort;
      readonly version: string;
      /** It does not accept records. */
      readonly trouble: FleetProblem | undefined;
    }
  | { readonly kind: 'failed'; readonly problem: FleetProblem };
