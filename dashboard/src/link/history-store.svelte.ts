// Asks the daemon for the past of one connection, again when it was measured anew.

import type { ConnectionFacts } from '../../../src/core/link/link-facts.ts';
import type { HistoryPoint } from './link-history.ts';
import { historyPoints } from './link-history.ts';

const BACK_MS = 30 * 24 * 3_600_000;
const ROWS_MAX = 1_000;

export class HistoryStore {
  points: readonly HistoryPoint[] = $state.raw([]);
  #asked = '';

  /** Does nothing while the same connection has the same newest measurement. */
  async ask(facts: ConnectionFacts | undefined): Promise<void> {
    const asked =
      facts === undefined ? '' : `${facts.source} ${facts.sink} ${facts.connectionKey} ${facts.measuredAtMs}`;
    if (asked === this.#asked) return;
    this.#asked = asked;
    if (facts === undefined) {
      this.points = [];
      return;
    }
    const query = new URLSearchParams({
      node: facts.source,
      slot: 'link',
      key: `${facts.sink} ${facts.connectionKey}`,
      backMs: String(BACK_MS),
      limit: String(ROWS_MAX),
    });
    const answer = await fetch(`/api/history?${query}`, { cache: 'no-store' }).catch(() => undefined);
    const body: unknown = answer?.ok === true ? await answer.json().catch(() => undefined) : undefined;
    // Another link may have been picked while this answer was on its way.
    if (asked === this.#asked) this.points = historyPoints(body);
  }
}
