// By how much a read's stamp may be later than the arrival of its bytes, as far as the cause is known to the thread.
// A loop that slept until its bytes arrived was not busy meanwhile; its work since then, and any work between two
// polls of its sockets, may have delayed them. After the wake-up it may have waited for a processor: the scheduler
// counts that for each thread. The rest, the system's own wake-up latency, cannot be observed here: marks measure it.
// But a thread that slept past a timer was stopped for another reason (a signal, a machine that was suspended) at an
// unknown time: anything that arrived in that sleep may be as late as all of it.

import { BEAT_NS } from '../../core/run/event-record.ts';

export class ReadLateness {
  readonly #idleNs: () => number;
  readonly #queuedNs: () => number | undefined;
  /** First read of the open turn, and its maximum lateness. */
  #firstNs = 0;
  #firstLateNs = 0;
  #restNs = 0;
  /** When the last turn with reads ended, and the loop's total sleep and waiting for a processor until then. */
  #closedNs: number;
  #closedIdleNs: number;
  #closedQueuedNs: number | undefined;
  /** When that was read; if turns follow each other closely, an earlier value is used. */
  #queuedReadNs: number;
  /** Bytes found by a later poll had not arrived at this time. */
  #polledNs: number;
  /**
   * The latest time of the next beat, and the first beat since the last turn or beat that showed what the loop had
   * seen.
   */
  #beatDueNs: number;
  #dueNs: number;
  #blockedNs = 0;
  #isOpen = false;

  /**
   * @param idleNs how long the loop has slept since it began, waiting for a processor included: it grows only while
   * the loop really waits
   * @param queuedNs how long the thread has been ready to run without a processor since it began; undefined if the
   * system does not count it
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

  /**
   * The part of the sleep before the open turn that the lateness does not include: no bytes waited longer than both.
   */
  get restNs(): number {
    return this.#restNs;
  }

  /** When the open turn had its first read. */
  get turnFirstNs(): number {
    return this.#firstNs;
  }

  /** Maximum lateness of a read now, by known causes, ns. Opens a turn, if none is open. */
  read(stampNs: number): number {
    if (this.#isOpen) return stampNs - this.#firstNs + this.#firstLateNs;
    const sleptNs = this.#idleNs() - this.#closedIdleNs;
    const sincePolledNs = stampNs - this.#polledNs;
    const busyNs = sleptNs > 0 ? Math.max(0, stampNs - this.#closedNs - sleptNs) : Number.POSITIVE_INFINITY;
    const queuedNs = this.#queuedSince(sleptNs);
    const mostNs = Math.min(busyNs + sleptNs, sincePolledNs);
    const isStalled = this.#sleptPast(this.#dueNs, stampNs, { busyNs, sleptNs, queuedNs }) > TIMER_GRAIN_NS;
    const lateNs = isStalled ? mostNs : Math.min(busyNs + queuedNs, sincePolledNs);
    this.#isOpen = true;
    this.#firstLateNs = Math.max(0, Math.round(lateNs));
    this.#restNs = Math.max(0, Math.ceil(mostNs) - this.#firstLateNs);
    this.#firstNs = stampNs;
    return this.#firstLateNs;
  }

  /** Everything from the last poll has been read. */
  closeTurn(nowNs: number): void {
    this.#isOpen = false;
    this.#close(nowNs, this.#idleNs());
    this.#polledNs = Math.max(this.#polledNs, this.#firstNs);
  }

  /**
   * Called by the beat, a timer that runs after a poll of the sockets: the poll found nothing if the loop has slept
   * since the last turn. Not so if the beat is late: a process that continues after a stop runs its timers first
   * (epoll_wait ends with EINTR).
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

  /** How far the loop has slept past a beat since the last call, apart from waiting for a processor. */
  takeBlockedNs(): number {
    const blockedNs = this.#blockedNs;
    this.#blockedNs = 0;
    return blockedNs;
  }

  /** The loop has polled its sockets since this time. */
  polledSince(ns: number): void {
    this.#polledNs = Math.max(this.#polledNs, ns);
  }

  /** How far past a beat, except for waiting for a processor. */
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

  /** How much of the sleep may have been waiting for a processor; 0 if the system does not count it. */
  #queuedSince(sleptNs: number): number {
    if (this.#closedQueuedNs === undefined || sleptNs <= 0) return 0;
    const queuedNs = sleptNs <= SHORT_SLEEP_NS ? undefined : this.#queuedNs();
    return queuedNs === undefined ? sleptNs : Math.min(sleptNs, queuedNs - this.#closedQueuedNs);
  }
}

/** Timers count in ms, and a beat that is set at the end of one fires at the end of another. */
const TIMER_GRAIN_NS = 3_000_000;
/** A beat this close to its time was not delayed. */
const TIMELY_NS = 1_500_000;
/** Reading the scheduler's figure costs a microsecond: at most once in half a millisecond. */
const QUEUED_READ_NS = 500_000;
/** Such a short sleep is itself a sufficient upper limit. */
const SHORT_SLEEP_NS = 50_000;
