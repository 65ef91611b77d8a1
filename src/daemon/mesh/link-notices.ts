// Notices about addresses that lead to no link. A refusal repeats while it is true: one that has not recurred for a
// while is over, because the address was fixed, or forgotten with its node.

import { type Clock, pause } from '../../clock/clock.ts';
import { hostPortText } from '../../core/address/host-port.ts';
import type { MeshRefusal, MeshTransport, RefusalReason } from '../../mesh/mesh.ts';
import { NOTICES_MAX, type Notices } from '../notices.ts';

interface LinkNoticesParts {
  readonly clock: Clock;
  readonly notices: Notices;
  readonly transport: Pick<MeshTransport, 'onRefused' | 'onLink'>;
  /** Hosts that a person named: for others, being unreachable is not worth a notice. */
  readonly named: ReadonlySet<string>;
}

/** Dials are at most 15 s apart, and a dial may take 4 s. */
export const REFUSAL_LASTS_MS = 60_000;

export class LinkNotices {
  readonly #parts: LinkNoticesParts;
  /** By host: when it was refused last. */
  readonly #refusedAtMs = new Map<string, number>();

  constructor(parts: LinkNoticesParts) {
    this.#parts = parts;
    parts.transport.onRefused(refusal => this.#take(refusal));
    parts.transport.onLink(({ remoteAddress }) => this.#over(remoteAddress.host));
  }

  /** Removes what is over, until the abort; resolves then. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      for (const [host, atMs] of this.#refusedAtMs)
        if (clock.nowMs() - atMs >= REFUSAL_LASTS_MS) this.#over(host);
      await pause(clock, REFUSAL_LASTS_MS / 4, signal);
    }
  }

  #take({ direction, reason, detail, address }: MeshRefusal): void {
    if (direction !== 'dialled' || QUIET_REFUSALS.has(reason)) return;
    const { clock, notices, named } = this.#parts;
    if (reason === 'unreachable' && !named.has(address.host)) return;
    this.#refusedAtMs.delete(address.host);
    this.#refusedAtMs.set(address.host, clock.nowMs());
    const oldest = this.#refusedAtMs.keys().next().value;
    if (this.#refusedAtMs.size > NOTICES_MAX && oldest !== undefined) this.#over(oldest);
    notices.raise({
      id: `mesh ${address.host}`,
      code: 'no-link',
      address: hostPortText(address),
      reason,
      problem: `No link to ${hostPortText(address)}: ${detail}`,
      advice: '',
    });
  }

  #over(host: string): void {
    this.#refusedAtMs.delete(host);
    this.#parts.notices.clear(`mesh ${host}`);
  }
}

/** Part of how links come and go; nothing that a person should act on. */
const QUIET_REFUSALS: ReadonlySet<RefusalReason> = new Set<RefusalReason>([
  'self',
  'too-many',
  'too-slow',
  'lost',
  'identity-in-use',
]);
