// Sends a check to every address of every node, each on its own schedule: a dead address costs its own
// timeout and nothing else.

import { randomFillSync } from 'node:crypto';
import { type Clock, pause } from '../../clock/clock.ts';
import { TokenBucket } from '../../clock/token-bucket.ts';
import type { NodeId } from '../../core/ids.ts';
import { errorCode } from '../../core/problem.ts';
import {
  answeredNonce,
  type CheckKey,
  checkKey,
  encodeQuestion,
  isAnswerOf,
  NONCE_BYTES,
  type Question,
} from './check-message.ts';
import type { DatagramAddress } from './datagram-port.ts';
import { REACHABILITY_LIMITS } from './limits.ts';
import { type ReachTarget, targetKey } from './reach-targets.ts';

interface ReachabilityChecksParts {
  readonly clock: Clock;
  /** `deriveSecret(clusterKey, 'reachability')` of each accepted key, the current one first. */
  readonly keys: readonly Uint8Array[];
  /** From 0 to below 1, for the spread. */
  readonly random: () => number;
  /** As `DatagramPort.send`, from a port of its own: a firewall then treats what comes back there as replies. */
  send(bytes: Uint8Array, to: DatagramAddress): Promise<void>;
  /** A measurement of bandwidth runs at this node or at that one. */
  isBusy(node: NodeId): boolean;
  /** The node answers there. */
  opened(target: ReachTarget): void;
  /** It did and no longer does; or it never did, reported once. */
  closed(target: ReachTarget, reason: string, was: 'open' | 'new'): void;
}

interface ReachabilityCounts {
  readonly requested: number;
  readonly answered: number;
  /** Datagrams that match no waiting request: late, forged, garbage. */
  readonly dropped: number;
}

/** What is known about one address, for people. */
export interface ReachStatus {
  readonly target: ReachTarget;
  readonly state: 'new' | 'open' | 'shut';
  /** Why it is shut; '' otherwise. */
  readonly reason: string;
}

interface Row {
  target: ReachTarget;
  /** The phase of its node's turns. */
  readonly phaseMs: number;
  state: 'new' | 'open' | 'shut';
  failures: number;
  /** During a key change a peer may know only one of the two: the last one that worked, until it fails. */
  keyAt: number;
  dueAtMs: number;
  reason: string;
  requested: PendingQuery | undefined;
}

interface PendingQuery {
  readonly row: Row;
  readonly name: string;
  readonly question: Question;
  readonly atMs: number;
}

export class ReachabilityChecks {
  readonly #parts: ReachabilityChecksParts;
  readonly #rows = new Map<string, Row>();
  /** Phases of the turns of each node that is checked. */
  readonly #phases = new Map<NodeId, number>();
  readonly #requested = new Map<string, PendingQuery>();
  readonly #nonces = new NoncePool();
  readonly #requests: TokenBucket;
  /** Different in each process, so nodes that start together do not stay in step. */
  readonly #firstTurnMs: number;
  #keys: readonly CheckKey[];
  #wake = new AbortController();
  #queriedCount = 0;
  #answeredCount = 0;
  #droppedCount = 0;

  constructor(parts: ReachabilityChecksParts) {
    this.#parts = parts;
    this.#keys = parts.keys.map(checkKey);
    this.#firstTurnMs = parts.random() * REACHABILITY_LIMITS.turnMs;
    const { queryBurst, queriesPerSecond } = REACHABILITY_LIMITS;
    this.#requests = new TokenBucket(parts.clock, { burst: queryBurst, perSecond: queriesPerSecond });
  }

  get counts(): ReachabilityCounts {
    return {
      requested: this.#queriedCount,
      answered: this.#answeredCount,
      dropped: this.#droppedCount,
    };
  }

  get statuses(): readonly ReachStatus[] {
    return [...this.#rows.values()].map(({ target, state, reason }) => ({ target, state, reason }));
  }

  setKeys(keys: readonly Uint8Array[]): void {
    this.#keys = keys.map(checkKey);
  }

  /** From now on these are checked. One that is left out is closed at once, for the reason the caller gives. */
  setTargets(targets: readonly ReachTarget[], reasonGone: (target: ReachTarget) => string): void {
    const wanted = new Map(targets.map(target => [targetKey(target), target]));
    for (const [key, row] of this.#rows) {
      if (wanted.has(key)) continue;
      this.#rows.delete(key);
      this.#forget(row);
      if (row.state !== 'shut') this.#parts.closed(row.target, reasonGone(row.target), row.state);
    }
    for (const [key, target] of wanted) {
      const row = this.#rows.get(key);
      if (row === undefined) this.#add(key, target);
      else if (row.target.port !== target.port) {
        row.target = target; // the node has restarted
        this.#checkSoon(row);
      }
    }
    const nodes = new Set(targets.map(({ node }) => node));
    for (const node of this.#phases.keys()) if (!nodes.has(node)) this.#phases.delete(node);
    this.#wake.abort();
  }

  /** Something happened to that node, or to this one's interfaces: its addresses are checked now. */
  hurry(node?: NodeId): void {
    for (const row of this.#rows.values())
      if (node === undefined || row.target.node === node) this.#checkSoon(row);
    this.#wake.abort();
  }

  /** A datagram arrived at the port from which this node sends requests. Never throws. */
  takeAnswer(bytes: Uint8Array): void {
    const nonce = answeredNonce(bytes);
    const requested = nonce && this.#requested.get(Buffer.from(nonce).toString('latin1'));
    if (requested === undefined) {
      this.#droppedCount += 1;
      return;
    }
    const { row, question } = requested;
    if (!isAnswerOf(bytes, question, row.target.node)) {
      // Only a node that received the request has its nonce: here, the address belongs to a container network
      // that several machines have.
      this.#failed(requested, 'another node answers there');
      return;
    }
    this.#forget(row);
    this.#answeredCount += 1;
    row.failures = 0;
    row.reason = '';
    row.dueAtMs = this.#turnAfter(row, requested.atMs);
    if (row.state === 'open') return;
    row.state = 'open';
    this.#parts.opened(row.target);
  }

  /** Until the abort. */
  async run(signal: AbortSignal): Promise<void> {
    // Not AbortSignal.any: a composite signal for each pause is work for the garbage collector.
    const end = (): void => this.#wake.abort();
    signal.addEventListener('abort', end);
    while (!signal.aborted) {
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
      const { clock } = this.#parts;
      const { tickMs, stallMs } = REACHABILITY_LIMITS;
      const fromMs = clock.nowMs();
      const pauseMs = Math.max(tickMs, this.#work() - fromMs);
      await pause(clock, pauseMs, this.#wake.signal);
      // A process that was suspended has replies waiting in its sockets; read them before calling anything late.
      if (clock.nowMs() - fromMs - pauseMs > stallMs) await pause(clock, tickMs, signal);
    }
    signal.removeEventListener('abort', end);
  }

  /** @returns when the next work is due, if nothing happens before. */
  #work(): number {
    const nowMs = this.#parts.clock.nowMs();
    for (const requested of this.#requested.values()) {
      if (nowMs - requested.atMs < REACHABILITY_LIMITS.timeoutMs) break; // in the order in which they were sent
      this.#failed(requested, undefined);
    }
    let nextMs = nowMs + IDLE_MS;
    for (const row of this.#rows.values()) {
      if (row.requested === undefined && row.dueAtMs <= nowMs && !this.#check(row)) return nowMs;
      const atMs =
        row.requested === undefined ? row.dueAtMs : row.requested.atMs + REACHABILITY_LIMITS.timeoutMs;
      if (atMs < nextMs) nextMs = atMs;
    }
    return nextMs;
  }

  /** @returns false if too many were checked just now. */
  #check(row: Row): boolean {
    if (!this.#requests.take()) return false;
    const key = this.#keys[row.keyAt % this.#keys.length];
    if (key === undefined) return true;
    const nonce = this.#nonces.next();
    const name = Buffer.from(nonce).toString('latin1');
    const requested: PendingQuery = { row, name, question: { nonce, key }, atMs: this.#parts.clock.nowMs() };
    row.requested = requested;
    this.#requested.set(name, requested);
    this.#queriedCount += 1;
    const { address, port } = row.target;
    this.#parts
      .send(encodeQuestion(requested.question), { address, port })
      .catch(error => this.#failed(requested, sendFailure(error)));
    return true;
  }

  /** `refusal`: undefined if nothing came back. */
  #failed(requested: PendingQuery, refusal: string | undefined): void {
    const { row } = requested;
    if (row.requested !== requested) return;
    this.#forget(row);
    row.failures += 1;
    row.keyAt += 1;
    const { failuresMax, failuresBusyMax, retryMs, intervalMs, backoffMsMax } = REACHABILITY_LIMITS;
    const nowMs = this.#parts.clock.nowMs();
    const isExcused = row.state === 'open' && refusal === undefined && this.#parts.isBusy(row.target.node);
    if (row.failures < (isExcused ? failuresBusyMax : failuresMax)) {
      row.dueAtMs = nowMs + retryMs;
      return;
    }
    const doublings = Math.min(20, Math.max(0, row.failures - failuresMax));
    const pauseMs = Math.min(backoffMsMax, intervalMs * 2 ** doublings);
    row.dueAtMs = this.#turnAfter(row, nowMs + pauseMs - intervalMs);
    const reason = refusal ?? NO_ANSWER;
    row.reason = reason;
    const was = row.state;
    if (was === 'shut') return;
    row.state = 'shut';
    this.#parts.closed(row.target, reason, was);
  }

  #add(key: string, target: ReachTarget): void {
    if (this.#rows.size >= REACHABILITY_LIMITS.addressesMax) return;
    const phaseMs = this.#phaseOf(target.node);
    const row: Row = {
      target,
      phaseMs,
      state: 'new',
      failures: 0,
      keyAt: 0,
      dueAtMs: 0,
      reason: '',
      requested: undefined,
    };
    this.#rows.set(key, row);
    this.#checkSoon(row);
  }

  #phaseOf(node: NodeId): number {
    const { intervalMs, turnMs } = REACHABILITY_LIMITS;
    const turn = Math.floor(this.#parts.random() * (intervalMs / turnMs));
    const phaseMs = this.#phases.get(node) ?? this.#firstTurnMs + turn * turnMs;
    this.#phases.set(node, phaseMs);
    return phaseMs;
  }

  #checkSoon(row: Row): void {
    if (row.requested !== undefined && row.state === 'open') return;
    if (row.requested !== undefined) this.#forget(row);
    if (row.state !== 'open') row.failures = 0;
    const { random, clock } = this.#parts;
    const soonMs = clock.nowMs() + random() * REACHABILITY_LIMITS.firstSpreadMs;
    if (row.dueAtMs > soonMs || row.state !== 'open') row.dueAtMs = soonMs;
  }

  #forget(row: Row): void {
    if (row.requested !== undefined) this.#requested.delete(row.requested.name);
    row.requested = undefined;
  }

  /**
   * The next turn of the address's node. The nodes are spread over the turns of an interval; the addresses of one are
   * checked together, because waking up, at either end, is what costs.
   */
  #turnAfter({ phaseMs }: Row, afterMs: number): number {
    const { intervalMs } = REACHABILITY_LIMITS;
    const earliestMs = afterMs + intervalMs * TURN_SHARE_MIN;
    return phaseMs + Math.ceil((earliestMs - phaseMs) / intervalMs) * intervalMs;
  }
}

const NO_ANSWER = 'no answer';
/** An address checked just before its turn is checked at the next one. */
const TURN_SHARE_MIN = 0.2;
/** With nothing to check, only an event wakes it. */
const IDLE_MS = 3_600_000;

// Why the system did not accept a datagram, as text.
const sendFailure = (error: unknown): string => {
  const code = errorCode(error) ?? '';
  return SEND_FAILURES[code] ?? (code === '' ? 'nothing can be sent to it' : code);
};

const SEND_FAILURES: Readonly<Record<string, string>> = {
  ENETUNREACH: 'no route to that network',
  EHOSTUNREACH: 'no route to that address',
  EADDRNOTAVAIL: 'the interface has no address for it',
  EINVAL: 'the interface is gone',
  ENODEV: 'the interface is gone',
  ENXIO: 'the interface is gone',
  ENETDOWN: 'the interface is down',
  EPERM: 'a firewall of this machine forbids it',
  EACCES: 'a firewall of this machine forbids it',
};

// Nonces cut from blocks of random bytes: asking the system for each one costs more than the check itself.
class NoncePool {
  readonly #block = new Uint8Array(NONCES_OF_A_BLOCK * NONCE_BYTES);
  #at: number = this.#block.length;

  /** Never the same bytes twice. */
  next(): Uint8Array {
    if (this.#at >= this.#block.length) {
      randomFillSync(this.#block);
      this.#at = 0;
    }
    const nonce = this.#block.slice(this.#at, this.#at + NONCE_BYTES);
    this.#at += NONCE_BYTES;
    return nonce;
  }
}

const NONCES_OF_A_BLOCK = 256;
