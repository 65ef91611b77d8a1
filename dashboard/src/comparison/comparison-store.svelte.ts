// A comparison as the daemon tells it: of two runs, which it makes when it is asked, or one that was written, asked for again while
// it goes on and somebody looks.

import type { ComparisonDocument } from '../../../src/core/comparison/comparison-document.ts';
import {
  comparisonAnswerSchema,
  knownComparisonAnswerSchema,
} from '../../../src/wire/api/comparison-answers.ts';
import { askDaemon } from '../shell/ask-daemon.ts';

type ComparisonRequest =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'here'; readonly document: ComparisonDocument }
  | { readonly kind: 'absent'; readonly reason: string };

export class ComparisonStore {
  request: ComparisonRequest = $state.raw({ kind: 'waiting' });
  readonly #ask: () => Promise<ComparisonRequest>;
  #isAsking = false;

  constructor(ask: () => Promise<ComparisonRequest>) {
    this.#ask = ask;
  }

  /** Asks now, and every few seconds while it goes on; returns what ends it. */
  follow(): () => void {
    void this.#again();
    const timer = setInterval(() => {
      const isRunning = this.request.kind === 'here' && this.request.document.state === 'running';
      if (isRunning && document.visibilityState === 'visible') void this.#again();
    }, COMPARISON_ASK_MS);
    return () => clearInterval(timer);
  }

  async #again(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const request = await this.#ask();
    this.#isAsking = false;
    if (request.kind === 'here' || this.request.kind !== 'here') this.request = request;
  }
}

const COMPARISON_ASK_MS = 2_000;

export const askComparedRuns = async (a: string, b: string): Promise<ComparisonRequest> => {
  const path = `/api/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`;
  const reply = await askDaemon(path, comparisonAnswerSchema);
  return reply.kind === 'here' ? { kind: 'here', document: reply.value.comparison } : absent(reply.reason);
};

export const askComparison = async (id: string): Promise<ComparisonRequest> => {
  const reply = await askDaemon(`/api/comparisons/${encodeURIComponent(id)}`, knownComparisonAnswerSchema);
  if (reply.kind !== 'here') return absent(reply.reason);
  const { comparison, notice } = reply.value;
  return comparison === null ? absent(notice) : { kind: 'here', document: comparison };
};

const absent = (reason: string): ComparisonRequest => ({ kind: 'absent', reason });
