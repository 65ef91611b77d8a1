// Which sessions of a run are in progress and how the others have ended, from the events of their turns: in a
// report each turn once, at its end; in a run in progress also when it was issued. A session is over when
// each of its turns was reported.

import type { EndedSample } from './ended-sample.ts';
import type { SampleTurn, SkipReason } from './session-outcome.ts';

export interface FollowedSession {
  /** Number of the session in the run. */
  readonly session: number;
  /** Intended time of its first turn. */
  fromNs: number;
  /** When its first turn was sent. */
  sentNs: number;
  toNs: number;
  hasFailed: boolean;
  isCut: boolean;
  /** Turns of which nothing is known: a killed run does not report them. */
  unreported: number;
  /** The latest turn that was issued; -1 if issues are not reported. */
  newestTurn: number;
}

/** completed: every turn was; failed: one of them did; cut: the run ended first. */
export type SessionEnd = 'completed' | 'failed' | 'cut';

export class SessionFollower {
  readonly over: Record<SessionEnd, number> = { completed: 0, failed: 0, cut: 0 };
  /** Turns of sessions above the limit of those followed at a time. */
  unfollowed = 0;
  readonly #open: Map<number, FollowedSession> = new Map();
  readonly #sessionsMax: number;
  readonly #isOver: (session: FollowedSession, end: SessionEnd) => void;

  constructor(sessionsMax: number, isOver: (session: FollowedSession, end: SessionEnd) => void) {
    this.#sessionsMax = sessionsMax;
    this.#isOver = isOver;
  }

  get openCount(): number {
    return this.#open.size;
  }

  get open(): readonly FollowedSession[] {
    return [...this.#open.values()];
  }

  /**
   * @returns the previous newest turn of the session; undefined if it is not followed, or was already
   * further.
   */
  issued({ session, turn, turns }: SampleTurn): number | undefined {
    const known = this.#open.get(session);
    if (known === undefined && this.#open.size >= this.#sessionsMax) return undefined;
    const state = known ?? begun(session, turns);
    if (known === undefined) this.#open.set(session, state);
    const before = state.newestTurn;
    if (turn <= before) return undefined;
    state.newestTurn = turn;
    return before;
  }

  ended(
    position: SampleTurn,
    { outcome, intendedNs, sentNs, endNs }: Pick<EndedSample, 'outcome' | 'intendedNs' | 'sentNs' | 'endNs'>,
  ): void {
    this.#report(position, session => {
      session.sentNs = Math.min(session.sentNs, sentNs);
      session.fromNs = Math.min(session.fromNs, intendedNs);
      session.toNs = Math.max(session.toNs, endNs);
      if (outcome === 'failed') session.hasFailed = true;
      else if (outcome === 'cancelled') session.isCut = true;
    });
  }

  skipped(position: SampleTurn, reason: SkipReason): void {
    this.#report(position, session => {
      if (reason === 'run-ended') session.isCut = true;
      else session.hasFailed = true;
    });
  }

  /** A session without turns left to report is counted and removed. */
  #report({ session, turns }: SampleTurn, what: (state: FollowedSession) => void): void {
    const known = this.#open.get(session);
    if (known === undefined && this.#open.size >= this.#sessionsMax) {
      this.unfollowed += 1;
      return;
    }
    const state = known ?? begun(session, turns);
    what(state);
    state.unreported -= 1;
    if (state.unreported > 0) {
      this.#open.set(session, state);
      return;
    }
    this.#open.delete(session);
    const end = state.hasFailed ? 'failed' : state.isCut ? 'cut' : 'completed';
    this.over[end] += 1;
    this.#isOver(state, end);
  }
}

const begun = (session: number, turns: number): FollowedSession => ({
  session,
  fromNs: Number.POSITIVE_INFINITY,
  sentNs: Number.POSITIVE_INFINITY,
  toNs: 0,
  hasFailed: false,
  isCut: false,
  unreported: turns,
  newestTurn: -1,
});

/** Limit per run, at a time: sessions that have started and not ended. */
export const SESSIONS_FOLLOWED_MAX = 262_144;
