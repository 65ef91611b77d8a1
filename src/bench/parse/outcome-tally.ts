// Counts how the requests of a parse thread ended since the last message, by event time.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import {
  type CountedFailure,
  FAILURES_MAX,
  type OutcomeNews,
  type OutcomeSpan,
  SPAN_NS,
} from '../../core/run/outcome-news.ts';

export class OutcomeTally {
  /** Spans since the last message, which is sent several times a second. */
  #spans: Map<number, { completed: number; failed: number }> = new Map();
  #failures: Map<string, { -readonly [Key in keyof CountedFailure]: CountedFailure[Key] }> = new Map();

  add({ outcome, endNs, failure }: EndedSample): void {
    if (outcome === 'cancelled') return;
    const number = Math.floor(endNs / SPAN_NS);
    const span = this.#spans.get(number) ?? { completed: 0, failed: 0 };
    this.#spans.set(number, span);
    if (outcome === 'completed') span.completed += 1;
    else span.failed += 1;
    if (failure === undefined) return;
    const key = `${failure.kind} ${failure.statusCode} ${failure.detail}`;
    const known = this.#failures.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#failures.size < FAILURES_MAX) this.#failures.set(key, { ...failure, count: 1 });
  }

  /** undefined: nothing has ended. */
  take(): OutcomeNews | undefined {
    if (this.#spans.size === 0) return undefined;
    const spans = [...this.#spans].map(
      ([span, { completed, failed }]): OutcomeSpan => [span, completed, failed],
    );
    const failures = [...this.#failures.values()];
    this.#spans = new Map();
    this.#failures = new Map();
    return { spans, failures };
  }
}
