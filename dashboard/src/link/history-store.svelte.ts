// Requests the history of one connection from the daemon, again after each new measurement.

import type { ConnectionFacts } from '../../../src/core/link/link-facts.ts';
import { fetchProfiles, HISTORY_RETRY_MS } from '../stream/profile-rows.ts';
import { type LinkPoint, linkPoints } from './link-history.ts';

/** How far back, ms, and how many rows, the newest. */
interface HistorySpan {
  readonly backMs: number;
  readonly rowsMax: number;
}

const MONTH: HistorySpan = { backMs: 30 * 24 * 3_600_000, rowsMax: 1_000 };

export class HistoryStore {
  points: readonly LinkPoint[] = $state.raw([]);
  /** Why the past could not be read; '' where it was. */
  failure: string = $state('');
  /** Nothing was answered yet. */
  isWaiting: boolean = $state(true);
  #requested = '';
  #failedAtMs = Number.NEGATIVE_INFINITY;

  /** Does nothing while the same connection has the same newest measurement. */
  async request(facts: ConnectionFacts | undefined, { backMs, rowsMax }: HistorySpan = MONTH): Promise<void> {
    const requested =
      facts === undefined
        ? ''
        : `${facts.source} ${facts.sink} ${facts.connectionKey} ${facts.measuredAtMs} ${backMs}`;
    const isRetry = this.failure !== '' && performance.now() - this.#failedAtMs >= HISTORY_RETRY_MS;
    if (requested === this.#requested && !isRetry) return;
    this.#requested = requested;
    if (facts === undefined) {
      this.points = [];
      this.failure = '';
      return;
    }
    const answer = await fetchProfiles({
      node: facts.source,
      slot: 'link',
      key: `${facts.sink} ${facts.connectionKey}`,
      backMs: String(backMs),
      limit: String(rowsMax),
    });
    // Another link may have been picked before this reply arrived.
    if (requested !== this.#requested) return;
    this.isWaiting = false;
    this.failure = answer.kind === 'refused' ? answer.reason : '';
    if (answer.kind === 'refused') this.#failedAtMs = performance.now();
    this.points = answer.kind === 'here' ? linkPoints(answer.value) : [];
  }
}
