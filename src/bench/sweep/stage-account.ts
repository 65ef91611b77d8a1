// The data of a stage in progress: facts go into the ledger of the decider and into the few columns that its figures
// need.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { ObjectiveTally } from '../../core/run/objective-tally.ts';
import { isOpenLoop, type RunPattern } from '../../core/run/run-pattern.ts';
import { isCapped, type RunShape } from '../../core/run/run-shape.ts';
import { RawValues } from '../../core/statistics/raw-values.ts';
import { sampleFigures } from '../../metrics/sample-figures.ts';
import { StageLedger } from '../line/stage-ledger.ts';
import type { StageCriterion } from './stage-criteria.ts';
import type { StageFacts } from './stage-sampler.ts';

export class StageAccount implements StageFacts {
  readonly ledger: StageLedger;
  readonly criteria: readonly StageCriterion[];
  /** With those of tiers, which have no figures. */
  readonly #judged: readonly StageCriterion[];
  readonly isOpenLoop: boolean;
  /** Arrivals wait for a slot and are reported when they are sent: the stage does not see their queue. */
  readonly isCapped: boolean;
  readonly #isStreaming: boolean;
  readonly #issuedNs: number[] = [];
  /** For completed requests; in an open loop from when they were due. */
  readonly ttftNs: RawValues = new RawValues();
  readonly tpotNs: RawValues = new RawValues();
  readonly latencyNs: RawValues = new RawValues();
  outputTokens = 0;
  /** Number of completed requests without usage from the server. */
  withoutUsage = 0;
  /** Sum over all that ended, from their own lines. */
  latencyTotalNs = 0;
  lastEndNs = 0;
  readonly failures: Map<string, number> = new Map();
  /** Results for the objectives, one for each criterion. */
  readonly tallies: readonly ObjectiveTally[];

  constructor(
    criteria: readonly StageCriterion[],
    {
      pattern,
      shape,
      isStreaming,
      tiers = [],
    }: {
      readonly pattern: RunPattern;
      readonly shape: RunShape;
      readonly isStreaming: boolean;
      readonly tiers?: readonly StageCriterion[];
    },
  ) {
    this.criteria = criteria;
    this.#judged = [...criteria, ...tiers];
    this.ledger = new StageLedger(this.#judged);
    this.tallies = criteria.map(({ objective }) => new ObjectiveTally(objective));
    this.isOpenLoop = isOpenLoop(pattern);
    this.isCapped = isCapped(shape);
    this.#isStreaming = isStreaming;
  }

  issued(index: number, intendedNs: number): void {
    this.#issuedNs[index] = intendedNs;
    this.ledger.addIssued(index, intendedNs);
  }

  firstContent(index: number, atNs: number): void {
    const ttftNs = atNs - (this.#issuedNs[index] ?? Number.NaN);
    this.ledger.firstContent(index);
    for (const [at, criterion] of this.#judged.entries()) {
      const value = criterion.valueAtFirst(ttftNs);
      if (!Number.isNaN(value)) this.ledger.report(index, at, value);
    }
  }

  ended(index: number, sample: EndedSample, startNs: number): void {
    const { outcome, endNs, intendedNs } = sample;
    const figures = outcome === 'completed' ? sampleFigures(sample, this.#isStreaming) : undefined;
    this.lastEndNs = Math.max(this.lastEndNs, endNs - startNs);
    this.latencyTotalNs += endNs - intendedNs;
    if (sample.failure !== undefined) {
      const { kind, statusCode } = sample.failure;
      const name = statusCode > 0 ? `status ${statusCode}` : kind;
      this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
    }
    if (figures !== undefined) {
      if (figures.ttftFromIntendedNs !== NO_FIGURE) this.ttftNs.add(figures.ttftFromIntendedNs);
      if (figures.tpotNs !== NO_FIGURE) this.tpotNs.add(figures.tpotNs);
      this.latencyNs.add(figures.latencyFromIntendedNs);
      if (sample.outputTokens === NO_FIGURE) this.withoutUsage += 1;
      else this.outputTokens += sample.outputTokens;
    }
    for (const tally of this.tallies) tally.ended(outcome, figures);
    this.ledger.addEnded({
      index,
      endedNs: endNs - startNs,
      outcome,
      values: this.#judged.map(criterion => criterion.valueOf(outcome, figures)),
    });
  }
}
