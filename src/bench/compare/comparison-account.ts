// The state of a comparison by pairs in progress: its document, judged again after each pair, reported at each change
// and written after each pair.

import {
  type ComparedMetric,
  type ComparisonDocument,
  judgedModels,
} from '../../core/comparison/comparison-document.ts';
import { comparisonSentence } from '../../core/comparison/comparison-labels.ts';
import { COMPARISON_METRICS } from '../../core/comparison/comparison-metrics.ts';
import { judgePairs, type PairQuestion, refusedOr } from '../../core/comparison/judge-pairs.ts';
import { errorCode } from '../../core/problem.ts';
import { contaminationOf } from '../../core/run/contamination.ts';
import { type FailedStop, failedStopReason } from '../../core/run/failed-stop.ts';
import { boundShare } from '../../core/run/figure-verdict.ts';
import type { Report } from '../../core/run/report.ts';
import { knownOr, unknown } from '../../core/unknown.ts';
import { diskReason } from '../../process/disk-reason.ts';
import type { ComparedSide } from './compared-side.ts';
import { hindered, type PrimaryMetric, pairRefusals } from './pair-refusals.ts';

interface AccountOptions {
  readonly question: PairQuestion;
  readonly restMs: number;
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  /** The document before the first segment. */
  readonly document: ComparisonDocument;
  /** Pairs of an earlier session, which both sides have already. */
  readonly pairs: number;
  /** @throws the file system's error */
  write(document: ComparisonDocument): Promise<void>;
  changed(document: ComparisonDocument): void;
}

export class ComparisonAccount {
  readonly #options: AccountOptions;
  #document: ComparisonDocument;
  #pairs: number;
  #running: { readonly pair: number; readonly side: 'a' | 'b' } | undefined;
  #segments = 0;
  #measuredMs = 0;
  #isJudged = false;
  /** Each once, in the order they came. */
  #notes: readonly string[];

  constructor(options: AccountOptions) {
    this.#options = options;
    this.#pairs = options.pairs;
    this.#notes = options.document.notices;
    this.#document = { ...options.document, state: 'running' };
  }

  get document(): ComparisonDocument {
    return this.#document;
  }

  get pairs(): number {
    return this.#pairs;
  }

  get isRefused(): boolean {
    return this.#document.refusals.length > 0 && !this.#document.isAnyway;
  }

  segmentBegan(running: { readonly pair: number; readonly side: 'a' | 'b' } | undefined): void {
    this.#running = running;
    this.#report();
  }

  segmentEnded(elapsedMs: number): void {
    this.#segments += 1;
    this.#measuredMs += elapsedMs;
  }

  /** Whether the client limited the newest reports. */
  isHindered(reports: readonly Report[]): boolean {
    return hindered(reports, this.#primary).length > 0;
  }

  /** @returns whether no further pair is needed. */
  pairEnded(): boolean {
    this.#pairs += 1;
    this.#running = undefined;
    return this.judge();
  }

  judge(): boolean {
    this.#isJudged = true;
    const { question } = this.#options;
    const [a, b] = [this.#options.a.summary(this.#pairs), this.#options.b.summary(this.#pairs)];
    const { metrics, verdict, look, isOver } = judgePairs(a.units, b.units, question);
    this.#document = { ...this.#document, a, b, metrics };
    const { looks, isAnyway, isSameModel } = this.#document;
    const { refusals, notices } = judgedModels(
      pairRefusals({
        a: { model: a.model, reports: this.#options.a.reports.slice(0, this.#pairs) },
        b: { model: b.model, reports: this.#options.b.reports.slice(0, this.#pairs) },
        primary: this.#primary,
      }),
      { isSameModel, isVerifiable: true },
    );
    const reports = [this.#options.a, this.#options.b].flatMap(side => side.reports);
    const isNew = look !== undefined && looks.at(-1)?.pairs !== look.pairs;
    const judged = {
      ...this.#document,
      notices: [...this.#notes, ...notices, ...pairNotes({ metrics, reports })],
      refusals,
      looks: isNew ? [...looks, look] : looks,
      verdict: refusedOr(verdict, refusals, isAnyway),
    };
    this.#document = { ...judged, sentence: comparisonSentence(judged) };
    this.#report();
    return isOver;
  }

  /** Adds each sentence once; shown at the next judgement. */
  addNotices(notes: readonly string[]): void {
    this.#notes = [...new Set([...this.#notes, ...notes])];
  }

  endEarly(reason: string): void {
    this.#document = { ...this.#document, state: 'interrupted', endedEarly: reason };
  }

  /** Requests of a segment failed until a rule ended it. */
  endStopped(stopped: FailedStop): void {
    this.endEarly(`it ended ${failedStopReason(stopped)}`);
    this.#document = { ...this.#document, stopped };
  }

  async write(): Promise<void> {
    try {
      await this.#options.write(this.#document);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      this.endEarly(`comparison.json could not be written: ${diskReason(error)}`);
    }
  }

  async end(isStopped: boolean): Promise<ComparisonDocument> {
    if (this.#isJudged) this.judge();
    const { state } = this.#document;
    this.#running = undefined;
    this.#document = {
      ...this.#document,
      state: isStopped ? 'stopped' : state === 'running' ? 'complete' : state,
      ...(isStopped
        ? { endedEarly: `it was stopped after ${pairsText(this.#pairs)}${this.#uncounted()}` }
        : {}),
    };
    this.#report();
    await this.write();
    this.#options.changed(this.#document);
    return this.#document;
  }

  get #primary(): PrimaryMetric {
    const { primary: name } = this.#options.question;
    return { name, marginShare: this.#document.metrics.find(({ isPrimary }) => isPrimary)?.marginShare ?? 0 };
  }

  #uncounted(): string {
    const counted = this.#document.looks.at(-1)?.pairs;
    if (counted === undefined) return ', before the first look: nothing is decided';
    return counted === this.#pairs ? '' : `; figures are of the look at ${counted}`;
  }

  #report(): void {
    const { progress: _old, ...rest } = this.#document;
    const { question, restMs, a, b, changed } = this.#options;
    const next = question.plan.looks.find(({ pairs }) => pairs > this.#pairs);
    const segmentMs = this.#segments === 0 ? 0 : this.#measuredMs / this.#segments;
    const progress = {
      pairsDone: this.#pairs,
      segment: this.#running ?? unknown('between segments'),
      nextLookMs:
        next === undefined || this.#pairs === 0
          ? unknown('no pair is done yet')
          : 2 * (next.pairs - this.#pairs) * (segmentMs + restMs),
    };
    this.#document = {
      ...rest,
      a: a.summary(this.#pairs),
      b: b.summary(this.#pairs),
      ...(rest.state === 'running' ? { progress } : {}),
    };
    changed(this.#document);
  }
}

const pairsText = (pairs: number): string => (pairs === 1 ? '1 pair' : `${pairs} pairs`);

// Notes about the segments that a reader needs next to their figures: where this client is a visible part of a
// figure, and what spoils figures on both sides equally, so that they can still be compared.
interface NotedPairs {
  readonly metrics: readonly ComparedMetric[];
  /** Of both sides. */
  readonly reports: readonly Report[];
}

const pairNotes = ({ metrics, reports }: NotedPairs): readonly string[] => {
  const visible = metrics.filter(({ name, marginShare }) => {
    const row = COMPARISON_METRICS.find(each => each.name === name);
    return reports.some(report => {
      const part = row?.clientPart(report);
      return part !== undefined && boundShare(part) > marginShare;
    });
  });
  const codes = new Set(
    reports.flatMap(report => knownOr(contaminationOf(report), []).map(({ code }) => code)),
  );
  return [
    ...(visible.length === 0
      ? []
      : [
          `In a segment or more this client may have made more than the margin of ${visible.map(({ label }) => label).join(', ')}: a change of that size may be its own`,
        ]),
    ...(codes.size === 0
      ? []
      : [`Figures are spoiled (${[...codes].join(', ')}): the reports of the segments say by what`]),
  ];
};
