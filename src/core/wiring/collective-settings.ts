// The environment of NCCL, RCCL (which reads the same names), Gloo and UCX: RDMA adapters where every two nodes are
// joined by RDMA, else one TCP interface. NCCL does not go over TCP with some nodes and RDMA with others, so one pair
// without RDMA decides for all.

import { rdmaInterfaceParts } from '../link/rdma-ports.ts';
import type { NodeView } from '../node/node-view.ts';
import { inNumericOrder } from '../text/numeric-order.ts';
import { isKnown, knownOr } from '../unknown.ts';
import type { EngineWiring } from './engine-wiring.ts';
import { comment, exported } from './environment.ts';
import { isThunderbolt, type WiredPath } from './wired-cluster.ts';

/** RDMA that NCCL and UCX can use: InfiniBand and RoCE. */
export const isFabric = (path: WiredPath): boolean => path.kind === 'rdma' && !isThunderbolt(path);

/** Whether every two nodes have RDMA between them. */
export const isAllFabric = ({ nodes, pairs }: EngineWiring): boolean =>
  nodes.length > 1 && pairs.every(({ paths }) => paths.some(isFabric));

/** Lines for one node. */
export const collectiveSettings = (wiring: EngineWiring, node: NodeView): readonly string[] => {
  const shared = wiring.sharedEnd(node);
  const name = shared === undefined ? undefined : knownOr(shared.interfaceName, undefined);
  const socket =
    name === undefined
      ? [comment('NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME: no interface reaches every other node over IPv4')]
      : [exported('NCCL_SOCKET_IFNAME', `=${name}`), exported('GLOO_SOCKET_IFNAME', name)];
  if (isAllFabric(wiring)) return [...fabricSettings(wiring, node), ...socket];
  const partial = wiring.pairs.some(({ paths }) => paths.some(isFabric));
  return [
    // Otherwise NCCL chooses by itself: there may be a network that no probe can see.
    ...(partial
      ? [
          comment('RDMA joins only some of these nodes, so NCCL has to use TCP between all'),
          exported('NCCL_NET', 'Socket'),
        ]
      : []),
    ...socket,
    ...(name === undefined ? [] : [exported('UCX_NET_DEVICES', name)]),
  ];
};

const fabricSettings = (wiring: EngineWiring, node: NodeView): readonly string[] => {
  const routes = wiring.othersThan(node).flatMap(other => wiring.routes(node, other, isFabric));
  const names = new Set(routes.flatMap(({ own }) => (isKnown(own.interfaceName) ? own.interfaceName : [])));
  const adapters = [...names].sort(inNumericOrder).map(one => {
    const { device, port } = rdmaInterfaceParts(one);
    return `${device}:${port}`;
  });
  const isRoce = routes.some(({ path }) => path.type !== 'infiniband');
  return [
    exported('NCCL_NET', 'IB'),
    exported('NCCL_IB_HCA', `=${adapters.join(',')}`),
    ...(isRoce
      ? [
          comment(
            'NCCL_IB_GID_INDEX: NCCL 2.21 and newer choose it; for an older one, show_gids lists the RoCE v2 entry with an IPv4 address',
          ),
        ]
      : []),
    exported('UCX_NET_DEVICES', adapters.join(',')),
  ];
};
