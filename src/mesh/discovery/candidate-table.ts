// Addresses from beacons and from peers: each is passed on to the transport, but not too often, and forgotten
// when it was not reported for long. A full table refuses new ones instead of losing working ones.

import type { Clock } from '../../clock/clock.ts';
import { TokenBucket } from '../../clock/token-bucket.ts';
import type { MeshCandidate } from '../mesh.ts';
import { DISCOVERY_LIMITS } from './limits.ts';

interface Row {
  candidate: MeshCandidate;
  /** The peer that sent it; '' if it came in a beacon. */
  readonly reportedBy: string;
  offeredAtMs: number;
  passedAtMs: number;
}

export class CandidateTable {
  readonly #clock: Clock;
  readonly #pass: (candidate: MeshCandidate) => void;
  readonly #rows = new Map<string, Row>();
  readonly #countsByTeller = new Map<string, number>();
  readonly #buckets: ReadonlyMap<string, TokenBucket>;
  #refusedCount = 0;

  constructor(clock: Clock, pass: (candidate: MeshCandidate) => void) {
    this.#clock = clock;
    this.#pass = pass;
    const rate = { burst: DISCOVERY_LIMITS.newBurst, perSecond: DISCOVERY_LIMITS.newPerSecond };
    this.#buckets = new Map([
      ['beacon', new TokenBucket(clock, rate)],
      ['peer', new TokenBucket(clock, rate)],
    ]);
  }

  get size(): number {
    return this.#rows.size;
  }

  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** @param reportedBy the peer that reported it; each peer has its share of the table. */
  offer(candidate: MeshCandidate, reportedBy = ''): void {
    const key = `${candidate.address} ${candidate.port}`;
    const nowMs = this.#clock.nowMs();
    const row = this.#rows.get(key);
    if (row !== undefined) {
      row.offeredAtMs = nowMs;
      // A beacon received here is better evidence than what a peer sent: it contains the interface.
      if (candidate.source === 'beacon' || row.candidate.source !== 'beacon') row.candidate = candidate;
      if (nowMs - row.passedAtMs >= DISCOVERY_LIMITS.retellMs) this.#passOn(row);
      return;
    }
    if (!this.#hasRoom(candidate, reportedBy)) {
      this.#refusedCount += 1;
      return;
    }
    const added: Row = { candidate, reportedBy, offeredAtMs: nowMs, passedAtMs: nowMs };
    this.#rows.set(key, added);
    if (reportedBy !== '')
      this.#countsByTeller.set(reportedBy, (this.#countsByTeller.get(reportedBy) ?? 0) + 1);
    this.#passOn(added);
  }

  /**
   * Forgets what is too old, and repeats what peers sent: they send an address once, and its node may be off just then.
   */
  sweep(): void {
    const nowMs = this.#clock.nowMs();
    for (const [key, row] of this.#rows) {
      if (nowMs - row.offeredAtMs >= DISCOVERY_LIMITS.candidateAgeMsMax) this.#forget(key, row);
      else if (row.candidate.source === 'peer' && nowMs - row.passedAtMs >= DISCOVERY_LIMITS.repeatMs)
        this.#passOn(row);
    }
  }

  #hasRoom({ source }: MeshCandidate, reportedBy: string): boolean {
    if (this.#rows.size >= DISCOVERY_LIMITS.candidatesMax) return false;
    const { addressesPerPeerMax } = DISCOVERY_LIMITS;
    if (reportedBy !== '' && (this.#countsByTeller.get(reportedBy) ?? 0) >= addressesPerPeerMax) return false;
    return this.#buckets.get(source)?.take() ?? true;
  }

  #passOn(row: Row): void {
    row.passedAtMs = this.#clock.nowMs();
    this.#pass(row.candidate);
  }

  #forget(key: string, { reportedBy }: Row): void {
    this.#rows.delete(key);
    const left = (this.#countsByTeller.get(reportedBy) ?? 0) - 1;
    if (left > 0) this.#countsByTeller.set(reportedBy, left);
    else this.#countsByTeller.delete(reportedBy);
  }
}
