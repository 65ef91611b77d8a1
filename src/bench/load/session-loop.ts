// Sessions: each runs on one thread from its first turn to its last, and a turn is sent when earlier ones have ended
// and its delay is over. In closed loop the next session begins when there is a slot for it; in open loop when it
// arrives.

import type { ConcurrencyUnit } from '../../core/run/run-shape.ts';
import type { SkipReason } from '../../core/run/session-outcome.ts';
import type { TurnResult } from '../arena/load-record.ts';
import { shareOf } from '../schedule/arrivals.ts';
import type { OwnArrivals } from '../schedule/own-arrivals.ts';
import { ProfileUsers } from '../schedule/profile-users.ts';
import { type DueTurn, TurnScheduler } from '../schedule/turn-scheduler.ts';
import type { TurnPosition, TurnTable } from '../schedule/turn-table.ts';
import type { HttpConnection } from '../target/http1/http-connection.ts';
import type { TurnWriter } from '../target/http1/turn-writer.ts';
import { targetIndex } from '../target/load-target.ts';
import type { ClosedLoopProfile } from './closed-loop.ts';
import { SlotBackoff } from './failure-backoff.ts';
import { FreeConnections } from './free-connections.ts';
import { InFlightSlots } from './in-flight-slots.ts';
import { type LoadPattern, threadShare } from './load-plan.ts';
import type { LoadThread } from './load-thread.ts';
import type { Pacer } from './pacing.ts';

interface SessionLoopOptions {
  readonly writer: TurnWriter;
  readonly arriving: ClosedSessions | OpenSessions;
  readonly startNs: number;
  /** No turn is issued from here on. */
  readonly endNs: number;
  /** The sample of the first turn of the first session. */
  readonly firstSampleId: number;
  readonly connectionsMax: number;
  /** Longest time without a turn in flight; for a load of one thread. */
  readonly idleNsMax?: number | undefined;
}

interface ClosedSessions {
  readonly kind: 'closed';
  readonly concurrencyOf: ConcurrencyUnit;
  /** Slots of this thread. */
  readonly slots: number;
  /** Limit over all threads of all machines. */
  readonly sessionsMax: number;
  /** How the number of slots varies; undefined: it is constant. */
  readonly course?: ClosedLoopProfile | undefined;
}

interface OpenSessions {
  readonly kind: 'open';
  readonly own: OwnArrivals;
  /** Limit of this thread; undefined: no cap. */
  readonly inFlightCap: number | undefined;
}

export class SessionLoop implements LoadPattern {
  readonly isWarmup = false;
  readonly #thread: LoadThread;
  readonly #pacer: Pacer;
  readonly #options: SessionLoopOptions;
  readonly #table: TurnTable;
  readonly #scheduler: TurnScheduler;
  readonly #answers: KeptAnswers = new KeptAnswers();
  readonly #connections: FreeConnections;
  /** For whole sessions whose number varies. */
  readonly #users: ProfileUsers | undefined;
  /** Slots for requests; undefined: as many as are due. */
  readonly #slots: InFlightSlots | undefined;
  readonly #backoff: SlotBackoff;
  #isOver = false;
  #hasAllBegun = false;

  constructor(thread: LoadThread, pacer: Pacer, options: SessionLoopOptions) {
    this.#thread = thread;
    this.#pacer = pacer;
    this.#options = options;
    this.#connections = new FreeConnections(thread, options.connectionsMax);
    this.#table = options.writer.table;
    this.#backoff = new SlotBackoff(ns => thread.backedOff(ns));
    this.#scheduler = new TurnScheduler(
      this.#table,
      {
        skipped: (position, reason, isWarmup) => this.#skipped(position, reason, isWarmup),
        sessionOver: session => this.#sessionOver(session),
      },
      options.idleNsMax,
    );
    const { arriving } = options;
    const slots =
      arriving.kind === 'open'
        ? arriving.inFlightCap
        : arriving.concurrencyOf === 'requests'
          ? arriving.slots
          : undefined;
    if (arriving.kind === 'closed' && arriving.course !== undefined)
      this.#users = new ProfileUsers(arriving.course.course);
    if (slots !== undefined) this.#slots = new InFlightSlots(slots);
    // With fewer slots than threads some threads have none.
    this.#hasAllBegun = arriving.kind === 'open' ? arriving.own.hasEnded : arriving.slots === 0;
  }

  get hasIssuedAll(): boolean {
    return this.#isOver || (this.#hasAllBegun && this.#scheduler.openCount === 0);
  }

  start(): void {
    for (const connection of this.#thread.connections) this.connectionFree(connection);
    this.#pacer.start({ nextDueNs: () => this.#nextDueNs(), send: () => this.#send() });
  }

  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#pacer.stop();
    this.#scheduler.stop('run-ended');
  }

  connectionFree(connection: HttpConnection): void {
    // Open before the next turn is due.
    if (connection.state === 'closed' && !this.#isOver && this.#thread.closing.closes(connection.target)) {
      this.#thread.openedAhead();
      connection.open();
      return;
    }
    this.#connections.free(connection);
  }

  sampleEnded(connection: HttpConnection): void {
    this.connectionFree(connection);
    this.#slots?.release(connection.endedNs);
    this.#thread.wakeParser();
    this.#pacer.wake();
  }

  connectionLost(connection: HttpConnection): void {
    this.#connections.lost(connection);
  }

  tick(nowNs: number): void {
    if (nowNs >= this.#options.endNs) this.stop();
  }

  waiting(nowNs: number): number {
    return this.#scheduler.waiting(nowNs);
  }

  turnEnded({ sampleId, sentNs, endNs, isCompleted, answer }: TurnResult): void {
    const position = this.#table.positionOf(sampleId - this.#options.firstSampleId);
    if (!isCompleted) this.#scheduler.failed(position, 'turn-failed');
    else if (answer.kind === 'no-id') this.#scheduler.failed(position, 'answer-not-kept');
    else if (
      answer.kind === 'too-long' ||
      (answer.kind === 'kept' && !this.#answers.keep(position, answer.bytes))
    )
      this.#scheduler.failed(position, 'answer-too-long');
    else this.#scheduler.ended(position, endNs);
    const { arriving } = this.#options;
    if (arriving.kind === 'closed')
      this.#backoff.ended(
        this.#thread.nowNs(),
        { hasFailed: !isCompleted, tookNs: endNs - sentNs },
        arriving.slots,
      );
    this.#pacer.wake();
    this.#thread.patternMoved();
  }

  #nextDueNs(): number {
    if (this.#isOver) return Number.POSITIVE_INFINITY;
    const { endNs } = this.#options;
    const arrivalNs = this.#nextArrivalNs();
    if (arrivalNs > this.#thread.nowNs()) this.#scheduler.limitIdle();
    const turnNs = this.#slots?.free === 0 ? Number.POSITIVE_INFINITY : this.#scheduler.nextDueNs;
    return Math.min(turnNs, arrivalNs, endNs);
  }

  #nextArrivalNs(): number {
    const { arriving, startNs } = this.#options;
    if (arriving.kind === 'open') return arriving.own.dueNs;
    if (this.#hasAllBegun) return Number.POSITIVE_INFINITY;
    const nowNs = this.#thread.nowNs();
    if (this.#mayBegin(nowNs)) return startNs;
    const riseNs = this.#users?.nextRiseNs(nowNs - startNs) ?? Number.POSITIVE_INFINITY;
    return Math.min(startNs + riseNs, this.#backoff.nextNs);
  }

  #send(): void {
    const nowNs = this.#thread.nowNs();
    if (nowNs >= this.#options.endNs) this.stop();
    else if (this.#slots?.free !== 0 && this.#scheduler.nextDueNs <= nowNs) this.#sendTurn(nowNs);
    else this.#begin(nowNs);
    if (this.hasIssuedAll) this.#thread.patternMoved();
  }

  #sendTurn(nowNs: number): void {
    const due = this.#scheduler.take(nowNs);
    if (due === undefined) return;
    const sampleId = this.#sampleIdOf(due);
    // A session stays with one target, whose cache may contain its earlier turns.
    const target = targetIndex(this.#thread.plan.spread, due.session);
    const connection = this.#connections.takeIdle(target) ?? this.#connections.takeClosed(target);
    if (connection === undefined) this.#refuse(due, sampleId, 'all connections are busy');
    else if (!this.#thread.recorder.hasRoom) {
      this.connectionFree(connection);
      this.#thread.arenaFull();
      this.#refuse(due, sampleId, 'no space for a reply: the parse thread is behind');
    } else {
      const { session, turn } = due;
      this.#options.writer.prepare(connection.request, {
        target,
        sampleId,
        session,
        turn,
        firstSampleId: this.#options.firstSampleId,
        answer: earlier => this.#answers.of({ session, turn: earlier }),
      });
      this.#thread.send(connection, due.dueNs, this.#slots?.take(due.dueNs) ?? 0, due.isWarmup);
    }
  }

  #begin(nowNs: number): void {
    const { arriving } = this.#options;
    if (arriving.kind === 'open') {
      const { own } = arriving;
      if (own.dueNs > nowNs) return;
      this.#scheduler.begin(own.index, own.dueNs, !own.isMeasured);
      own.advance();
      this.#hasAllBegun = own.hasEnded;
      return;
    }
    if (!this.#mayBegin(nowNs)) return;
    const { firstSampleId } = this.#options;
    const { board, plan } = this.#thread;
    const { course } = arriving;
    // A session that begins while the load still grows is not measured, in any of its turns.
    const isBefore = course !== undefined && nowNs < course.measuredFromNs;
    if (course !== undefined && !isBefore && board.takeMeasured() >= course.samplesMax) {
      this.#hasAllBegun = true;
      return;
    }
    const session = board.takeSampleId(plan.share.of) - firstSampleId;
    if (course === undefined && session >= arriving.sessionsMax) this.#hasAllBegun = true;
    else this.#scheduler.begin(session, nowNs, isBefore);
  }

  #mayBegin(nowNs: number): boolean {
    const { arriving, startNs } = this.#options;
    if (arriving.kind === 'open' || this.#hasAllBegun) return false;
    const empty = this.#backoff.emptyAt(nowNs);
    if (this.#users !== undefined) {
      const { plan, thread } = this.#thread;
      const slots = shareOf(this.#users.at(nowNs - startNs), threadShare(plan, thread));
      return this.#scheduler.openCount + empty < slots;
    }
    if (arriving.concurrencyOf === 'sessions') return this.#scheduler.openCount + empty < arriving.slots;
    // A due turn goes before a session that has yet to begin.
    return (this.#slots?.free ?? 0) > empty && this.#scheduler.openCount < SESSIONS_OPEN_MAX;
  }

  #refuse({ dueNs, isWarmup }: DueTurn, sampleId: number, detail: string): void {
    this.#thread.refuse(sampleId, dueNs, isWarmup, detail);
    this.#thread.wakeParser();
  }

  #skipped(position: TurnPosition, reason: SkipReason, isWarmup: boolean): void {
    this.#thread.recorder.skipped(this.#sampleIdOf(position), this.#thread.nowNs(), reason, isWarmup);
  }

  #sessionOver(session: number): void {
    this.#answers.forget(session);
  }

  #sampleIdOf(position: TurnPosition): number {
    return this.#options.firstSampleId + this.#table.numberOf(position);
  }
}

/** Limit of one thread if only requests have slots: sessions in think time use none. */
const SESSIONS_OPEN_MAX = 16_384;

// Answers of servers in open sessions, for the histories of their later turns.
class KeptAnswers {
  readonly #sessions: Map<number, Map<number, Uint8Array>> = new Map();
  #bytes = 0;

  /** @returns false if the limit is reached */
  keep({ session, turn }: TurnPosition, answer: Uint8Array): boolean {
    if (this.#bytes + answer.length > ANSWERS_BYTES_MAX) return false;
    const kept = this.#sessions.get(session) ?? new Map<number, Uint8Array>();
    this.#sessions.set(session, kept.set(turn, answer));
    this.#bytes += answer.length;
    return true;
  }

  of({ session, turn }: TurnPosition): Uint8Array | undefined {
    return this.#sessions.get(session)?.get(turn);
  }

  forget(session: number): void {
    for (const answer of this.#sessions.get(session)?.values() ?? []) this.#bytes -= answer.length;
    this.#sessions.delete(session);
  }
}

/** Limit over all open sessions of one load thread. */
const ANSWERS_BYTES_MAX: number = 268_435_456;
