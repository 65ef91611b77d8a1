// A load thread's part of a run: its connections, its share of the samples, its timer. It has its event loop to
// itself; slow work happens in other threads. Its time is CLOCK_MONOTONIC and its own timers rather than the Clock
// port: they are the measuring instrument.

import type { MessagePort } from 'node:worker_threads';
import type { LoopTimers } from '../../clock/loop-timers.ts';
import type { Sentences } from '../../core/problem.ts';
import type { ArrivalStamps } from '../../core/run/arrival-stamps.ts';
import { BEAT_NS } from '../../core/run/event-record.ts';
import type { LoadTimeouts } from '../../core/run/load-request.ts';
import { LOOK, type Milestone, RECORD, type TurnResult } from '../arena/load-record.ts';
import type { LoadRecorder } from '../arena/load-recorder.ts';
import type { MarkSource } from '../arena/mark.ts';
import type { ThreadBoard } from '../arena/thread-board.ts';
import type { ClosingNotes, ConnectionCounts, ConnectionOwner } from '../target/http1/connection-owner.ts';
import type { ReadArrival, TargetDialer } from '../target/http1/dialer.ts';
import { HttpConnection, NONE } from '../target/http1/http-connection.ts';
import type { RequestSource } from '../target/http1/request-writer.ts';
import { AddressRound } from './address-round.ts';
import type { ClientWatch } from './client-watch.ts';
import { ConnectionOpening } from './connection-opening.ts';
import { cancelAfterMs, type LoadPattern, type LoadPlan, type OpenedConnections } from './load-plan.ts';

interface LoadThreadParts {
  readonly thread: number;
  readonly plan: LoadPlan;
  readonly nowNs: () => number;
  readonly recorder: LoadRecorder;
  readonly timers: LoopTimers;
  /** One for each target. */
  readonly dialers: readonly [TargetDialer, ...TargetDialer[]];
  readonly requests: RequestSource;
  readonly board: ThreadBoard;
  readonly watch: ClientWatch;
  readonly counts: ConnectionCounts;
  /** To the parse thread; undefined: it needs no request to look. */
  readonly parser?: MessagePort;
  readonly stamps: ArrivalStamps;
}

export class LoadThread implements ConnectionOwner<HttpConnection> {
  readonly thread: number;
  readonly plan: LoadPlan;
  readonly nowNs: () => number;
  readonly recorder: LoadRecorder;
  readonly timeouts: LoadTimeouts;
  readonly timers: LoopTimers;
  readonly board: ThreadBoard;
  readonly connections: HttpConnection[] = [];
  /** Opened before the load, for users. Others were opened later, in advance. */
  openedAtFirst = 0;
  /** Nothing has succeeded so far: until a reply has been parsed, one of status 200 counts as an error, too. */
  isFailing = false;
  readonly addresses: AddressRound;
  readonly closing: ClosingServers = new ClosingServers();
  readonly requests: RequestSource;
  readonly #dialers: LoadThreadParts['dialers'];
  readonly #watch: ClientWatch;
  readonly #counts: ConnectionCounts;
  readonly #timer: Disposable;
  readonly #parser: MessagePort | undefined;
  readonly #stamps: ArrivalStamps;
  #pattern: LoadPattern | undefined;
  #deadlines: Disposable | undefined;
  #ticks = 0;
  #inFlight = 0;
  #opening: ConnectionOpening | undefined;
  #hasReportedIssuingEnded = false;
  #isStopped = false;
  #phaseEnded: (() => void) | undefined;
  #reportedDropped = 0;
  #backoffNs = 0;
  #connectionsAhead = 0;
  /** Arrivals held back; at the end those that were never sent. */
  #waiting = 0;

  constructor(parts: LoadThreadParts) {
    this.thread = parts.thread;
    this.plan = parts.plan;
    this.nowNs = parts.nowNs;
    this.recorder = parts.recorder;
    this.addresses = new AddressRound(parts.plan.target.addresses ?? [], parts.thread);
    this.timeouts = parts.plan.timeouts;
    this.timers = parts.timers;
    this.#dialers = parts.dialers;
    this.board = parts.board;
    this.requests = parts.requests;
    this.#watch = parts.watch;
    this.#counts = parts.counts;
    this.#parser = parts.parser;
    this.#stamps = parts.stamps;
    this.requests.onRequestsAvailable?.(() => this.#pattern?.requestsCame?.());
    this.#parser?.on('message', (result: TurnResult) => this.#pattern?.turnEnded?.(result));
    this.#timer = this.timers.every(LOAD_TICK_MS, () => this.#tick());
  }

  /** Opens a connection to each of these targets. */
  open(targets: readonly number[]): Promise<OpenedConnections> {
    this.openedAtFirst = targets.length;
    const opening = new ConnectionOpening(targets, target => this.addConnection(target).open());
    this.#opening = opening;
    opening.start();
    return opening.ended
      .then(opened => ({ ...opened, dead: [...this.addresses.dead], stamps: this.#stamps }))
      .finally(() => {
        this.#opening = undefined;
      });
  }

  dialerOf(target: number): TargetDialer {
    return this.#dialers[target] ?? this.#dialers[0];
  }

  /** Resolves when the pattern has issued all its requests and all have ended. */
  run(pattern: LoadPattern): Promise<void> {
    return new Promise(resolve => {
      this.#pattern = pattern;
      this.#phaseEnded = resolve;
      pattern.start();
      this.patternMoved();
    });
  }

  reportWarmedUp(): Promise<void> {
    return this.#report(RECORD.warmedUp);
  }

  /** Closes everything. Resolves when the end marker is in the ring. */
  async finish(): Promise<void> {
    // A run shorter than the first interval would otherwise report nothing about its client and connections.
    this.#watch.heartbeat.last(this.nowNs());
    this.#observe();
    this.#reportLosses();
    // Before the marker: a thread is ended once it has been read.
    for (const connection of this.connections) connection.close();
    this.#watch.stop();
    await this.#report(RECORD.ended);
    this.#timer[Symbol.dispose]();
    this.#deadlines?.[Symbol.dispose]();
  }

  /** What is in flight is followed to its end. */
  endIssuing(): void {
    this.#pattern?.stop();
    this.patternMoved();
  }

  /** Ends what is in flight as cancelled and issues no more. */
  stop(): void {
    this.#isStopped = true;
    this.#pattern?.stop();
    for (const connection of this.connections) {
      if (connection.hasSample) connection.end('cancelled', 'the run was stopped', this.nowNs());
    }
    this.patternMoved();
  }

  /** The load is over, and requests in flight are no longer awaited. */
  cutOff(): void {
    for (const connection of this.connections) {
      if (connection.hasSample) connection.end('cancelled-after-grace', '', this.nowNs());
    }
    this.patternMoved();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** A closed connection with its own number; `send` opens it. */
  addConnection(target: number): HttpConnection {
    const connection = new HttpConnection(this.connections.length, this, this.#counts);
    connection.goTo(target);
    this.connections.push(connection);
    return connection;
  }

  prepare(connection: HttpConnection, sampleId: number): void {
    this.requests.prepare(connection.request, sampleId, connection.target);
  }

  /** `intendedNs` NONE: the time of sending. */
  send(connection: HttpConnection, intendedNs: number, heldBackNs: number, isWarmup: boolean): void {
    this.#inFlight += 1;
    this.board.add(this.thread, 'issued', 1);
    if (isWarmup) this.board.add(this.thread, 'warmup', 1);
    connection.cancelAfterMs = isWarmup ? NONE : cancelAfterMs(this.plan, connection.request.sampleId);
    connection.send(intendedNs, heldBackNs, isWarmup);
  }

  /** An arrival that cannot be sent: it counts as issued and failed. */
  refuse(sampleId: number, intendedNs: number, isWarmup: boolean, detail: string): void {
    const nowNs = this.nowNs();
    this.board.add(this.thread, 'issued', 1);
    if (isWarmup) this.board.add(this.thread, 'warmup', 1);
    this.board.add(this.thread, 'ended', 1);
    this.recorder.issued(sampleId, REFUSED_SLOT, nowNs, intendedNs, 0, 0, isWarmup, 0, NONE);
    this.recorder.ended(sampleId, REFUSED_SLOT, nowNs, {
      kind: 'client',
      detail,
      bytesSent: 0,
      bytesReceived: 0,
      firstByteNs: NONE,
    });
  }

  /** Something waits for what was recorded last, as the next turn for the result of a reply. */
  wakeParser(): void {
    this.#parser?.postMessage(LOOK);
  }

  /** Called when the pattern may have reached its end. */
  patternMoved(): void {
    const pattern = this.#pattern;
    if (pattern === undefined || !pattern.hasIssuedAll) return;
    if (!pattern.isWarmup && !this.#hasReportedIssuingEnded) {
      if (!this.recorder.milestone(RECORD.issuingEnded, this.nowNs())) return;
      this.#hasReportedIssuingEnded = true;
      this.wakeParser();
    }
    if (this.#inFlight > 0) return;
    this.#waiting = pattern.waiting(this.nowNs());
    this.#pattern = undefined;
    this.#phaseEnded?.();
  }

  opened(connection: HttpConnection): void {
    this.#opening?.opened();
    this.#pattern?.connectionFree(connection);
  }

  openFailed(connection: HttpConnection, problem: Sentences): void {
    this.#opening?.failed(problem);
    this.#pattern?.connectionLost(connection);
  }

  lostIdle(connection: HttpConnection): void {
    this.#pattern?.connectionLost(connection);
  }

  sampleEnded(connection: HttpConnection): void {
    this.#inFlight -= 1;
    this.board.add(this.thread, 'ended', 1);
    if (!this.#isStopped) this.#pattern?.sampleEnded(connection);
    this.patternMoved();
  }

  readHappened(stampNs: number, arrival: ReadArrival | undefined): void {
    if (arrival !== undefined) this.recorder.readLate(arrival.lateNs, 0);
    else this.recorder.readLate(this.#watch.readHappened(stampNs), this.#watch.restNs);
    if (this.recorder.takeNeedsReader()) this.wakeParser();
  }

  /** From now on the wake-up latency of this thread is measured, if it is part of timestamps. */
  readMarks(source: MarkSource): void {
    if (this.#stamps.by === 'kernel') return;
    this.#watch.marks.connect(source, this.nowNs, stampNs => ({
      lateNs: this.#watch.readHappened(stampNs),
      restNs: this.#watch.restNs,
    }));
  }

  polledSince(ns: number): void {
    this.#watch.polledSince(ns);
  }

  /** A user waited this long before the next request. */
  backedOff(ns: number): void {
    this.#backoffNs += ns;
  }

  /** A connection was opened before a request needed it. */
  openedAhead(): void {
    this.#connectionsAhead += 1;
  }

  arenaFull(): void {
    this.board.add(this.thread, 'arenaFull', 1);
  }

  /** A full ring has room again when the parse thread has made progress. */
  async #report(milestone: Milestone): Promise<void> {
    while (!this.recorder.milestone(milestone, this.nowNs()))
      await new Promise<void>(resolve => void this.timers.after(LOAD_TICK_MS, resolve));
    this.wakeParser();
  }

  #tick(): void {
    const nowNs = this.nowNs();
    this.board.add(this.thread, 'heartbeat', 1);
    this.#watch.tick(nowNs);
    if (this.connections.some(connection => connection.isOverdue(nowNs)))
      this.#deadlines ??= this.timers.soon(() => this.#endOverdue(nowNs));
    this.#pattern?.tick(nowNs);
    this.requests.tick?.();
    this.patternMoved();
    this.#ticks += 1;
    if (this.#ticks % OBSERVED_TICKS === 0) this.#observe();
    this.#reportLosses();
  }

  /** After the next poll, which reads what had arrived by then: a thread that was delayed is no late reply. */
  #endOverdue(nowNs: number): void {
    this.#deadlines = undefined;
    for (const connection of this.connections) connection.endOverdue(nowNs);
  }

  #reportLosses(): void {
    const dropped = this.recorder.droppedCount - this.#reportedDropped;
    if (dropped > 0) this.board.add(this.thread, 'dropped', dropped);
    this.#reportedDropped += dropped;
  }

  #observe(): void {
    const { heartbeat, marks } = this.#watch;
    this.#waiting = this.#pattern?.waiting(this.nowNs()) ?? this.#waiting;
    const record = this.#watch.observe({
      arrivalsWaiting: this.#waiting,
      backoffNs: this.#backoffNs,
      connectionsAhead: this.#connectionsAhead,
    });
    this.recorder.observed(record);
    // A thread whose timestamps are the kernel's has nothing to sample, which an empty record states.
    const isByKernel = this.#stamps.by === 'kernel';
    if (!isByKernel)
      this.recorder.latenesses(RECORD.beats, heartbeat.latenessNs, heartbeat.count, record.atNs);
    heartbeat.clear();
    if (marks.count > 0 || isByKernel)
      this.recorder.latenesses(RECORD.marks, marks.latenessNs, marks.count, record.atNs);
    marks.clear();
  }
}

/** For samples that never had a connection. */
const REFUSED_SLOT = 0xff_ff_ff_ff;
/** Period of the one coarse timer: deadlines fire late by up to this much. */
const LOAD_TICK_MS: number = BEAT_NS / 1e6;
/** 5 Hz. */
const OBSERVED_TICKS = 10;

// Which targets close a connection after each reply although they announce keep-alive, as cpp-httplib in llama-server
// does with TLS: a request written to such a connection is lost and sent again after a handshake, which would be part
// of its time to first token.

/** Of one load thread. */
export class ClosingServers implements ClosingNotes {
  readonly #closes: number[] = [];

  /** The server closed a connection right after a reply that announced keep-alive. */
  closedAfterReply(target: number): void {
    this.#closes[target] = (this.#closes[target] ?? 0) + 1;
  }

  /** A second reply arrived on a connection: the server keeps them open. */
  keptAfterReply(target: number): void {
    if (!this.closes(target)) this.#closes[target] = 0;
  }

  /** From the second close on, to the end of the run. */
  closes(target: number): boolean {
    return (this.#closes[target] ?? 0) >= CLOSES_LEAST;
  }
}

/** One may be chance: a server that restarts, a gateway that changes its configuration. */
const CLOSES_LEAST = 2;
