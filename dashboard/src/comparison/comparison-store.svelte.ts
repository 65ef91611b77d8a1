// A comparison as the daemon tells it: of two runs, which it makes when it is asked, or one that was written into its home, asked
// for again while it goes on and somebody looks.

import type { ComparisonDocument } from '../../../src/core/comparison/comparison-document.ts';
import { comparisonAnswerSchema } from '../../../src/wire/api/comparison-answers.ts';
import { askDaemon } from '../shell/ask-daemon.ts';

export type ComparisonRequest =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'here'; readonly document: ComparisonDocument }
  | { readonly kind: 'absent'; readonly reason: string };

export class ComparisonStore {
  request: ComparisonRequest = $state.raw({ kind: 'waiting' });
  readonly #path: string;
  #isAsking = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Asks now, and every few seconds while it goes on; returns what ends it. */
  follow(): () => void {
    void this.#ask();
    const timer = setInterval(() => {
      const isRunning = this.request.kind === 'here' && this.request.document.state === 'running';
      if (isRunning && document.visibilityState === 'visible') void this.#ask();
    }, COMPARISON_ASK_MS);
    return () => clearInterval(timer);
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const reply = await askDaemon(this.#path, comparisonAnswerSchema);
    this.#isAsking = false;
    if (reply.kind === 'here') this.request = { kind: 'here', document: reply.value.comparison };
    else if (this.request.kind !== 'here') this.request = { kind: 'absent', reason: reply.reason };
  }
}

export const COMPARISON_ASK_MS = 2_000;
export const comparedRunsPath = (a: string, b: string): string =>
  `/api/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`;
