// When the turns of sessions are due, from when earlier ones ended: pure, so that every order of ends can be tested.
// Each turn of a session that has begun is taken exactly once after all its dependencies, or skipped with a reason.

import { EarliestFirst } from '../../core/earliest-first.ts';
import type { SkipReason } from '../../core/run/session-outcome.ts';
import type { TurnPosition, TurnTable } from './turn-table.ts';

export interface DueTurn extends TurnPosition {
  /** When it is intended to start. */
  readonly dueNs: number;
  readonly isWarmup: boolean;
}

interface TurnListener {
  skipped(position: TurnPosition, reason: SkipReason, isWarmup: boolean): void;
  /** Each of its turns has ended or was skipped. */
  sessionOver(session: number): void;
}

export class TurnScheduler {
  readonly #table: TurnTable;
  readonly #listener: TurnListener;
  readonly #open: Map<number, OpenSession> = new Map();
  readonly #queue: EarliestFirst<DueTurn> = new EarliestFirst(({ dueNs }: DueTurn) => dueNs);
  readonly #idleNsMax: number;
  /** By so much all turns that are not taken yet are due earlier than after their pauses. */
  #skippedNs = 0;
  #inFlight = 0;
  /** The latest begin of a session or end of a turn. */
  #activeNs = Number.NEGATIVE_INFINITY;

  /** @param idleNsMax longest time without a turn in flight, as `limitIdle` sees it */
  constructor(table: TurnTable, listener: TurnListener, idleNsMax: number = Number.POSITIVE_INFINITY) {
    this.#table = table;
    this.#listener = listener;
    this.#idleNsMax = idleNsMax;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Infinity: nothing is due before a turn ends. */
  get nextDueNs(): number {
    for (;;) {
      const first = this.#queue.first;
      if (first === undefined) return Number.POSITIVE_INFINITY;
      if (this.#isDue(first)) return first.dueNs - this.#skippedNs;
      this.#queue.take();
    }
  }

  /**
   * While no turn is in flight, the next one is due within the limit: all pauses of all sessions are shortened by the same
   * time, so that their order and distances stay (AgentX's `system_idle_gap_cap_seconds`).
   */
  limitIdle(): void {
    const limitNs = this.#activeNs + this.#idleNsMax;
    const dueNs = this.nextDueNs;
    if (this.#inFlight === 0 && dueNs > limitNs && dueNs < Number.POSITIVE_INFINITY)
      this.#skippedNs += dueNs - limitNs;
  }

  /** Number of turns that are due and not taken. */
  waiting(nowNs: number): number {
    return this.#queue.count(turn => turn.dueNs - this.#skippedNs <= nowNs && this.#isDue(turn));
  }

  begin(session: number, startNs: number, isWarmup: boolean): void {
    const count = this.#table.turnsOf(session);
    const first = this.#table.firstTurn(session);
    this.#activeNs = Math.max(this.#activeNs, startNs);
    const open: OpenSession = {
      isWarmup,
      isAborted: false,
      left: count,
      inFlight: 0,
      states: new Uint8Array(count),
      waitsFor: new Int32Array(count),
      sinceNs: new Float64Array(count).fill(startNs + this.#skippedNs),
    };
    this.#open.set(session, open);
    for (let turn = 0; turn < count; turn += 1) {
      open.waitsFor[turn] = this.#table.waitsFor(first + turn);
      if (open.waitsFor[turn] === 0) this.#becomesDue(session, open, turn);
    }
  }

  /** The one that is due first, in flight from now on; undefined while none is due. */
  take(nowNs: number): DueTurn | undefined {
    if (this.nextDueNs > nowNs) return undefined;
    const due = this.#queue.take();
    const open = due === undefined ? undefined : this.#open.get(due.session);
    if (due === undefined || open === undefined) return undefined;
    open.states[due.turn] = IN_FLIGHT;
    open.inFlight += 1;
    this.#inFlight += 1;
    return { ...due, dueNs: due.dueNs - this.#skippedNs };
  }

  /** Turns that waited for this one only become due. */
  ended({ session, turn }: TurnPosition, atNs: number): void {
    const open = this.#open.get(session);
    if (open === undefined || open.states[turn] !== IN_FLIGHT) return;
    this.#leave(open, turn);
    this.#activeNs = Math.max(this.#activeNs, atNs);
    if (!open.isAborted) this.#release(session, open, turn, atNs + this.#skippedNs);
    this.#checkOver(session, open);
  }

  /** It ended in a way that makes later turns meaningless: the rest of its session is skipped. */
  failed({ session, turn }: TurnPosition, reason: SkipReason): void {
    const open = this.#open.get(session);
    if (open === undefined || open.states[turn] !== IN_FLIGHT) return;
    this.#leave(open, turn);
    this.#abort(session, open, reason);
    this.#checkOver(session, open);
  }

  /** Nothing is due any more; turns in flight may still end. */
  stop(reason: SkipReason): void {
    for (const [session, open] of [...this.#open]) {
      this.#abort(session, open, reason);
      this.#checkOver(session, open);
    }
  }

  #release(session: number, open: OpenSession, ended: number, atNs: number): void {
    const first = this.#table.firstTurn(session);
    for (const turn of this.#table.dependents(first + ended)) {
      if (open.states[turn] !== WAITING) continue;
      const waits = open.waitsFor[turn] ?? 0;
      const isFirstEnd = waits === this.#table.waitsFor(first + turn);
      open.sinceNs[turn] = isFirstEnd ? atNs : Math.max(open.sinceNs[turn] ?? 0, atNs);
      open.waitsFor[turn] = waits - 1;
      if (waits === 1) this.#becomesDue(session, open, turn);
    }
  }

  #becomesDue(session: number, open: OpenSession, turn: number): void {
    open.states[turn] = DUE;
    const delayNs = this.#table.delayNs(this.#table.firstTurn(session) + turn);
    const dueNs = (open.sinceNs[turn] ?? 0) + delayNs;
    this.#queue.add({ session, turn, dueNs, isWarmup: open.isWarmup });
  }

  #leave(open: OpenSession, turn: number): void {
    open.states[turn] = OVER;
    open.inFlight -= 1;
    this.#inFlight -= 1;
    open.left -= 1;
  }

  #abort(session: number, open: OpenSession, reason: SkipReason): void {
    open.isAborted = true;
    for (let turn = 0; turn < open.states.length; turn += 1) {
      if (open.states[turn] !== WAITING && open.states[turn] !== DUE) continue;
      open.states[turn] = OVER;
      open.left -= 1;
      this.#listener.skipped({ session, turn }, reason, open.isWarmup);
    }
  }

  #checkOver(session: number, open: OpenSession): void {
    if (open.left > 0 || !this.#open.delete(session)) return;
    this.#listener.sessionOver(session);
  }

  #isDue({ session, turn }: DueTurn): boolean {
    return this.#open.get(session)?.states[turn] === DUE;
  }
}

interface OpenSession {
  readonly isWarmup: boolean;
  isAborted: boolean;
  /** Turns that have neither ended nor been skipped. */
  left: number;
  inFlight: number;
  readonly states: Uint8Array;
  /** Number of dependencies of each that have not ended. */
  readonly waitsFor: Int32Array;
  /** End of the last of them so far, without what was skipped by then; for a first turn the session's start. */
  readonly sinceNs: Float64Array;
}

/** States of a turn: it waits for others; it is due at a known time; it was sent; it has ended or was skipped. */
const WAITING = 0;
const DUE = 1;
const IN_FLIGHT = 2;
const OVER = 3;
