// The last quarter of an hour of one node: asked for once, then carried on by the live events that the page folds anyway.

import type { NodeId } from '../../../src/core/ids.ts';
import type { HistorySeries, LiveHistory } from '../../../src/core/live-history.ts';
import { liveHistoryAnswerSchema } from '../../../src/wire/api/history-answers.ts';
import { fetchDaemon } from '../shell/fetch-daemon.ts';

export class NodeHistory {
  /** As of `lastSecond`. */
  series: HistorySeries['series'] = $state.raw({});
  lastSecond: number = $state(0);
  /** Why what was before this page is not in it; '' where it is. */
  refused: string = $state('');
  readonly #node: NodeId;
  readonly #live: LiveHistory;

  constructor(node: NodeId, live: LiveHistory) {
    this.#node = node;
    this.#live = live;
  }

  /** Fills what was before this page; a failure leaves what the page has seen itself. */
  async load(): Promise<void> {
    const reply = await fetchDaemon(`/api/history?node=${this.#node}`, liveHistoryAnswerSchema);
    this.refused = reply.kind === 'refused' ? reply.reason : '';
    if (reply.kind === 'refused') return;
    const nowMs = performance.now();
    this.#live.load(this.#node, reply.value, nowMs);
    this.refresh(nowMs);
  }

  refresh(nowMs: number): void {
    this.series = this.#live.series(this.#node, nowMs).series;
    this.lastSecond = Math.floor(nowMs / 1_000);
  }
}
