// The sessions of a stage in progress. Turns of one session depend on each other, so a stage counts whole sessions: the
// turns of those before the oldest one that is still open, in the order of their sessions.

import { minimumOf } from '../../core/extremes.ts';
import type { EndedSample } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import type { ObjectiveTallies } from '../../core/run/objective-tallies.ts';
import {
  type FollowedSession,
  SESSIONS_FOLLOWED_MAX,
  type SessionEnd,
  SessionFollower,
} from '../../core/run/session-follower.ts';
import type { SampleTurn, SkippedTurn } from '../../core/run/session-outcome.ts';
import type { StageFigures } from '../../core/sweep/stage.ts';
import { unknown } from '../../core/unknown.ts';
import { StageLedger } from '../line/stage-ledger.ts';
import type { StageCriterion } from './stage-criteria.ts';

export class StageSessions {
  /** A row for each session. */
  readonly ledger: StageLedger;
  readonly #criteria: readonly StageCriterion[];
  readonly #tallies: ObjectiveTallies;
  readonly #follower: SessionFollower = new SessionFollower(SESSIONS_FOLLOWED_MAX, (session, end) =>
    this.#over(session, end),
  );
  /** The row of its first turn, of each session that is open or was cut. */
  readonly #firstRows: Map<number, number> = new Map();
  readonly #sessionOfRow: number[] = [];
  readonly #turnOfRow: number[] = [];
  #startNs = 0;
  #completed = 0;
  #totalNs = 0;

  constructor(criteria: readonly StageCriterion[], tallies: ObjectiveTallies) {
    this.#criteria = criteria;
    this.#tallies = tallies;
    this.ledger = new StageLedger(criteria, { isKnownAtLimit: true });
  }

  /** @param intendedNs ns since the stage's start */
  issued(row: number, position: SampleTurn, intendedNs: number): void {
    const { session, turn } = position;
    this.#follower.issued(position);
    this.#sessionOfRow[row] = session;
    this.#turnOfRow[row] = turn + 1;
    if (this.#firstRows.has(session)) return;
    this.#firstRows.set(session, row - turn);
    this.ledger.addIssued(session, intendedNs);
  }

  ended(sample: EndedSample, startNs: number): void {
    this.#startNs = startNs;
    if (sample.turn !== undefined) this.#follower.ended(sample.turn, sample);
  }

  skipped({ reason, ...position }: SkippedTurn): void {
    this.#follower.skipped(position, reason);
  }

  /** The first turn that does not count yet. */
  countedRows(): number {
    return minimumOf([Number.POSITIVE_INFINITY, ...this.#firstRows.values()]);
  }

  sessionOf(row: number): number {
    return this.#sessionOfRow[row] ?? -1;
  }

  /** From 1; 0 while it is not known. */
  turnOf(row: number): number {
    return this.#turnOfRow[row] ?? 0;
  }

  figures(): NonNullable<StageFigures['sessions']> {
    const { completed, failed } = this.ledger;
    return {
      completed,
      failed,
      meanNs: this.#completed === 0 ? unknown('no session was completed') : this.#totalNs / this.#completed,
    };
  }

  #over({ session, sentNs, toNs }: FollowedSession, end: SessionEnd): void {
    this.#tallies.sessionOver({ sentNs, toNs }, end, this.#follower.openCount);
    // One that the end of the stage cut is as unknown as one that is open.
    if (end === 'cut') return;
    this.#firstRows.delete(session);
    const sessionNs = toNs - sentNs;
    const figures = end === 'completed' ? { sessionNs, outputTokens: NO_FIGURE } : undefined;
    if (end === 'completed') {
      this.#completed += 1;
      this.#totalNs += sessionNs;
    }
    this.ledger.addEnded({
      index: session,
      endedNs: toNs - this.#startNs,
      outcome: end,
      values: this.#criteria.map(criterion => criterion.valueOf(end, figures)),
    });
  }
}
