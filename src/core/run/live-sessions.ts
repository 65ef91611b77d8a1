// The sessions of a run in progress: how many are running, in which turns, how the others have ended, and the
// cost of first turns against later ones, whose prompts a server may have in its cache. Cheap enough for five
// times a second.

import * as v from 'valibot';
import { count, type Infer, openObject, reported } from '../schema.ts';
import { BoundedSpread, spreadFiguresSchema } from '../statistics/bounded-spread.ts';
import { isUnknown, unknown } from '../unknown.ts';
import type { EndedSample } from './ended-sample.ts';
import { NO_FIGURE } from './event-record.ts';
import {
  type FollowedSession,
  SESSIONS_FOLLOWED_MAX,
  type SessionEnd,
  SessionFollower,
} from './session-follower.ts';
import type { SampleTurn, SkippedTurn } from './session-outcome.ts';

const liveTurnsSchema = openObject({
  issued: count,
  completed: count,
  failed: count,
  skipped: count,
  ttftNs: reported(spreadFiguresSchema),
  /** For completed ones whose server reported it. */
  inputTokens: count,
  cachedTokens: reported(count),
});

export type LiveTurns = Infer<typeof liveTurnsSchema>;

/** Rows of one turn each while a run is in progress; the report has more. */
export const LIVE_TURNS_MAX = 8;

/** In the measured phase. */
export const liveSessionsSchema = openObject({
  running: count,
  completed: count,
  failed: count,
  cut: count,
  /**
   * Number of running sessions by newest turn, from the first on; the last of LIVE_TURNS_MAX includes later
   * ones.
   */
  inTurn: v.pipe(v.array(count), v.maxLength(LIVE_TURNS_MAX)),
  first: liveTurnsSchema,
  later: liveTurnsSchema,
});

export type LiveSessions = Infer<typeof liveSessionsSchema>;

export class LiveSessionTally {
  readonly #first: TurnsTally = noTurns();
  readonly #later: TurnsTally = noTurns();
  readonly #inTurn: number[] = [];
  readonly #follower = new SessionFollower(SESSIONS_FOLLOWED_MAX, (session, end) => {
    this.#leave(session.newestTurn);
    this.#isOver?.(session, end);
  });
  readonly #isOver: ((session: FollowedSession, end: SessionEnd) => void) | undefined;
  /** Servers that report it leave it out if it is zero (vLLM, the mock). */
  #reportsCache = false;

  constructor(isOver?: (session: FollowedSession, end: SessionEnd) => void) {
    this.#isOver = isOver;
  }

  get openCount(): number {
    return this.#follower.openCount;
  }

  issued(position: SampleTurn): void {
    this.#turnsOf(position).issued += 1;
    const before = this.#follower.issued(position);
    if (before === undefined) return;
    this.#leave(before);
    const row = rowOf(position.turn);
    while (this.#inTurn.length <= row) this.#inTurn.push(0);
    this.#inTurn[row] = (this.#inTurn[row] ?? 0) + 1;
  }

  ended({ turn: position, ...sample }: EndedSample): void {
    if (position === undefined) return;
    const turns = this.#turnsOf(position);
    this.#follower.ended(position, sample);
    if (sample.outcome === 'failed') turns.failed += 1;
    if (sample.outcome !== 'completed') return;
    turns.completed += 1;
    if (sample.firstContentNs !== NO_FIGURE) turns.ttftsNs.add(sample.firstContentNs - sample.sentNs);
    if (sample.inputTokens === NO_FIGURE) return;
    const cached = sample.remark?.cachedTokens ?? NO_FIGURE;
    turns.inputTokens += sample.inputTokens;
    if (cached === NO_FIGURE) return;
    turns.cachedTokens += cached;
    this.#reportsCache = true;
  }

  skipped({ reason, ...position }: Pick<SkippedTurn, 'reason' | keyof SampleTurn>): void {
    this.#turnsOf(position).skipped += 1;
    this.#follower.skipped(position, reason);
  }

  figures(): LiveSessions {
    return {
      running: this.#follower.openCount,
      ...this.#follower.over,
      inTurn: [...this.#inTurn],
      first: this.#live(this.#first),
      later: this.#live(this.#later),
    };
  }

  #turnsOf({ turn }: SampleTurn): TurnsTally {
    return turn === 0 ? this.#first : this.#later;
  }

  #leave(turn: number): void {
    if (turn >= 0) this.#inTurn[rowOf(turn)] = (this.#inTurn[rowOf(turn)] ?? 0) - 1;
  }

  #live({ ttftsNs, cachedTokens, ...counts }: TurnsTally): LiveTurns {
    return {
      ...counts,
      ttftNs: ttftsNs.figures() ?? unknown('no first token was seen'),
      cachedTokens: this.#reportsCache ? cachedTokens : unknown('not reported by the server'),
    };
  }
}

/**
 * Sum over several machines that load one target, each with sessions of its own; undefined: none of them
 * reported any.
 */
export const addedSessions = (all: readonly LiveSessions[]): LiveSessions | undefined => {
  const [first, ...others] = all;
  return first === undefined ? undefined : others.reduce(added, first);
};

const added = (a: LiveSessions, b: LiveSessions): LiveSessions => ({
  running: a.running + b.running,
  completed: a.completed + b.completed,
  failed: a.failed + b.failed,
  cut: a.cut + b.cut,
  inTurn: Array.from(
    { length: Math.max(a.inTurn.length, b.inTurn.length) },
    (_, at) => (a.inTurn[at] ?? 0) + (b.inTurn[at] ?? 0),
  ),
  first: addedTurns(a.first, b.first),
  later: addedTurns(a.later, b.later),
});

const addedTurns = (a: LiveTurns, b: LiveTurns): LiveTurns => ({
  issued: a.issued + b.issued,
  completed: a.completed + b.completed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  ttftNs: unknown('with several machines it is known at the end'),
  inputTokens: a.inputTokens + b.inputTokens,
  cachedTokens: isUnknown(a.cachedTokens)
    ? a.cachedTokens
    : isUnknown(b.cachedTokens)
      ? b.cachedTokens
      : a.cachedTokens + b.cachedTokens,
});

interface TurnsTally {
  issued: number;
  completed: number;
  failed: number;
  skipped: number;
  inputTokens: number;
  cachedTokens: number;
  readonly ttftsNs: BoundedSpread;
}

const noTurns = (): TurnsTally => ({
  issued: 0,
  completed: 0,
  failed: 0,
  skipped: 0,
  inputTokens: 0,
  cachedTokens: 0,
  ttftsNs: new BoundedSpread(0),
});

const rowOf = (turn: number): number => Math.min(turn, LIVE_TURNS_MAX - 1);
