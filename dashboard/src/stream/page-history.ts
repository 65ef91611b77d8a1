// The last quarter of an hour as a page keeps it: of every node of a small cluster; of a large one only of the nodes that
// somebody has looked at. Two hundred nodes have four thousand series, 29 MB, and a node's page asks the daemon for the past.

import type { Event } from '../../../src/core/event.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { LiveHistory } from '../../../src/core/live-history.ts';

export class PageHistory extends LiveHistory {
  /** Whether only nodes that were looked at are kept. */
  isOfMany = false;
  readonly #lookedAt = new Set<NodeId>();

  override record(event: Event): void {
    if (!this.isOfMany || this.#lookedAt.has(event.origin)) super.record(event);
  }

  override series(node: NodeId, nowMs: number): ReturnType<LiveHistory['series']> {
    this.#lookedAt.add(node);
    return super.series(node, nowMs);
  }
}
