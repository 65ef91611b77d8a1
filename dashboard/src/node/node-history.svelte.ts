// The last quarter of an hour of one node: asked for once, then carried on by the live events that the page folds anyway.

import type { HistorySeries, LiveHistory } from '../../../src/core/history/live-history.ts';
import type { NodeId } from '../../../src/core/ids.ts';

export class NodeHistory {
  /** As of `lastSecond`. */
  series: HistorySeries['series'] = $state.raw({});
  lastSecond: number = $state(0);
  readonly #node: NodeId;
  readonly #live: LiveHistory;

  constructor(node: NodeId, live: LiveHistory) {
    this.#node = node;
    this.#live = live;
  }

  /** Fills what was before this page; a failure leaves what the page has seen itself. */
  async load(): Promise<void> {
    const answer = await fetch(`/api/history?node=${this.#node}`, { cache: 'no-store' }).catch(
      () => undefined,
    );
    if (answer?.ok !== true) return;
    const body: unknown = await answer.json().catch(() => undefined);
    if (!isHistory(body)) return;
    const nowMs = performance.now();
    this.#live.load(this.#node, body, nowMs);
    this.refresh(nowMs);
  }

  refresh(nowMs: number): void {
    this.series = this.#live.series(this.#node, nowMs).series;
    this.lastSecond = Math.floor(nowMs / 1_000);
  }
}

const isHistory = (body: unknown): body is HistorySeries =>
  typeof body === 'object' &&
  body !== null &&
  'series' in body &&
  typeof body.series === 'object' &&
  body.series !== null &&
  Object.values(body.series).every(values => Array.isArray(values));
