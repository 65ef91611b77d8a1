// Who may have a connection. A reserved slot belongs to the client that sent the token on that connection, from any address:
// another user of this machine has the same address as its owner. All others share the rest; if it is full, the connection that
// has waited longest for its next request is closed for a new one, which may be the owner's first. No byte is read for that.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { counted } from '../../core/figure/figure.ts';
import { canonicalAddress, isLoopbackAddress } from './host.ts';
import type { HttpLimits } from './http-options.ts';

type SlotLimits = Pick<HttpLimits, 'connectionsMax' | 'connectionsKept' | 'connectionsOfAddressMax'>;

type SlotVerdict =
  | { readonly kind: 'taken' }
  /** `problem` is one sentence for people. */
  | { readonly kind: 'refused'; readonly problem: string };

export class ConnectionSlots {
  readonly #limits: SlotLimits;
  readonly #onGivenWay: (socket: Socket) => void;
  /** Connections that have not sent the token. */
  readonly #strangers = new Map<Socket, Stranger>();
  /** Those of them without a whole request, in the order in which they began to wait for one. */
  readonly #waiting = new Set<Socket>();
  readonly #ofAddress = new Map<string, number>();
  readonly #open = new Set<Socket>();

  /** @param onGivenWay cuts a connection whose slot another one gets: at once, for many may arrive in one turn */
  constructor(limits: SlotLimits, onGivenWay: (socket: Socket) => void) {
    this.#limits = limits;
    this.#onGivenWay = onGivenWay;
  }

  enter(socket: Socket): SlotVerdict {
    const { connectionsMax, connectionsKept, connectionsOfAddressMax } = this.#limits;
    const address = canonicalAddress(socket.remoteAddress ?? '');
    const ofAddress = this.#ofAddress.get(address) ?? 0;
    if (!isLoopbackAddress(address) && ofAddress >= connectionsOfAddressMax && !this.#giveWay(address))
      return refused(
        `This address has ${counted(ofAddress, 'connection')} open that have not sent the token.`,
      );
    if (this.#strangers.size >= Math.max(1, connectionsMax - connectionsKept) && !this.#giveWay())
      return refused('All connections for clients without the token are in use.');
    if (this.#open.size >= connectionsMax && !this.#giveWay())
      return refused(`All ${connectionsMax} connections of this daemon are in use.`);
    this.#open.add(socket);
    this.#strangers.set(socket, { address, requests: 0 });
    this.#waiting.add(socket);
    this.#ofAddress.set(address, (this.#ofAddress.get(address) ?? 0) + 1);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#leave(socket);
    });
    return { kind: 'taken' };
  }

  /** The head of a request has arrived whole: the connection is in use until its reply is over. */
  serve(socket: Socket, response: ServerResponse): void {
    const stranger = this.#strangers.get(socket);
    if (stranger === undefined) return;
    stranger.requests += 1;
    this.#waiting.delete(socket);
    response.once('close', () => {
      stranger.requests -= 1;
      if (stranger.requests === 0 && this.#strangers.has(socket)) this.#waiting.add(socket);
    });
  }

  /** A request on it has shown the token: the connection counts as the owner's until it ends. */
  prove(socket: Socket): void {
    this.#leave(socket);
  }

  /** @returns whether there is one more slot now */
  #giveWay(address?: string): boolean {
    for (const socket of this.#waiting) {
      if (address !== undefined && this.#strangers.get(socket)?.address !== address) continue;
      this.#leave(socket);
      this.#open.delete(socket);
      this.#onGivenWay(socket);
      return true;
    }
    return false;
  }

  #leave(socket: Socket): void {
    const stranger = this.#strangers.get(socket);
    if (stranger === undefined) return;
    this.#strangers.delete(socket);
    this.#waiting.delete(socket);
    const left = (this.#ofAddress.get(stranger.address) ?? 1) - 1;
    if (left === 0) this.#ofAddress.delete(stranger.address);
    else this.#ofAddress.set(stranger.address, left);
  }
}

interface Stranger {
  readonly address: string;
  /** Whose replies are not over. */
  requests: number;
}

const refused = (problem: string): SlotVerdict => ({ kind: 'refused', problem });
