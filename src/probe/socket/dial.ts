// A connection to the sink, from the requested interface if there is one.

import { once } from 'node:events';
import { connect, isIP, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { shortReason } from '../../core/problem.ts';
import type { Sockets } from '../../native/sockets.ts';
import { introduceToSink } from './handshake.ts';
import { ProbeError } from './probe-error.ts';
import type { ConnectionHead } from './ticket-proof.ts';

export interface SinkAddress {
  /** "10.0.0.2", "fe80::1%en3", or a name. */
  readonly address: string;
  readonly port: number;
  readonly ticket: string;
  /** undefined: as the system routes. */
  readonly sourceInterface: string | undefined;
  /** To bind to the interface itself; without it only the interface's address is used. */
  readonly sockets: Sockets | undefined;
}

/** @throws ProbeError if nothing answers, or the ticket is not accepted. */
export const dialSink = async (
  sink: SinkAddress,
  head: ConnectionHead,
  signal: AbortSignal,
): Promise<Socket> => {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(DIAL_MS_MAX)]);
  const socket = socketTo(sink);
  socket.setNoDelay(true);
  try {
    await once(socket, 'connect', { signal: patience });
    socket.on('error', () => undefined); // 'close' follows, and the reader notices
    await introduceToSink(socket, sink.ticket, head, patience);
    return socket;
  } catch (error) {
    socket.on('error', () => undefined);
    socket.destroy();
    signal.throwIfAborted();
    if (error instanceof ProbeError) throw error;
    const reason = patience.aborted ? `no answer in ${DIAL_MS_MAX / 1_000} s` : shortReason(error);
    throw new ProbeError('unreachable', `nothing can be reached there: ${reason}`, { cause: error });
  }
};

const socketTo = ({ address, port, sourceInterface, sockets }: SinkAddress): Socket => {
  if (sourceInterface === undefined) return connect({ host: address, port });
  const family = isIP(address) === 4 ? 4 : 6;
  if (sockets !== undefined && isIP(address) !== 0) {
    try {
      const fd = sockets.openOn(sourceInterface, family);
      return new Socket({ fd }).connect({ host: address, port });
    } catch (error) {
      throw new ProbeError('unreachable', `${sourceInterface} cannot be used: ${shortReason(error)}`);
    }
  }
  const own = networkInterfaces()[sourceInterface]?.find(entry => entry.family === `IPv${family}`)?.address;
  if (own === undefined) {
    throw new ProbeError('unreachable', `${sourceInterface} has no IPv${family} address`);
  }
  return connect({ host: address, port, localAddress: own });
};

const DIAL_MS_MAX = 5_000;
