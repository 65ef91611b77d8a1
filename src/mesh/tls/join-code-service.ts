// Sends the cluster key to a machine that shows a join code, over TLS under that code. Strangers learn
// nothing: without the secret no handshake succeeds, and the listener counts the failure for the code that
// was named.

import type { Clock } from '../../clock/clock.ts';
import { encodeJoinAnswer } from '../../wire/join-answer.ts';
import { type ClusterKey, clusterKeyText } from '../key/cluster-key.ts';
import { type JoinCodeStanding, JoinCodes } from '../key/join-codes.ts';

/** Machines without a cluster key, for the listener. */
export interface JoinCredentials {
  /** Undefined for an id that is not a code's. */
  pskOf(id: string): Uint8Array | undefined;
  /** A handshake named this id without having the PSK. */
  failed(id: string): void;
  /** What is sent to a machine with the code, after which the connection ends. */
  answer(id: string): string;
}

export class JoinCodeService implements JoinCredentials {
  readonly #codes: JoinCodes;
  #keys: readonly ClusterKey[];

  constructor(clock: Pick<Clock, 'nowMs'>, keys: readonly ClusterKey[]) {
    this.#codes = new JoinCodes(clock);
    this.#keys = keys;
  }

  /** The current one first. */
  setKeys(keys: readonly ClusterKey[]): void {
    this.#keys = keys;
  }

  /** The secret of a new code. */
  issue(): Uint8Array {
    return this.#codes.issue();
  }

  standingOf(id: string): JoinCodeStanding {
    return this.#codes.standingOf(id);
  }

  pskOf(id: string): Uint8Array | undefined {
    return this.#codes.pskOf(id);
  }

  failed(id: string): void {
    this.#codes.failed(id);
  }

  /**
   * The code is used up before the first byte is sent: a connection that breaks after that costs a new code,
   * never a second key.
   */
  answer(id: string): string {
    const verdict = this.#codes.redeem(id);
    return encodeJoinAnswer(
      verdict === 'granted'
        ? { kind: 'member', clusterKeys: this.#keys.map(clusterKeyText) }
        : { kind: 'refused', reason: verdict },
    );
  }
}
