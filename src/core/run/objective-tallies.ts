// What the requests and sessions of a run contribute to its objectives, each objective fed with what it limits.

import { EarliestFirst } from '../earliest-first.ts';
import type { EndedSample } from './ended-sample.ts';
import { NO_FIGURE } from './event-record.ts';
import { judgeObjective, type ObjectiveAnswer } from './judge-objective.ts';
import { fromTurnOf, isOfWholeSessions, type JudgedObjective, type ObjectiveFigures } from './objective.ts';
import { type ObjectiveEvidence, ObjectiveTally } from './objective-tally.ts';
import { type FollowedSession, SESSIONS_FOLLOWED_MAX, type SessionEnd } from './session-follower.ts';

export class ObjectiveTallies {
  readonly #all: readonly JudgedTally[];

  constructor(judged: readonly JudgedObjective[]) {
    this.#all = judged.map(objective => ({
      objective,
      ...(isOfWholeSessions(objective)
        ? { of: 'sessions' as const, tally: new SessionObjectiveTally(objective) }
        : { of: 'requests' as const, tally: new ObjectiveTally(objective) }),
    }));
  }

  /** A request. @param figures undefined if it did not complete, or has contradictory stamps */
  ended(
    { outcome, turn }: Pick<EndedSample, 'outcome' | 'turn'>,
    figures: ObjectiveFigures | undefined,
  ): void {
    const number = turn === undefined ? 1 : turn.turn + 1;
    for (const { objective, of, tally } of this.#all)
      if (of === 'requests' && number >= (fromTurnOf(objective) ?? 1)) tally.ended(outcome, figures);
  }

  /** @param openCount sessions that have begun and are not over */
  sessionOver(session: EndedSession, end: SessionEnd, openCount: number): void {
    for (const each of this.#all) if (each.of === 'sessions') each.tally.over(session, end, openCount);
  }

  /** One for each objective, in order. */
  answers(): readonly ObjectiveAnswer[] {
    return this.#all.map(({ objective, tally }) => judgeObjective(objective, tally.evidence()));
  }
}

type JudgedTally = { readonly objective: JudgedObjective } & (
  | { readonly of: 'requests'; readonly tally: ObjectiveTally }
  | { readonly of: 'sessions'; readonly tally: SessionObjectiveTally }
);

type EndedSession = Pick<FollowedSession, 'sentNs' | 'toNs'>;

/**
 * Sessions that a run cuts off at its end are its longest ones, so that those which completed are too short a sample. A
 * percentile therefore counts the sessions that began at least its limit before the end of the run: whether they met it
 * is known of each, also of those that were cut. If none was cut, all of them count.
 */
class SessionObjectiveTally {
  /** All that are over; those that were cut are unknown. */
  readonly #every: ObjectiveTally;
  /** Those known at their limit. */
  readonly #known: ObjectiveTally | undefined;
  readonly #limitNs: number;
  readonly #waiting: EarliestFirst<EndedSession & { readonly end: SessionEnd }> = new EarliestFirst(
    ({ sentNs }) => sentNs,
  );
  #nowNs = 0;
  #cut = 0;
  #open = 0;

  constructor(objective: JudgedObjective) {
    this.#every = new ObjectiveTally(objective);
    this.#known = objective.kind === 'percentile' ? new ObjectiveTally(objective) : undefined;
    this.#limitNs = objective.kind === 'percentile' ? objective.limitNs : 0;
  }

  over({ sentNs, toNs }: EndedSession, end: SessionEnd, openCount: number): void {
    this.#open = openCount;
    if (end === 'cut') this.#cut += 1;
    this.#nowNs = Math.max(this.#nowNs, toNs);
    this.#add(this.#every, { sentNs, toNs }, end);
    if (this.#known === undefined) return;
    this.#waiting.add({ sentNs, toNs, end });
    for (;;) {
      const { first } = this.#waiting;
      if (first === undefined) return;
      const isKnown = first.sentNs + this.#limitNs <= this.#nowNs;
      if (!isKnown && this.#waiting.size <= SESSIONS_FOLLOWED_MAX) return;
      this.#waiting.take();
      this.#add(this.#known, first, isKnown ? first.end : 'cut');
    }
  }

  evidence(): ObjectiveEvidence {
    const areAllKnown = this.#cut === 0 && this.#open === 0;
    return (areAllKnown ? this.#every : (this.#known ?? this.#every)).evidence();
  }

  #add(tally: ObjectiveTally, { sentNs, toNs }: EndedSession, end: SessionEnd): void {
    const sessionNs = toNs - sentNs;
    if (end === 'completed') tally.ended('completed', { sessionNs, outputTokens: NO_FIGURE });
    // One that was cut after its limit had missed it.
    else if (end === 'cut' && !(this.#limitNs > 0 && sessionNs > this.#limitNs))
      tally.ended('cancelled', undefined);
    else tally.ended('failed', undefined);
  }
}
