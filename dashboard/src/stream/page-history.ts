// The last quarter of an hour of the nodes that a page has looked at. The daemon records it; a page requests that and continues
// it with the events that it folds. Two hundred nodes have four thousand series, 29 MB.

import type { Event } from '../../../src/core/event.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { LiveHistory } from '../../../src/core/live-history.ts';

export class PageHistory extends LiveHistory {
  readonly #lookedAt = new Set<NodeId>();

  override record(event: Event): void {
    if (this.#lookedAt.has(event.origin)) super.record(event);
  }

  override series(node: NodeId, nowMs: number): ReturnType<LiveHistory['series']> {
    this.#lookedAt.add(node);
    return super.series(node, nowMs);
  }
}
