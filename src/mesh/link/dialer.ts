// Tries the addresses that may lead to peers: each independently, with a growing pause, and not while its
// peer is linked. Static ones are tried indefinitely.

import { type Clock, pause } from '../../clock/clock.ts';
import { deadline } from '../../clock/deadline.ts';
import type { NodeId } from '../../core/ids.ts';
import type { MeshCandidate, MeshLimits, MeshRefusal } from '../mesh.ts';
import type { Connector, Handshake } from './pipe.ts';

interface DialerParts {
  readonly localId: NodeId;
  readonly instance: string;
  readonly clock: Clock;
  readonly limits: MeshLimits;
  /** From 0 to below 1: spreads the attempts of nodes that start together. */
  readonly random: () => number;
  readonly connector: Connector;
  isLinked(peerId: NodeId): boolean;
  /** Resolves when the link has ended or was not accepted. */
  consider(handshake: Handshake): Promise<'was-up' | 'refused'>;
  refused(refusal: MeshRefusal): void;
}

/** The results of dialling one address so far, for people. */
export interface DialStatus {
  readonly candidate: MeshCandidate;
  /** The node that replied there last, if any. */
  readonly peerId: NodeId | undefined;
  readonly failures: number;
  /** Refusal of the last dial; undefined once one succeeds. */
  readonly refusal: MeshRefusal | undefined;
  /** The address is this node's own. */
  readonly isSelf: boolean;
}

interface Target {
  candidate: MeshCandidate;
  peerId: NodeId | undefined;
  failures: number;
  refusal: MeshRefusal | undefined;
  isSelf: boolean;
  triedAtMs: number;
  wake: AbortController;
}

export class Dialer {
  readonly #parts: DialerParts;
  readonly #slots: DialSlots;
  readonly #targets = new Map<string, Target>();
  /** Addresses of this process itself, and when that was seen. */
  readonly #own = new Map<string, number>();
  readonly #tasks = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(parts: DialerParts) {
    this.#parts = parts;
    this.#slots = new DialSlots(parts.limits.dialsMax);
  }

  /** Number of stored candidates. */
  get size(): number {
    return this.#targets.size;
  }

  get statuses(): readonly DialStatus[] {
    return [...this.#targets.values()].map(({ candidate, peerId, failures, refusal, isSelf }) => {
      return { candidate, peerId, failures, refusal, isSelf };
    });
  }

  start(signal: AbortSignal): void {
    this.#signal = signal;
    for (const [key, target] of this.#targets) this.#begin(key, target, signal);
  }

  add(candidate: MeshCandidate): void {
    const key = `${candidate.address} ${candidate.port}`;
    if (!isDiallable(candidate) || this.#isOwn(key)) return;
    const known = this.#targets.get(key);
    if (known !== undefined) {
      this.#again(known, candidate);
      return;
    }
    if (this.#targets.size >= this.#parts.limits.candidatesMax && candidate.source !== 'static') return;
    const target: Target = {
      candidate,
      peerId: candidate.peerId,
      failures: 0,
      refusal: undefined,
      isSelf: false,
      triedAtMs: Number.NEGATIVE_INFINITY,
      wake: new AbortController(),
    };
    this.#targets.set(key, target);
    if (this.#signal !== undefined && !this.#signal.aborted) this.#begin(key, target, this.#signal);
  }

  /** A peer's link has ended: its addresses are tried at once, if they were not just now. */
  peerGone(peerId: NodeId): void {
    for (const target of this.#targets.values()) {
      if (target.peerId === peerId) target.wake.abort();
    }
  }

  /** After the signal's abort; resolves when no dial is under way. */
  async stopped(): Promise<void> {
    await Promise.all([...this.#tasks]);
  }

  #again(target: Target, candidate: MeshCandidate): void {
    const source = target.candidate.source === 'static' ? 'static' : candidate.source;
    target.candidate = { ...candidate, source };
    target.peerId ??= candidate.peerId;
    const { clock, limits } = this.#parts;
    if (target.failures > 0 && clock.nowMs() - target.triedAtMs >= limits.dialTimeoutMs) target.wake.abort();
  }

  #begin(key: string, target: Target, signal: AbortSignal): void {
    const task = this.#pursue(key, target, signal)
      .catch(error => {
        if (!signal.aborted) throw error;
      })
      .finally(() => {
        this.#tasks.delete(task);
        if (this.#targets.get(key) === target) this.#targets.delete(key);
      });
    this.#tasks.add(task);
  }

  async #pursue(key: string, target: Target, signal: AbortSignal): Promise<void> {
    const { localId, limits } = this.#parts;
    if (target.peerId !== undefined && localId > target.peerId)
      await this.#pause(target, limits.yieldMs, signal);
    for (;;) {
      if (target.peerId !== undefined && this.#parts.isLinked(target.peerId)) {
        // An address may have a new owner, which only a dial can find; addresses from other sources are announced
        // again.
        await this.#pause(target, RECHECK_MS, signal);
        if (this.#parts.isLinked(target.peerId) && target.candidate.source !== 'static') continue;
      }
      const outcome = await this.#attempt(target, signal);
      if (outcome === 'self') {
        this.#remember(key);
        if (target.candidate.source !== 'static') return;
        await this.#pause(target, OWN_ADDRESS_MS, signal);
        continue;
      }
      target.failures = outcome === 'was-up' ? 0 : target.failures + 1;
      if (target.candidate.source !== 'static' && target.failures >= limits.dialFailuresMax) return;
      await this.#pause(target, this.#backoffMs(target.failures), signal);
    }
  }

  async #attempt(target: Target, signal: AbortSignal): Promise<'was-up' | 'refused' | 'self'> {
    const { clock, limits, connector } = this.#parts;
    let handshake: Handshake | undefined;
    {
      using _slot = await this.#slots.take(signal);
      using limit = deadline(clock, limits.dialTimeoutMs, signal);
      target.triedAtMs = clock.nowMs();
      try {
        const outcome = await connector.dial(target.candidate, limit.signal);
        if (outcome.kind === 'handshake') handshake = outcome.handshake;
        else this.#refused(target, outcome.refusal);
      } catch (error) {
        if (!limit.isOver) throw error;
        const { address: host, port } = target.candidate;
        const detail = `no answer within ${limits.dialTimeoutMs / 1_000} s`;
        const why = { reason: 'unreachable', cause: 'no-answer', detail } as const;
        this.#refused(target, { ...why, direction: 'dialled', address: { host, port } });
      }
    }
    if (handshake === undefined) return 'refused';
    const { nodeId, instance } = handshake.peer;
    if (nodeId !== this.#parts.localId) target.peerId = nodeId;
    target.isSelf = nodeId === this.#parts.localId && instance === this.#parts.instance;
    target.refusal = undefined;
    const end = await this.#parts.consider(handshake);
    return target.isSelf ? 'self' : end;
  }

  #refused(target: Target, refusal: MeshRefusal): void {
    target.refusal = refusal;
    this.#parts.refused(refusal);
  }

  #isOwn(key: string): boolean {
    const sinceMs = this.#own.get(key);
    return sinceMs !== undefined && this.#parts.clock.nowMs() - sinceMs < OWN_ADDRESS_MS;
  }

  #remember(key: string): void {
    if (this.#own.size >= OWN_ADDRESSES_MAX) this.#own.clear();
    this.#own.set(key, this.#parts.clock.nowMs());
  }

  #backoffMs(failures: number): number {
    const { backoffMsMin, backoffMsMax } = this.#parts.limits;
    const fullMs = Math.min(backoffMsMax, backoffMsMin * 2 ** Math.min(20, Math.max(0, failures - 1)));
    return fullMs * (0.5 + this.#parts.random() / 2);
  }

  async #pause(target: Target, durationMs: number, signal: AbortSignal): Promise<void> {
    target.wake = new AbortController();
    const either = AbortSignal.any([signal, target.wake.signal]);
    await pause(this.#parts.clock, durationMs, either);
    signal.throwIfAborted();
  }
}

/** Some come from peers and beacons: what cannot be an address is not stored. */
const isDiallable = ({ address, port }: MeshCandidate): boolean =>
  /^[\w.:%-]{1,255}$/.test(address) && Number.isInteger(port) && port > 0 && port <= 65_535;

/** How often the address of a linked peer is checked again. */
const RECHECK_MS = 60_000;
/** An address that led to this process is left alone for this long: it may get another owner. */
const OWN_ADDRESS_MS = 600_000;
const OWN_ADDRESSES_MAX = 256;

// Limits concurrent dials; first come, first served.
class DialSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** @throws the signal's reason. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#release();
        isTaken = false;
      },
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(grant);
        reject(signal.reason);
      };
      const grant = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      this.#waiting.add(grant);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
