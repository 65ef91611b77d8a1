// By how much a read's stamp may be behind the arrival of its bytes, as far as the thread itself knows the cause. A loop that
// slept until its bytes came was not busy meanwhile; what it was busy with since, and whatever it did between two looks
// at its sockets, may have kept them waiting. Once woken it may have waited for a processor: the scheduler counts that for each
// thread. What is left, how long the system takes to wake a thread, is not seen here: marks tell that. But a thread that slept past
// a timer was kept from running for another reason (a signal, a machine that stood still), and nothing tells since when: whatever came
// in that sleep may be as late as all of it.

import { BEAT_NS } from '../../core/run/event-record.ts';

export class ReadLateness {
  readonly #idleNs: () => number;
  readonly #queuedNs: () => number | undefined;
  /** First read of the open turn, and how late that may be. */
  #firstNs = 0;
  #firstLateNs = 0;
  #restNs = 0;
  /** When the last turn with reads had ended, how long the loop had slept until then, and how long it had waited for a processor. */
  #closedNs: number;
  #closedIdleNs: number;
  #closedQueuedNs: number | undefined;
  /** When that was read; where turns follow each other closely an earlier figure has to do. */
  #queuedReadNs: number;
  /** Bytes that came with a later look were not there at this time. */
  #polledNs: number;
  /** When the next beat should come at the latest, and the first one since the last turn or beat that told what the loop had seen. */
  #beatDueNs: number;
  #dueNs: number;
  #blockedNs = 0;
  #isOpen = false;

  /**
   * @param idleNs how long the loop has slept since it began, waiting for a processor included: it grows only where the loop really waited
   * @param queuedNs how long the thread has been ready to run without a processor since it began; undefined where nobody counts it
   */
  constructor(nowNs: number, idleNs: () => number, queuedNs: () => number | undefined) {
    this.#idleNs = idleNs;
    this.#queuedNs = queuedNs;
    this.#closedNs = nowNs;
    this.#polledNs = nowNs;
    this.#beatDueNs = nowNs + BEAT_NS;
    this.#dueNs = this.#beatDueNs;
    this.#closedIdleNs = idleNs();
    this.#closedQueuedNs = queuedNs();
    this.#queuedReadNs = nowNs;
  }

  get isTurnOpen(): boolean {
    return this.#isOpen;
  }

  /** What is not told as lateness of how long the loop had slept before the open turn: no bytes waited longer than both. */
  get restNs(): number {
    return this.#restNs;
  }

  /** When the open turn had its first read. */
  get turnFirstNs(): number {
    return this.#firstNs;
  }

  /** Of a read now, ns: at most so late by what is known. Opens a turn, if none is open. */
  read(stampNs: number): number {
    if (this.#isOpen) return stampNs - this.#firstNs + this.#firstLateNs;
    const sleptNs = this.#idleNs() - this.#closedIdleNs;
    const sincePolledNs = stampNs - this.#polledNs;
    const busyNs = sleptNs > 0 ? Math.max(0, stampNs - this.#closedNs - sleptNs) : Number.POSITIVE_INFINITY;
    const queuedNs = this.#queuedSince(sleptNs);
    const mostNs = Math.min(busyNs + sleptNs, sincePolledNs);
    const isHeld = this.#sleptPast(this.#dueNs, stampNs, { busyNs, sleptNs, queuedNs }) > TIMER_GRAIN_NS;
    const lateNs = isHeld ? mostNs : Math.min(busyNs + queuedNs, sincePolledNs);
    this.#isOpen = true;
    this.#firstLateNs = Math.max(0, Math.round(lateNs));
    this.#restNs = Math.max(0, Math.ceil(mostNs) - this.#firstLateNs);
    this.#firstNs = stampNs;
    return this.#firstLateNs;
  }

  /** All that came with the last look has been read. */
  closeTurn(nowNs: number): void {
    this.#isOpen = false;
    this.#close(nowNs, this.#idleNs());
    this.#polledNs = Math.max(this.#polledNs, this.#firstNs);
  }

  /**
   * Of the beat, a timer that comes behind a look at the sockets: it brought nothing if the loop has slept since the last turn. Not so
   * where the beat is late: a process that goes on after a stop runs its timers first (epoll_wait ends with EINTR).
   */
  awake(nowNs: number): void {
    const idleNs = this.#idleNs();
    const sleptNs = idleNs - this.#closedIdleNs;
    const busyNs = Math.max(0, nowNs - this.#closedNs - sleptNs);
    const dueNs = this.#beatDueNs;
    this.#beatDueNs = nowNs + BEAT_NS;
    if (this.#isOpen) return;
    const pastNs = this.#sleptPast(dueNs, nowNs, { busyNs, sleptNs, queuedNs: this.#queuedSince(sleptNs) });
    if (pastNs <= TIMER_GRAIN_NS) this.#dueNs = this.#beatDueNs;
    if (sleptNs <= 0 || pastNs > TIMELY_NS) return;
    this.#close(nowNs, idleNs);
    this.polledSince(nowNs);
  }

  /** How far the loop has slept past a beat since the last call, for another reason than that it waited for a processor. */
  takeBlockedNs(): number {
    const blockedNs = this.#blockedNs;
    this.#blockedNs = 0;
    return blockedNs;
  }

  /** The loop has looked at its sockets since this time. */
  polledSince(ns: number): void {
    this.#polledNs = Math.max(this.#polledNs, ns);
  }

  /** How far past a beat, but for what it waited for a processor. */
  #sleptPast(
    dueNs: number,
    nowNs: number,
    { busyNs, sleptNs, queuedNs }: Readonly<Record<'busyNs' | 'sleptNs' | 'queuedNs', number>>,
  ): number {
    const pastNs = Math.min(sleptNs, nowNs - dueNs - busyNs) - queuedNs;
    if (pastNs > TIMER_GRAIN_NS) this.#blockedNs = Math.max(this.#blockedNs, pastNs);
    return pastNs;
  }

  #close(nowNs: number, idleNs: number): void {
    this.#closedNs = nowNs;
    this.#closedIdleNs = idleNs;
    this.#dueNs = this.#beatDueNs;
    if (nowNs - this.#queuedReadNs < QUEUED_READ_NS) return;
    this.#closedQueuedNs = this.#queuedNs();
    this.#queuedReadNs = nowNs;
  }

  /** How long, of what it slept, it may have waited for a processor; 0 where nobody counts that. */
  #queuedSince(sleptNs: number): number {
    if (this.#closedQueuedNs === undefined || sleptNs <= 0) return 0;
    const queuedNs = sleptNs <= SHORT_SLEEP_NS ? undefined : this.#queuedNs();
    return queuedNs === undefined ? sleptNs : Math.min(sleptNs, queuedNs - this.#closedQueuedNs);
  }
}

/** Timers count in ms, and a beat that is set at the end of one comes at the end of another. */
const TIMER_GRAIN_NS = 3_000_000;
/** A beat that comes so soon was not kept from it. */
const TIMELY_NS = 1_500_000;
/** A look at the scheduler's figure costs a microsecond: not more often than in each half of a millisecond. */
const QUEUED_READ_NS = 500_000;
/** So short a sleep bounds by itself what of it was waiting. */
const SHORT_SLEEP_NS = 50_000;
