// The data of a stage in progress: facts go into the ledger of the decider and into the few columns that its figures
// need.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { isOfWholeSessions } from '../../core/run/objective.ts';
import { ObjectiveTallies } from '../../core/run/objective-tallies.ts';
import { isOpenLoop, type RunPattern } from '../../core/run/run-pattern.ts';
import { isCapped, isOfSessions, type RunShape } from '../../core/run/run-shape.ts';
import type { SampleTurn, SkippedTurn } from '../../core/run/session-outcome.ts';
import { RawValues } from '../../core/statistics/raw-values.ts';
import { sampleFigures } from '../../metrics/sample-figures.ts';
import { StageLedger } from '../line/stage-ledger.ts';
import type { StageCriterion } from './stage-criteria.ts';
import type { StageFacts } from './stage-sampler.ts';
import { StageSessions } from './stage-sessions.ts';

export class StageAccount implements StageFacts {
  readonly ledger: StageLedger;
  /** undefined: requests are independent. */
  readonly sessions: StageSessions | undefined;
  /** Those of requests, then those of sessions. */
  readonly criteria: readonly StageCriterion[];
  /** Those of requests, with those of tiers, which have no figures. */
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
  readonly tallies: ObjectiveTallies;

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
    const ofSessions = criteria.filter(({ objective }) => isOfWholeSessions(objective));
    const ofRequests = criteria.filter(criterion => !ofSessions.includes(criterion));
    this.criteria = [...ofRequests, ...ofSessions];
    this.#judged = [...ofRequests, ...tiers];
    this.tallies = new ObjectiveTallies(this.criteria.map(({ objective }) => objective));
    const sessions = isOfSessions(shape) ? new StageSessions(ofSessions, this.tallies) : undefined;
    this.sessions = sessions;
    this.ledger = new StageLedger(
      this.#judged,
      sessions === undefined
        ? {}
        : {
            countedRows: () => sessions.countedRows(),
            sessionOf: row => sessions.sessionOf(row),
            turnOf: row => sessions.turnOf(row),
          },
    );
    this.isOpenLoop = isOpenLoop(pattern);
    this.isCapped = isCapped(shape);
    this.#isStreaming = isStreaming;
  }

  issued(index: number, intendedNs: number): void {
    this.#issuedNs[index] = intendedNs;
    this.ledger.addIssued(index, intendedNs);
  }

  placed(index: number, turn: SampleTurn): void {
    const intendedNs = this.#issuedNs[index];
    if (intendedNs !== undefined) this.sessions?.issued(index, turn, intendedNs);
  }

  skipped(turn: SkippedTurn): void {
    this.sessions?.skipped(turn);
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
    this.tallies.ended(sample, figures);
    // Of other machines it is known only now to which session a request belongs.
    if (sample.turn !== undefined && this.sessions?.turnOf(index) === 0) this.placed(index, sample.turn);
    this.sessions?.ended(sample, startNs);
    this.ledger.addEnded({
      index,
      endedNs: endNs - startNs,
      outcome,
      values: this.#judged.map(criterion => criterion.valueOf(outcome, figures)),
    });
  }
}
