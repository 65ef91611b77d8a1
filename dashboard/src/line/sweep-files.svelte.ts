// What the daemon has of one sweep or line in addition to the stream: its whole stages, requested again every second while it is
// in progress and visible, and its document once it has ended.

import type { SweepId } from '../../../src/core/ids.ts';
import type { LineCost } from '../../../src/core/run/run-cost.ts';
import { type PicturedStage, picturedStages } from '../../../src/render/sweep/pictured-stage.ts';
import { sweepAnswerSchema } from '../../../src/wire/api/sweep-answers.ts';
import { fetchDaemon } from '../shell/fetch-daemon.ts';

const SWEEP_REQUEST_MS = 1_000;

export class SweepFilesStore {
  /** Undefined where only the digest of the cluster is known. */
  stages: readonly PicturedStage[] | undefined = $state.raw(undefined);
  /** Of a line that has ended, if there are prices. */
  cost: LineCost | undefined = $state.raw(undefined);
  /** Why there are no whole stages; '' where there are, or before they came. */
  notice: string = $state.raw('');
  readonly #path: string;
  #isFetching = false;

  constructor(sweepId: SweepId) {
    this.#path = `/api/sweeps/${encodeURIComponent(sweepId)}`;
  }

  /** Asks now, and again while `isLive`; returns what ends it. */
  follow(isLive: boolean): () => void {
    void this.#request();
    if (!isLive) return () => undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void this.#request();
    }, SWEEP_REQUEST_MS);
    return () => clearInterval(timer);
  }

  async #request(): Promise<void> {
    if (this.#isFetching) return;
    this.#isFetching = true;
    const reply = await fetchDaemon(this.#path, sweepAnswerSchema);
    this.#isFetching = false;
    if (reply.kind === 'refused') {
      this.notice = reply.reason;
      return;
    }
    const { document: written, stages, notice } = reply.value;
    const whole = written?.stages ?? stages;
    this.notice = notice;
    this.cost = written !== null && 'cost' in written ? written.cost : undefined;
    if (whole.length > 0) this.stages = picturedStages(whole);
  }
}
