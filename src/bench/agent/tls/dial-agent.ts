// How a coordinator connects to an agent: TLS under the secret, and the channel over it.

import type { TLSSocket } from 'node:tls';
import { type HostPort, hostPortText } from '../../../core/address/host-port.ts';
import { errorCode, shortReason } from '../../../core/problem.ts';
import { isByPsk, TLS_SETTINGS } from '../../../process/psk-tls.ts';
import { BenchError } from '../../bench-error.ts';
import type { AgentChannel } from '../../fleet/agent-channel.ts';
import { channelToAgent } from '../../fleet/framed-channel.ts';
import { AGENT_IDENTITY, agentPsk } from './agent-code.ts';
import { TlsLine } from './tls-line.ts';

interface DialAgentOptions {
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
  const psk = agentPsk(secret);
  const failures: string[] = [];
  let isReached = false;
  for (const address of addresses.slice(0, ADDRESSES_TRIED_MAX)) {
    const dialled = await dialOne(address, psk, signal);
    signal.throwIfAborted();
    if (typeof dialled !== 'string') return channelToAgent(new TlsLine(dialled), name);
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
  { host, port }: HostPort,
  psk: Buffer,
  signal: AbortSignal,
): Promise<TLSSocket | string> => {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const { connect } = await import('node:tls'); // no other run needs it
  let socket: TLSSocket;
  try {
    socket = connect({
      ...TLS_SETTINGS,
      host,
      port,
      servername: '', // keep the name off the wire
      pskCallback: () => ({ psk, identity: AGENT_IDENTITY }),
      checkServerIdentity: () => new Error('a certificate does not prove the code'),
    });
  } catch (error) {
    return `cannot be dialled: ${shortReason(error)}`; // Node throws for impossible addresses
  }
  socket.setNoDelay(true);
  const abort = (): void => void socket.destroy();
  const patience = AbortSignal.any([signal, AbortSignal.timeout(DIAL_MS_MAX)]);
  patience.addEventListener('abort', abort, { once: true });
  socket.once('secureConnect', () => resolve(undefined));
  socket.on('error', error => resolve(meaningOf(error)));
  socket.once('close', () =>
    resolve(patience.aborted ? `did not answer within ${DIAL_MS_MAX / 1_000} s` : 'closed the connection'),
  );
  const failure = await promise;
  patience.removeEventListener('abort', abort);
  if (failure === undefined && isByPsk(socket)) return socket;
  socket.destroy();
  return failure ?? 'is not a Plimsoll agent';
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
