// The engine of socket probes as the reconciler uses it.

import { withoutScope } from '../../core/address/host-port.ts';
import type { LinkEngine, SinkPayload } from '../../probe/link-engine.ts';
import { DEADLINE_MS } from '../../probe/schedule/probe-settings.ts';
import type { SinkEnding } from '../../probe/socket/sink.ts';
import { loadSocketLink, measureSocketLink, openSocketSink } from '../../probe/socket/socket-link.ts';
import type { Env } from '../../process/child.ts';

interface SocketEngineOptions {
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
  /** probes.port of config.toml; undefined: any free one. */
  readonly port: () => number | undefined;
}

export const socketEngine = ({ env, nodePath, port }: SocketEngineOptions): LinkEngine => ({
  openSink: async ({ connection, sinkInterface, ticket, sourceAddresses, signal }) => {
    if (connection.kind !== 'socket') throw new TypeError('an RDMA connection has an engine of its own');
    const address = withoutScope(connection.sinkAddress);
    const sink = await openSocketSink({
      // The source writes a link-local address with its own interface; here it needs this node's.
      host: isLinkLocal(address) && sinkInterface !== undefined ? `${address}%${sinkInterface}` : address,
      port: port() ?? 0,
      ticket,
      sourceAddresses,
      waitMsMax: WAIT_MS,
      durationMsMax: DEADLINE_MS.socket,
      signal,
      env,
      nodePath,
    });
    return { ...sink, ended: sink.ended.then(payloadOf) };
  },
  measure: async ({ connection, port: sinkPort, ticket, budget, signal }) => {
    if (connection.kind !== 'socket') throw new TypeError('an RDMA connection has an engine of its own');
    const { sinkAddress: address } = connection;
    return await measureSocketLink({ address, port: sinkPort, ticket, budget, signal, env, nodePath });
  },
  load: async ({ connection, port: sinkPort, ticket, signal, durationMs, streams, roundTripMs }) => {
    if (connection.kind !== 'socket') throw new TypeError('an RDMA connection has an engine of its own');
    const { sinkAddress: address } = connection;
    return await loadSocketLink(
      { address, port: sinkPort, ticket, signal, env, nodePath },
      { durationMs, streams, roundTripMs },
    );
  },
});

const payloadOf = (ending: SinkEnding): SinkPayload => {
  switch (ending.kind) {
    case 'served':
      return { bytes: ending.bytesReceived + ending.bytesSent, isExact: true };
    case 'failed':
      return { bytes: ending.bytesUsed, isExact: true };
    case 'unused':
      return { bytes: 0, isExact: true };
    default:
      return ending satisfies never;
  }
};

const isLinkLocal = (address: string): boolean => /^fe[89ab][0-9a-f]:/.test(address);

/** From the lease to the source's first word: its child starts in some tenths of a second. */
const WAIT_MS = 10_000;
