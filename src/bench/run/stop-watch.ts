// Decides whether a run continues: it ends after a warm-up that was refused, after too many failures within a period,
// and after a period without a success. All by the times of the events themselves, so that a busy machine decides as
// an idle one does.

import { maximumOf } from '../../core/extremes.ts';
import { counted, formatCount } from '../../core/figure/figure.ts';
import { pushAll } from '../../core/push-all.ts';
import { failureLabel } from '../../core/run/failure-text.ts';
import { type CountedFailure, type OutcomeNews, SPAN_NS } from '../../core/run/outcome.ts';
import { type RunStop, type StopRule, type StopRules, stopRuleText } from '../../core/run/run-stop.ts';

export class StopWatch {
  readonly #rules: StopRules;
  readonly #inFlight: () => number;
  readonly #halt = new AbortController();
  readonly #spans: Map<number, { completed: number; failed: number }> = new Map();
  #warmup: { completed: number; failed: number; failures: CountedFailure[] } | undefined = {
    completed: 0,
    failed: 0,
    failures: [],
  };
  #sinceSpan = 0;
  #newestSpan = 0;
  #last: CountedFailure | undefined;
  #stop: RunStop | undefined;

  /** @param inFlight how many requests have been sent and have not ended */
  constructor(rules: StopRules, inFlight: () => number) {
    this.#rules = rules;
    this.#inFlight = inFlight;
  }

  /** Aborts as soon as a rule ends the run. */
  get signal(): AbortSignal {
    return this.#halt.signal;
  }

  get stop(): RunStop | undefined {
    return this.#stop;
  }

  add({ spans, failures }: OutcomeNews): void {
    const warmup = this.#warmup;
    if (warmup !== undefined) {
      for (const [span, completed, failed] of spans) {
        warmup.completed += completed;
        warmup.failed += failed;
        this.#newestSpan = Math.max(this.#newestSpan, span);
      }
      if (warmup.failures.length < FAILURES_KEPT_MAX) pushAll(warmup.failures, failures);
      return;
    }
    this.#last = failures.at(-1) ?? this.#last;
    for (const [number, completed, failed] of spans) {
      const span = this.#spans.get(number) ?? { completed: 0, failed: 0 };
      this.#spans.set(number, span);
      span.completed += completed;
      span.failed += failed;
      this.#newestSpan = Math.max(this.#newestSpan, number);
    }
    this.#forgetOld();
    this.#judge();
  }

  /** The warm-up is over: what ends from here on is of the load. @returns whether the load may start */
  warmedUp(): boolean {
    const warmup = this.#warmup;
    this.#warmup = undefined;
    if (warmup === undefined || this.#rules.keepsGoing) return true;
    const [first] = warmup.failures;
    const isSame = warmup.failures.every(
      ({ kind, statusCode }) => kind === 'http-status' && statusCode === first?.statusCode,
    );
    if (warmup.completed > 0 || first === undefined || !isSame || !REFUSALS.has(first.statusCode))
      return true;
    this.#end({
      cause: 'rejected',
      problem: `every request would fail as ${ofAll(warmup.failed)} of the warm-up did: ${failureText(first)}`,
      advice: 'To send the load all the same: --keep-going.',
      atNs: this.#newestSpan * SPAN_NS,
    });
    return false;
  }

  /** The load starts. @param startNs since the run's zero */
  started(startNs: number): void {
    this.#sinceSpan = Math.floor(startNs / SPAN_NS);
  }

  #judge(): void {
    if (this.#stop !== undefined) return;
    for (const rule of this.#rules.when) this.#judgeShare(rule);
    if (!this.#rules.keepsGoing) this.#judgeSuccess();
  }

  #judgeShare(rule: StopRule): void {
    const ended = this.#within(rule.windowMs);
    if (ended === undefined || this.#stop !== undefined) return;
    const { completed, failed } = ended;
    const all = completed + failed;
    if (all === 0 || failed / all <= rule.failedShareMax) return;
    this.#end({
      cause: 'stop-when',
      problem: `${formatCount(failed)} of ${counted(all, 'request')} that ended within ${rule.windowMs / 1_000} s failed (--stop-when '${stopRuleText(rule)}')${this.#lastText()}`,
      advice: 'What was measured until then is below.',
      atNs: this.#reportedSpan * SPAN_NS,
    });
  }

  /**
   * Requires more failures than requests in flight: a few long answers still in progress are no reason to give up.
   */
  #judgeSuccess(): void {
    const ended = this.#within(NO_SUCCESS_MS);
    if (ended === undefined || this.#stop !== undefined) return;
    if (ended.completed > 0 || ended.failed === 0 || ended.failed <= this.#inFlight()) return;
    this.#end({
      cause: 'nothing-succeeded',
      problem: `no request succeeded for ${NO_SUCCESS_MS / 1_000} s, and ${formatCount(ended.failed)} failed${this.#lastText()}`,
      advice: 'To go on all the same: --keep-going.',
      atNs: this.#reportedSpan * SPAN_NS,
    });
  }

  #end(stop: RunStop): void {
    this.#stop = stop;
    this.#halt.abort();
  }

  /** Up to here every parse thread has reported what ended. */
  get #reportedSpan(): number {
    return this.#newestSpan - LATE_SPANS;
  }

  /** undefined: the load has not run that long. */
  #within(windowMs: number): { readonly completed: number; readonly failed: number } | undefined {
    const to = this.#reportedSpan;
    const from = to - Math.round((windowMs * 1e6) / SPAN_NS);
    if (from < this.#sinceSpan) return undefined;
    let completed = 0;
    let failed = 0;
    for (const [number, span] of this.#spans) {
      if (number <= from || number > to) continue;
      completed += span.completed;
      failed += span.failed;
    }
    return { completed, failed };
  }

  #forgetOld(): void {
    const longestMs = maximumOf([NO_SUCCESS_MS, ...this.#rules.when.map(({ windowMs }) => windowMs)]);
    const from = this.#reportedSpan - Math.round((longestMs * 1e6) / SPAN_NS);
    for (const number of this.#spans.keys()) if (number <= from) this.#spans.delete(number);
  }

  #lastText(): string {
    const last = this.#last;
    if (last === undefined) return '';
    return `; the last one: ${failureText(last)}`;
  }
}

const ofAll = (count: number): string => (count === 1 ? 'the one' : `all ${formatCount(count)} requests`);

const failureText = (failure: CountedFailure): string =>
  `${failureLabel(failure)}${failure.detail === '' ? '' : `, ${failure.detail}`}`.replace(/[.!…]$/u, '');

/** Statuses with which a server refuses the request itself, so that the next one would be refused, too. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 405, 415, 422, 501]);

/** Parse threads report five times a second at least. */
const LATE_SPANS = 3;
const NO_SUCCESS_MS = 30_000;
/** Of a warm-up. */
const FAILURES_KEPT_MAX = 1_000;
