// What a daemon reports when two machines run from copies of one home: an event for every node, and a notice if one of
// the two is this node. Every dial repeats both, so the notice is removed once that has stopped.

import { type Clock, pause } from '../../clock/clock.ts';
import { hostPortText } from '../../core/address/host-port.ts';
import type { Fact } from '../../core/event-kinds.ts';
import { CONFLICT_LASTS_MS } from '../../core/node/conflict-view.ts';
import type { IdentityConflict, MeshTransport } from '../../mesh/mesh.ts';
import type { Notices } from '../notices.ts';

interface ConflictNoticesParts {
  readonly clock: Clock;
  readonly notices: Pick<Notices, 'raise' | 'clear'>;
  readonly transport: Pick<MeshTransport, 'onConflict'>;
  readonly record: (fact: Fact) => void;
}

export class ConflictNotices {
  readonly #parts: ConflictNoticesParts;
  #ownAtMs: number | undefined;
  readonly #reported = new Map<string, number>();

  constructor(parts: ConflictNoticesParts) {
    this.#parts = parts;
    parts.transport.onConflict(conflict => this.#take(conflict));
  }

  /** Removes what is over, until the abort; resolves then. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, notices } = this.#parts;
    while (!signal.aborted) {
      await pause(clock, CONFLICT_LASTS_MS / 4, signal);
      if (this.#ownAtMs === undefined || clock.nowMs() - this.#ownAtMs < CONFLICT_LASTS_MS) continue;
      this.#ownAtMs = undefined;
      notices.clear(NOTICE);
    }
  }

  #take({ nodeId, isOwn, firstAddress, secondAddress }: IdentityConflict): void {
    const { clock, notices, record } = this.#parts;
    const nowMs = clock.nowMs();
    const hosts = [firstAddress, secondAddress].flatMap(address => (address === undefined ? [] : [address]));
    const addresses = hosts.map(hostPortText);
    // The dialling end's port is different each time.
    const same = `${nodeId} ${hosts.map(({ host }) => host).join(' ')}`;
    if (nowMs - (this.#reported.get(same) ?? Number.NEGATIVE_INFINITY) >= REPORT_MS_MIN) {
      if (this.#reported.size >= REPORTED_MAX) this.#reported.clear();
      this.#reported.set(same, nowMs);
      record({ kind: 'conflict.seen', payload: { subject: nodeId, addresses } });
    }
    if (!isOwn) return;
    this.#ownAtMs = nowMs;
    notices.raise({
      id: NOTICE,
      code: NOTICE,
      addresses,
      problem: `Another machine (${addresses.join(', ')}) runs with this node's identity: its home folder is a copy.`,
      advice: 'On one of the two, move node-key.pem and journal.sqlite away and start again.',
    });
  }
}

const NOTICE = 'identity-copied';
/** One pair is reported at most this often: two machines that find each other may dial at once and often. */
const REPORT_MS_MIN = 5_000;
const REPORTED_MAX = 64;
