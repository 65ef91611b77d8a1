// A comparison as the daemon returns it: of two runs, which it calculates on request, or a stored one, requested again while it
// is in progress and visible.

import type { ComparisonDocument } from '../../../src/core/comparison/comparison-document.ts';
import {
  comparisonAnswerSchema,
  knownComparisonAnswerSchema,
} from '../../../src/wire/api/comparison-answers.ts';
import { fetchDaemon } from '../shell/fetch-daemon.ts';

type ComparisonRequest =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'here'; readonly document: ComparisonDocument }
  | { readonly kind: 'absent'; readonly reason: string };

export class ComparisonStore {
  request: ComparisonRequest = $state.raw({ kind: 'waiting' });
  readonly #request: () => Promise<ComparisonRequest>;
  #isFetching = false;

  constructor(request: () => Promise<ComparisonRequest>) {
    this.#request = request;
  }

  /** Asks now, and every few seconds while it goes on; returns what ends it. */
  follow(): () => void {
    void this.#again();
    const timer = setInterval(() => {
      const isRunning = this.request.kind === 'here' && this.request.document.state === 'running';
      if (isRunning && document.visibilityState === 'visible') void this.#again();
    }, COMPARISON_REQUEST_MS);
    return () => clearInterval(timer);
  }

  async #again(): Promise<void> {
    if (this.#isFetching) return;
    this.#isFetching = true;
    const request = await this.#request();
    this.#isFetching = false;
    if (request.kind === 'here' || this.request.kind !== 'here') this.request = request;
  }
}

const COMPARISON_REQUEST_MS = 2_000;

export const fetchComparedRuns = async (a: string, b: string): Promise<ComparisonRequest> => {
  const path = `/api/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`;
  const reply = await fetchDaemon(path, comparisonAnswerSchema);
  return reply.kind === 'here' ? { kind: 'here', document: reply.value.comparison } : absent(reply.reason);
};

export const fetchComparison = async (id: string): Promise<ComparisonRequest> => {
  const reply = await fetchDaemon(`/api/comparisons/${encodeURIComponent(id)}`, knownComparisonAnswerSchema);
  if (reply.kind !== 'here') return absent(reply.reason);
  const { comparison, notice } = reply.value;
  return comparison === null ? absent(notice) : { kind: 'here', document: comparison };
};

const absent = (reason: string): ComparisonRequest => ({ kind: 'absent', reason });
