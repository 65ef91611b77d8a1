// What the daemon holds of one sweep or line beside the stream: its whole stages, asked for again every second while it goes
// on and somebody looks, and its document once it has ended.

import type { SweepId } from '../../../src/core/ids.ts';
import { type PicturedStage, picturedStages } from '../../../src/core/sweep/pictured-stage.ts';
import { sweepAnswerSchema } from '../../../src/wire/api/sweep-answers.ts';
import { askDaemon } from '../shell/ask-daemon.ts';

const SWEEP_ASK_MS = 1_000;

export class SweepFilesStore {
  /** Undefined where only the digest of the cluster is known. */
  stages: readonly PicturedStage[] | undefined = $state.raw(undefined);
  /** Why there are no whole stages; '' where there are, or before they came. */
  notice: string = $state.raw('');
  readonly #path: string;
  #isAsking = false;

  constructor(sweepId: SweepId) {
    this.#path = `/api/sweeps/${encodeURIComponent(sweepId)}`;
  }

  /** Asks now, and again while `isLive`; returns what ends it. */
  follow(isLive: boolean): () => void {
    void this.#ask();
    if (!isLive) return () => undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void this.#ask();
    }, SWEEP_ASK_MS);
    return () => clearInterval(timer);
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const reply = await askDaemon(this.#path, sweepAnswerSchema);
    this.#isAsking = false;
    if (reply.kind === 'refused') {
      this.notice = reply.reason;
      return;
    }
    const { document: written, stages, notice } = reply.value;
    const whole = written?.stages ?? stages;
    this.notice = notice;
    if (whole.length > 0) this.stages = picturedStages(whole);
  }
}
