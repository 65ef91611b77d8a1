// The engine of RDMA probes as the reconciler uses it.

import { withoutScope } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import { rdmaInterfaceParts } from '../../core/link/rdma-ports.ts';
import { interfacesWith } from '../../core/node/network.ts';
import { nodeName } from '../../core/node/node-view.ts';
import type { State } from '../../core/state.ts';
import type { LinkEngine } from '../../probe/link-engine.ts';
import { failedProbe } from '../../probe/link-outcome.ts';
import { enginesOf } from '../../probe/rdma/rdma-end.ts';
import { measureRdmaLink, openRdmaSink } from '../../probe/rdma/rdma-link.ts';
import { rendezvousAddress } from '../../probe/rdma/rendezvous.ts';
import type { Env } from '../../process/child.ts';

interface RdmaEngineOptions {
  readonly self: NodeId;
  readonly state: () => State;
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
  readonly platform: string;
  /** probes.port of config.toml; undefined: any free one. */
  readonly port: () => number | undefined;
}

export const rdmaEngine = ({
  self,
  state,
  env,
  nodePath,
  platform,
  port,
}: RdmaEngineOptions): LinkEngine => ({
  openSink: async ({ source, connection, ticket, sourceAddresses, signal }) => {
    if (connection.kind !== 'rdma') throw new TypeError('a socket connection has an engine of its own');
    const address = rendezvousAddress(state(), source, self);
    if (address === undefined)
      throw new Error(`no address through which ${nodeName(state(), source)} can reach it is known`);
    const [ownScope] = address.includes('%')
      ? interfacesWith(state().nodeNetworks[self]?.value, address)
      : [];
    const own = rdmaInterfaceParts(connection.sinkInterface);
    const sink = await openRdmaSink({
      engines: enginesOf(platform),
      sourceDevice: rdmaInterfaceParts(connection.sourceInterface).device,
      sinkDevice: own.device,
      devicePort: own.port,
      // The source writes a link-local address with its own interface; here it needs this node's.
      host: ownScope === undefined ? withoutScope(address) : `${withoutScope(address)}%${ownScope.name}`,
      port: port() ?? 0,
      ticket,
      sourceAddresses,
      signal,
      env,
      nodePath,
    });
    return {
      ...sink,
      ended: sink.ended.then(ending => ({
        bytes: ending.kind === 'unused' ? 0 : ending.bytesMax,
        isExact: false,
      })),
    };
  },
  measure: async ({ connection, port: sinkPort, ticket, budget, signal }) => {
    if (connection.kind !== 'rdma') throw new TypeError('a socket connection has an engine of its own');
    const address = rendezvousAddress(state(), self, connection.sink);
    if (address === undefined) {
      const reason = `no address of ${nodeName(state(), connection.sink)} answers`;
      return failedProbe(reason, 'unreachable');
    }
    const own = rdmaInterfaceParts(connection.sourceInterface);
    return await measureRdmaLink({
      engines: enginesOf(platform),
      sourceDevice: own.device,
      sinkDevice: rdmaInterfaceParts(connection.sinkInterface).device,
      devicePort: own.port,
      address,
      port: sinkPort,
      ticket,
      budget,
      signal,
      env,
      nodePath,
    });
  },
});
