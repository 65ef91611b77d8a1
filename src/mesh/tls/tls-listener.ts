// Accepts peers: each connection is admitted, uses TLS under a cluster key, and proves its identity, all within the time
// of a handshake. Everything else is closed, counted and reported.

import type { TLSSocket } from 'node:tls';
import { GuardedListener, type Visit } from '../../channel/guarded-listener.ts';
import { pskProof } from '../../channel/psk-proof.ts';
import type { Clock } from '../../clock/clock.ts';
import { type HostPort, hostPortText } from '../../core/address/host-port.ts';
import type { ByteBudget } from '../../core/byte-budget.ts';
import { errorCode, errorMessage } from '../../core/problem.ts';
import type { AcceptEvents } from '../link/pipe.ts';
import { MeshError, type MeshLimits, type RefusalMeaning } from '../mesh.ts';
import type { OwnHello } from './authentication.ts';
import { introduce } from './introduce.ts';
import type { JoinCredentials } from './join-code-service.ts';
import type { MeshKeys } from './mesh-keys.ts';
import { acceptMeaning, isWrongPsk } from './tls-errors.ts';

export interface TlsListenerParts {
  readonly own: OwnHello;
  readonly keys: MeshKeys;
  readonly clock: Clock;
  readonly limits: MeshLimits;
  /** Budget over all links, for incomplete frames. */
  readonly partial: ByteBudget;
  /** Undefined: machines cannot join here. */
  readonly joinCredentials: JoinCredentials | undefined;
}

export class TlsListener {
  readonly #parts: TlsListenerParts;
  readonly #listener: GuardedListener;
  #events: AcceptEvents | undefined;

  constructor(parts: TlsListenerParts) {
    const { clock, keys, limits, joinCredentials } = parts;
    this.#parts = parts;
    this.#listener = new GuardedListener({
      clock,
      limits: {
        handshakeMs: limits.handshakeMs,
        handshakesMax: limits.handshakesMax,
        handshakesPerAddressMax: limits.handshakesPerAddressMax,
        // The table of links decides which of them stay.
        openMax: limits.linksMax + limits.handshakesMax,
        rate: { burst: limits.acceptBurst, perSecond: limits.acceptsPerSecond },
        replacedAfterMs: UNPROVEN_MS,
        replacesOwn: false,
      },
      prove: pskProof({
        handshakeMs: limits.handshakeMs,
        pskOf: id => keys.get(id)?.psk ?? joinCredentials?.pskOf(id),
        opened: (socket, visit, id) => void this.#welcome(socket, visit, id),
        failed: (visit, error, named) => {
          if (error !== undefined && named?.isKnown === true && isWrongPsk(error))
            joinCredentials?.failed(named.id);
          this.#refuse(visit, acceptMeaning(error, named?.isKnown));
        },
      }),
      refused: (address, reason, detail) => this.#report(address, { reason, detail }),
    });
  }

  /** Returns where it listens. @throws MeshError */
  async listen(at: HostPort): Promise<HostPort> {
    try {
      return await this.#listener.listen(at);
    } catch (error) {
      throw listenError(at, error);
    }
  }

  /** Connections that arrived earlier are admitted now, by the same rules. */
  accept(events: AcceptEvents): void {
    this.#events = events;
    this.#listener.accept();
  }

  /** Resolves when no connection is open, including those of links. */
  async close(): Promise<void> {
    await this.#listener.close();
  }

  #refuse(visit: Visit, meaning: RefusalMeaning): void {
    if (visit.leave() && visit.isReported) this.#report(visit.address, meaning);
  }

  #report(address: HostPort, meaning: RefusalMeaning): void {
    this.#events?.refused({ ...meaning, direction: 'accepted', address });
  }

  async #welcome(socket: TLSSocket, visit: Visit, id: string): Promise<void> {
    const { keys, joinCredentials, own, limits, partial } = this.#parts;
    visit.isProven = true;
    if (joinCredentials?.pskOf(id) !== undefined) {
      // It gets its reply, and its end is not a refusal. It ends with the connection, or with the time of the handshake.
      visit.isReported = false;
      socket.resume().end(joinCredentials.answer(id));
      return;
    }
    const key = keys.get(id);
    if (key === undefined) {
      this.#refuse(visit, acceptMeaning(undefined, undefined));
      socket.destroy();
      return;
    }
    const introduction = await introduce(socket, {
      own,
      isInitiator: false,
      keySecret: key.proof,
      frameBytesMax: limits.frameBytesMax,
      partial,
    });
    if (introduction.kind === 'refused') {
      this.#refuse(visit, introduction.meaning);
      return;
    }
    if (!visit.pass()) {
      socket.destroy();
      return;
    }
    const { pipe, peer } = introduction;
    this.#events?.accepted({ pipe, peer, remoteAddress: visit.address, isInitiator: false, keyId: key.id });
  }
}

/** A peer proves the key within milliseconds; nodes that start together may need more. */
const UNPROVEN_MS = 250;

const listenError = (at: HostPort, error: unknown): MeshError =>
  errorCode(error) === 'EADDRINUSE'
    ? new MeshError(
        { code: 'address-in-use', problem: `${hostPortText(at)} is taken by another program`, advice: '' },
        { cause: error },
      )
    : new MeshError(
        {
          code: 'address-unusable',
          problem: `the mesh cannot listen on ${hostPortText(at)}: ${errorMessage(error)}`,
          advice: '',
        },
        { cause: error },
      );
