// The own event loop of a load thread: epoll, and timers with its timeout. It runs inside Node's loop, one round in each
// turn: Node's own epoll descriptor is among those that it waits for, so that messages of other threads and everything
// else of Node wake it, too (docs/decisions/0033-own-read-loop.md).

import { DueHeap } from '../../clock/due-heap.ts';
import type { LoopTimers } from '../../clock/loop-timers.ts';
import { type KernelIo, WATCH } from '../../native/kernel-io.ts';
import { POLLED } from '../../native/kernel-layout.ts';
import { StampClock } from './stamp-clock.ts';

export interface PolledSocket {
  /** @param events bits of POLLED */
  ready(events: number): void;
}

interface Timer extends Disposable {
  readonly act: () => void;
  readonly everyNs: number;
  isCancelled: boolean;
}

interface ReadLoopParts {
  readonly io: KernelIo;
  readonly nowNs: () => number;
  /** A descriptor that is open as long as the kernel has to stamp. */
  readonly stamped: number;
}

export class ReadLoop implements LoopTimers {
  readonly isExact = true;
  readonly io: KernelIo;
  readonly nowNs: () => number;
  readonly clock: StampClock;
  /** When the last wait returned. */
  roundNs: number;
  /** Total time in waits. */
  idleNs = 0;
  /** Rounds in a row that began late. */
  #lateRounds = 0;
  readonly #stamped: number;
  readonly #sockets: Map<number, PolledSocket> = new Map();
  readonly #timers: DueHeap<Timer> = new DueHeap();
  /** Of the timers: they stay until they are due, or until there are too many. */
  #cancelled = 0;
  #soon: Timer[] = [];
  #nextId = FIRST_ID;
  #turn: NodeJS.Immediate | undefined;
  #isStopped = false;

  constructor({ io, nowNs, stamped }: ReadLoopParts) {
    this.io = io;
    this.nowNs = nowNs;
    this.#stamped = stamped;
    this.clock = new StampClock({ wallNs: () => io.wallNs(), nowNs });
    this.roundNs = nowNs();
  }

  /** @param nodeLoop the descriptor of Node's loop */
  start(nodeLoop: number): void {
    this.io.watch(nodeLoop, WATCH.add, POLLED.in, NODE_ID);
    this.#turn = setImmediate(this.#round);
  }

  /** Its sockets must be closed. Idempotent. */
  stop(): void {
    clearImmediate(this.#turn);
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.io.close(this.#stamped);
    this.io.stop();
  }

  /** @returns its id. @throws SocketError */
  add(fd: number, events: number, socket: PolledSocket): number {
    const id = this.#nextId;
    this.#nextId = id === LAST_ID ? FIRST_ID : id + 1;
    this.io.watch(fd, WATCH.add, events, id);
    this.#sockets.set(id, socket);
    return id;
  }

  /** @throws SocketError */
  change(fd: number, events: number, id: number): void {
    this.io.watch(fd, WATCH.modify, events, id);
  }

  /** Closing its descriptor is enough for the kernel. */
  remove(id: number): void {
    this.#sockets.delete(id);
  }

  /**
   * Several events of a socket may have arrived by now. Not in a loop that is always late: separating them would cost it
   * the time that it lacks.
   */
  get isLate(): boolean {
    return this.#lateRounds > 0 && this.#lateRounds <= LATE_ROUNDS_MAX;
  }

  /** Including cancelled ones. */
  get timerCount(): number {
    return this.#timers.length;
  }

  after(ms: number, act: () => void): Disposable {
    return this.#add(act, this.nowNs() + ms * 1e6, 0);
  }

  every(ms: number, act: () => void): Disposable {
    return this.#add(act, this.nowNs() + ms * 1e6, ms * 1e6);
  }

  soon(act: () => void): Disposable {
    const timer = this.#timer(act, 0);
    this.#soon.push(timer);
    return timer;
  }

  #add(act: () => void, dueNs: number, everyNs: number): Timer {
    const timer = this.#timer(act, everyNs);
    this.#timers.add(timer, dueNs);
    return timer;
  }

  #timer(act: () => void, everyNs: number): Timer {
    const timer: Timer = {
      act,
      everyNs,
      isCancelled: false,
      [Symbol.dispose]: () => {
        if (timer.isCancelled) return;
        timer.isCancelled = true;
        this.#cancelled += 1;
        if (this.#cancelled <= CANCELLED_MAX) return;
        this.#timers.keep(({ isCancelled }) => !isCancelled);
        this.#cancelled = 0;
      },
    };
    return timer;
  }

  readonly #round = (): void => {
    const soon = this.#soon;
    this.#soon = [];
    const startNs = this.nowNs();
    const dueNs = this.#timers.firstDue;
    const timeoutNs = soon.length > 0 ? 0 : Math.min(WAIT_NS_MAX, Math.max(0, dueNs - startNs));
    const ready = this.io.wait(timeoutNs);
    const endNs = this.nowNs();
    if (timeoutNs > 0) this.idleNs += endNs - startNs;
    const [busyNs, sleptNs] = [startNs - this.roundNs, endNs - startNs];
    const isLate = sleptNs - timeoutNs > LATE_NS || (busyNs > LATE_NS && sleptNs < busyNs);
    this.#lateRounds = isLate ? this.#lateRounds + 1 : 0;
    this.roundNs = endNs;
    if (ready > 0) this.#serve(ready, endNs);
    this.#runTimers();
    for (const timer of soon) if (!timer.isCancelled) timer.act();
    if (!this.#isStopped) this.#turn = setImmediate(this.#round);
  };

  #serve(ready: number, nowNs: number): void {
    this.clock.check(nowNs);
    const { events } = this.io;
    for (let index = 0; index < ready; index += 1)
      this.#sockets.get(events.idAt(index))?.ready(events.eventsAt(index));
  }

  #runTimers(): void {
    const timers = this.#timers;
    const nowNs = this.nowNs();
    for (let timer = timers.first; timer !== undefined && timers.firstDue <= nowNs; timer = timers.first) {
      if (timer.isCancelled || timer.everyNs === 0) timers.removeFirst();
      else timers.postponeFirst(Math.max(timers.firstDue + timer.everyNs, nowNs));
      if (!timer.isCancelled) timer.act();
    }
  }
}

const NODE_ID = 0;
const FIRST_ID = 1;
const LAST_ID = 2 ** 32 - 1;
/** A timer of the load is due more often. */
const WAIT_NS_MAX = 100e6;
/** Within it, a server rarely sends two events on one connection. */
const LATE_NS = 1e6;
const LATE_ROUNDS_MAX = 4;
/** Cancelled timers that may wait for their time. */
const CANCELLED_MAX = 4_096;
