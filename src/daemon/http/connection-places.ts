// Who may hold a connection. One address must not take all places, nor many together those of this machine's owner:
// some are reserved for loopback and for addresses that have presented the token. Decided when a connection arrives,
// before a byte is read.

import type { Socket } from 'node:net';
import type { Clock } from '../../clock/clock.ts';
import { counted } from '../../core/figure/figure.ts';
import { canonicalAddress, isLoopbackAddress } from './host.ts';
import type { HttpLimits } from './http-options.ts';

export type PlacesLimits = Pick<
  HttpLimits,
  'connectionsMax' | 'connectionsKept' | 'connectionsOfAddressMax' | 'rateAddressesMax'
>;

export type PlaceVerdict =
  | { readonly kind: 'taken' }
  /** `problem` is one sentence for people. */
  | { readonly kind: 'refused'; readonly problem: string };

export class ConnectionPlaces {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #limits: PlacesLimits;
  /** Addresses of remote connections without a token. */
  readonly #strangers = new Map<Socket, string>();
  readonly #ofAddress = new Map<string, number>();
  /** Addresses that have presented the token, and until when that counts. */
  readonly #proved = new Map<string, number>();
  #open = 0;

  constructor(clock: Pick<Clock, 'nowMs'>, limits: PlacesLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  enter(socket: Socket): PlaceVerdict {
    const { connectionsMax, connectionsKept, connectionsOfAddressMax } = this.#limits;
    const address = canonicalAddress(socket.remoteAddress ?? '');
    if (this.#open >= connectionsMax)
      return refused(`All ${connectionsMax} connections of this daemon are in use.`);
    if (!this.#isKnown(address)) {
      const held = this.#ofAddress.get(address) ?? 0;
      if (held >= connectionsOfAddressMax)
        return refused(`This address has ${counted(held, 'connection')} open that have not shown the token.`);
      if (this.#strangers.size >= connectionsMax - connectionsKept)
        return refused('All connections for those who have not shown the token are in use.');
      this.#strangers.set(socket, address);
      this.#ofAddress.set(address, held + 1);
    }
    this.#open += 1;
    socket.once('close', () => {
      this.#open -= 1;
      this.#leave(socket);
    });
    return { kind: 'taken' };
  }

  /** A request on it has presented the token: from now on its address counts as the owner's. */
  prove(socket: Socket): void {
    const address = canonicalAddress(socket.remoteAddress ?? '');
    if (isLoopbackAddress(address)) return;
    this.#leave(socket);
    this.#proved.delete(address);
    this.#proved.set(address, this.#clock.nowMs() + PROOF_LASTS_MS);
    const oldest = this.#proved.keys().next().value;
    if (this.#proved.size > this.#limits.rateAddressesMax && oldest !== undefined)
      this.#proved.delete(oldest);
  }

  #isKnown(address: string): boolean {
    return isLoopbackAddress(address) || (this.#proved.get(address) ?? 0) > this.#clock.nowMs();
  }

  #leave(socket: Socket): void {
    const address = this.#strangers.get(socket);
    if (address === undefined) return;
    this.#strangers.delete(socket);
    const left = (this.#ofAddress.get(address) ?? 1) - 1;
    if (left === 0) this.#ofAddress.delete(address);
    else this.#ofAddress.set(address, left);
  }
}

const refused = (problem: string): PlaceVerdict => ({ kind: 'refused', problem });

/** A browser may be idle for this long and come back while others take all other places, ms. */
const PROOF_LASTS_MS = 3_600_000;
