// The joining end of a join code: tries each address of a code until one replies. The other end is a stranger
// until TLS under the code's secret is established, and limited in bytes and time even then.

import type { TLSSocket } from 'node:tls';
import { closedWith, dialByPsk } from '../../channel/psk-proof.ts';
import type { Clock } from '../../clock/clock.ts';
import { deadline } from '../../clock/deadline.ts';
import type { HostPort } from '../../core/address/host-port.ts';
import { pushAll } from '../../core/push-all.ts';
import { decodeJoinAnswer, JOIN_ANSWER_BYTES_MAX, type JoinAnswer } from '../../wire/join-answer.ts';
import { type ClusterKey, parseClusterKey } from '../key/cluster-key.ts';
import { type JoinCode, type JoinProof, joinProof } from '../key/join-code.ts';
import { dialMeaning } from './tls-errors.ts';

export type JoinOutcome =
  | {
      readonly kind: 'member';
      /** The current one first. */
      readonly keys: readonly [ClusterKey, ...ClusterKey[]];
      readonly address: HostPort;
    }
  /** By a node that issued the code. */
  | { readonly kind: 'refused'; readonly reason: string; readonly address: HostPort }
  /** No node with the code was reached. */
  | { readonly kind: 'failed'; readonly tries: readonly FailedTry[] };

export interface FailedTry {
  readonly address: HostPort;
  /** `unknown-code`: the node that listens there did not issue it, or has been restarted since. */
  readonly reason: 'unknown-code' | 'unreachable' | 'not-a-node';
  /** For people, without a full stop. */
  readonly detail: string;
}

/**
 * One address after the other: a code is valid once.
 * @throws the signal's reason.
 */
export const requestToJoin = async (
  { secret, addresses }: JoinCode,
  clock: Clock,
  signal: AbortSignal,
): Promise<JoinOutcome> => {
  const proof = joinProof(secret);
  const tries: FailedTry[] = [];
  for (const address of addresses) {
    using limit = deadline(clock, ADDRESS_MS_MAX, signal);
    const outcome = await requestAt(address, proof, limit.signal);
    signal.throwIfAborted();
    if (outcome.kind !== 'failed') return outcome;
    pushAll(tries, outcome.tries);
  }
  return { kind: 'failed', tries };
};

const requestAt = async (address: HostPort, proof: JoinProof, signal: AbortSignal): Promise<JoinOutcome> => {
  const failed = (reason: FailedTry['reason'], detail: string): JoinOutcome => ({
    kind: 'failed',
    tries: [{ address, reason, detail }],
  });
  const dialled = await dialByPsk(proof, address, signal);
  if (signal.aborted) return failed('unreachable', 'nothing answers there');
  if (dialled.kind === 'impossible') return failed('unreachable', dialled.error.message);
  if (dialled.kind === 'no-secret')
    return failed('not-a-node', 'the service there opened TLS without the code');
  if (dialled.kind === 'failed') {
    const { reason, detail } = dialMeaning(dialled.error);
    if (reason === 'wrong-key') return failed('unknown-code', 'the node there does not know this code');
    return failed(reason === 'not-a-node' ? 'not-a-node' : 'unreachable', detail);
  }
  const { socket } = dialled;
  using _ = closedWith(socket, signal);
  const answer = await answerOf(socket);
  socket.destroy();
  const read = answer === undefined ? undefined : outcomeOf(answer, address);
  return read ?? failed('not-a-node', 'the service there sent no valid reply');
};

/** Undefined if it is too long, too short, or garbage. */
const answerOf = async (socket: TLSSocket): Promise<JoinAnswer | undefined> => {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of socket) {
      const piece: Uint8Array = part;
      bytes += piece.length;
      if (bytes > JOIN_ANSWER_BYTES_MAX) return undefined;
      parts.push(piece);
    }
  } catch {
    return undefined; // cut off; what arrived may be half of a key
  }
  return decodeJoinAnswer(Buffer.concat(parts).toString('utf8'));
};

/** Undefined if a key is invalid. */
const outcomeOf = (answer: JoinAnswer, address: HostPort): JoinOutcome | undefined => {
  if (answer.kind === 'refused') return { ...answer, address };
  const [first, second] = answer.clusterKeys.map(parseClusterKey);
  if (first?.kind !== 'key' || second?.kind === 'wrong') return undefined;
  return { kind: 'member', keys: [first.key, ...(second === undefined ? [] : [second.key])], address };
};

/** To connect, open TLS and receive the reply. */
const ADDRESS_MS_MAX = 8_000;
