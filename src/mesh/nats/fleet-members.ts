// Which nodes of a fleet are there: those that published a moment ago, by this node's own clock; and which are not heard
// for a while because of what they published.

import type { NodeId } from '../../core/ids.ts';

export class FleetMembers {
  readonly #heardAtMs = new Map<NodeId, number>();
  readonly #mutedUntilMs = new Map<NodeId, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** @returns whether it was not there before; one beyond the bound is not taken up. */
  heard(node: NodeId): boolean {
    const isNew = !this.#heardAtMs.has(node);
    if (isNew && this.#heardAtMs.size >= FLEET_MEMBERS_MAX) return false;
    this.#heardAtMs.set(node, this.#nowMs());
    return isNew;
  }

  has(node: NodeId): boolean {
    return this.#heardAtMs.has(node);
  }

  get size(): number {
    return this.#heardAtMs.size;
  }

  get nodes(): ReadonlySet<NodeId> {
    return new Set(this.#heardAtMs.keys());
  }

  /** Removes those that were silent too long. */
  sweep(): readonly NodeId[] {
    const before = this.#nowMs() - MEMBER_SILENT_MS;
    const gone = [...this.#heardAtMs].filter(([, atMs]) => atMs < before).map(([node]) => node);
    for (const node of gone) this.#heardAtMs.delete(node);
    return gone;
  }

  isMuted(node: NodeId): boolean {
    const untilMs = this.#mutedUntilMs.get(node);
    if (untilMs === undefined || untilMs > this.#nowMs()) return untilMs !== undefined;
    this.#mutedUntilMs.delete(node);
    return false;
  }

  mute(node: NodeId): void {
    this.#mutedUntilMs.set(node, this.#nowMs() + MUTED_MS);
  }

  clear(): void {
    this.#heardAtMs.clear();
  }
}

export const FLEET_MEMBERS_MAX = 4_096;
/** Three digests. */
const MEMBER_SILENT_MS = 15_000;
const MUTED_MS = 60_000;
