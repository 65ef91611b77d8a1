// How a coordinator connects to an agent: TLS under the secret, and the channel over it.

import type { TLSSocket } from 'node:tls';
import { dialByPsk, type PskSecret } from '../../../channel/psk-proof.ts';
import { SocketPipe } from '../../../channel/socket-pipe.ts';
import { type HostPort, hostPortText } from '../../../core/address/host-port.ts';
import { errorCode, shortReason } from '../../../core/problem.ts';
import { AGENT_MESSAGE_BYTES_MAX } from '../../../wire/agent-message.ts';
import { BenchError } from '../../bench-error.ts';
import type { AgentChannel } from '../../fleet/agent-channel.ts';
import { channelToAgent } from '../../fleet/framed-channel.ts';
import { AGENT_IDENTITY, agentPsk } from './agent-code.ts';

export interface DialAgentOptions {
  /** Name for people: "boreas", "10.0.0.2:4184". */
  readonly name: string;
  /** Addresses of one agent, tried in order. */
  readonly addresses: readonly HostPort[];
  /** The code, or the ticket. */
  readonly secret: string;
  readonly signal: AbortSignal;
}

/** @throws BenchError `unreachable`; the signal's reason. */
export const dialAgent = async (options: DialAgentOptions): Promise<AgentChannel> => {
  const { name, addresses, secret, signal } = options;
  const psk = { id: AGENT_IDENTITY, psk: agentPsk(secret) };
  const failures: string[] = [];
  let isReached = false;
  for (const address of addresses.slice(0, ADDRESSES_TRIED_MAX)) {
    const dialled = await dialOne(address, psk, signal);
    signal.throwIfAborted();
    if (typeof dialled !== 'string')
      return channelToAgent(new SocketPipe(dialled, AGENT_MESSAGE_BYTES_MAX), name);
    failures.push(`${hostPortText(address)} ${dialled}`);
    isReached ||= dialled === WRONG_CODE;
  }
  if (isReached) {
    throw new BenchError({
      code: 'unreachable',
      problem: `the agent ${name} ${WRONG_CODE}`,
      advice: 'Use the code that it printed last: one is good until a minute after its last run.',
    });
  }
  throw new BenchError({
    code: 'unreachable',
    problem: `the agent ${name} cannot be reached: ${failures.join('; ')}`,
    advice: 'Check that `plimsoll agent` runs there, and that a firewall lets its port through.',
  });
};

const dialOne = async (
  address: HostPort,
  secret: PskSecret,
  signal: AbortSignal,
): Promise<TLSSocket | string> => {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(DIAL_MS_MAX)]);
  const dialled = await dialByPsk(secret, address, patience);
  if (dialled.kind === 'open') return dialled.socket;
  if (dialled.kind === 'no-secret') return 'is not a Plimsoll agent';
  if (dialled.kind === 'impossible') return `cannot be dialled: ${shortReason(dialled.error)}`;
  return patience.aborted ? `did not answer within ${DIAL_MS_MAX / 1_000} s` : meaningOf(dialled.error);
};

const meaningOf = (error: Error): string => {
  const code = errorCode(error) ?? '';
  if (code === 'ECONNREFUSED') return 'has nobody listening';
  // OpenSSL's errors for a wrong key, and for one that the agent no longer accepts.
  if (/DECRYPT_ERROR|HANDSHAKE_FAILURE|UNKNOWN_PSK_IDENTITY/.test(code)) return WRONG_CODE;
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'closed the connection';
  return `failed: ${shortReason(error)}`;
};

const WRONG_CODE = 'does not accept this code';
const DIAL_MS_MAX = 5_000;
const ADDRESSES_TRIED_MAX = 8;
