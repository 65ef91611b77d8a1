// Figures of a run of sessions in addition to those of its requests: METRICS §3 by turn and by session. Pure,
// made of the samples that ended and the turns that were skipped.

import * as v from 'valibot';
import { count, figure, type Infer, openObject, reported } from '../schema.ts';
import { BoundedSpread, type SpreadFigures, spreadFiguresSchema } from '../statistics/bounded-spread.ts';
import { type Reported, unknown } from '../unknown.ts';
import type { EndedSample } from './ended-sample.ts';
import { NO_FIGURE } from './event-record.ts';
import { byUncachedSchema, PrefixCacheTally } from './prefix-cache.ts';
import { CONCURRENCY_UNITS, type ConcurrencyUnit } from './run-shape.ts';
import { SESSIONS_FOLLOWED_MAX, SessionFollower } from './session-follower.ts';
import { SKIP_REASONS, type SkippedTurn, type SkipReason } from './session-outcome.ts';

interface TurnRow {
  /** From 0. */
  readonly turn: number;
  /** This row includes all later turns. */
  readonly isLast: boolean;
  readonly issued: number;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly ttftNs: Reported<SpreadFigures>;
  readonly latencyNs: Reported<SpreadFigures>;
  readonly inputTokensMean: Reported<number>;
  readonly cachedShare: Reported<number>;
}

export class SessionTally {
  readonly #turns: TurnTally[] = [];
  readonly #follower: SessionFollower;
  readonly #durationsNs: BoundedSpread = new BoundedSpread();
  readonly #skipped: Partial<Record<SkipReason, number>> = {};
  readonly #cache: PrefixCacheTally = new PrefixCacheTally();

  /** @param sessionsMax followed at a time */
  constructor(sessionsMax: number = SESSIONS_FOLLOWED_MAX) {
    this.#follower = new SessionFollower(sessionsMax, ({ fromNs, toNs }, end) => {
      if (end === 'completed') this.#durationsNs.add(toNs - fromNs);
    });
  }

  ended({ turn: position, outcome, ...sample }: EndedSample): void {
    if (position === undefined || sample.window < 0) return;
    const turn = this.#turn(position.turn);
    turn.issued += 1;
    if (outcome === 'failed') turn.failed += 1;
    this.#follower.ended(position, { ...sample, outcome });
    if (outcome !== 'completed') return;
    turn.completed += 1;
    turn.latenciesNs.add(sample.endNs - sample.sentNs);
    if (sample.firstContentNs !== NO_FIGURE) turn.ttftsNs.add(sample.firstContentNs - sample.sentNs);
    if (sample.inputTokens === NO_FIGURE) return;
    turn.inputTokens += sample.inputTokens;
    turn.reported += 1;
    turn.cachedTokens += this.#cache.ended(sample);
  }

  skipped({ window, reason, ...position }: SkippedTurn): void {
    if (window < 0) return;
    this.#turn(position.turn).skipped += 1;
    this.#skipped[reason] = (this.#skipped[reason] ?? 0) + 1;
    this.#follower.skipped(position, reason);
  }

  report(concurrencyOf: ConcurrencyUnit): SessionReport {
    const { open, over, unfollowed } = this.#follower;
    const openFailed = open.filter(({ hasFailed }) => hasFailed).length;
    const failed = over.failed + openFailed;
    const cut = over.cut + open.length - openFailed;
    const { completed } = over;
    const total = (of: (turn: TurnTally) => number): number =>
      this.#turns.reduce((sum, turn) => sum + of(turn), 0);
    const [issued, skipped] = [total(turn => turn.issued), total(turn => turn.skipped)];
    const unresolved = open.reduce((sum, { unreported }) => sum + unreported, 0);
    return {
      concurrencyOf,
      sessions: { begun: completed + failed + cut, completed, failed, cut },
      turns: {
        planned: issued + skipped + unresolved,
        issued,
        skipped,
        unresolved,
        ...(unfollowed === 0 ? {} : { unfollowed }),
      },
      skippedBecause: { ...this.#skipped },
      durationNs: this.#durationsNs.figures() ?? unknown('no session was completed'),
      cachedShare: this.#cache.hitShare(),
      byTurn: this.#turns.map((turn, index) => this.#row(turn, index)),
      byUncached: this.#cache.byUncached(),
    };
  }

  #turn(index: number): TurnTally {
    const at = Math.min(index, TURN_ROWS_MAX - 1);
    while (this.#turns.length <= at) this.#turns.push(noTurns());
    return this.#turns[at] ?? noTurns();
  }

  #row(turn: TurnTally, index: number): TurnRow {
    return {
      turn: index,
      isLast: index === TURN_ROWS_MAX - 1,
      issued: turn.issued,
      completed: turn.completed,
      failed: turn.failed,
      skipped: turn.skipped,
      ttftNs: turn.ttftsNs.figures() ?? unknown('no first token was seen'),
      latencyNs: turn.latenciesNs.figures() ?? unknown('none was completed'),
      inputTokensMean:
        turn.reported === 0
          ? unknown('token usage was not reported by the server')
          : turn.inputTokens / turn.reported,
      cachedShare: this.#cache.hitShare(turn.cachedTokens, turn.inputTokens),
    };
  }
}

interface TurnTally {
  issued: number;
  completed: number;
  failed: number;
  skipped: number;
  inputTokens: number;
  reported: number;
  cachedTokens: number;
  readonly ttftsNs: BoundedSpread;
  readonly latenciesNs: BoundedSpread;
}

const noTurns = (): TurnTally => ({
  issued: 0,
  completed: 0,
  failed: 0,
  skipped: 0,
  inputTokens: 0,
  reported: 0,
  cachedTokens: 0,
  ttftsNs: new BoundedSpread(),
  latenciesNs: new BoundedSpread(),
});

/** Limit per report. */
export const TURN_ROWS_MAX = 64;

export const sessionReportSchema = openObject({
  concurrencyOf: v.picklist(CONCURRENCY_UNITS),
  /**
   * In the measured phase: those that started. completed: every turn was; failed: one of them did; cut: the
   * run ended first.
   */
  sessions: openObject({ begun: count, completed: count, failed: count, cut: count }),
  /** planned = issued + skipped + unresolved, the last of them 0 except in a killed run. */
  turns: openObject({
    planned: count,
    issued: count,
    skipped: count,
    unresolved: count,
    /**
     * Issued or skipped, in sessions above SESSIONS_FOLLOWED_MAX: in no figure of sessions. Absent: none.
     */
    unfollowed: v.exactOptional(count),
  }),
  skippedBecause: v.record(v.picklist(SKIP_REASONS), v.exactOptional(count)),
  /** For completed sessions: from the intended time of the first turn to the end of the last. */
  durationNs: reported(spreadFiguresSchema),
  cachedShare: reported(figure),
  /** The first TURN_ROWS_MAX of them, and all later ones as one row. */
  byTurn: v.pipe(
    v.array(
      openObject({
        turn: count,
        isLast: v.boolean(),
        issued: count,
        completed: count,
        failed: count,
        skipped: count,
        ttftNs: reported(spreadFiguresSchema),
        latencyNs: reported(spreadFiguresSchema),
        inputTokensMean: reported(figure),
        cachedShare: reported(figure),
      }),
    ),
    v.maxLength(TURN_ROWS_MAX),
  ),
  byUncached: byUncachedSchema,
});

export type SessionReport = Infer<typeof sessionReportSchema>;
