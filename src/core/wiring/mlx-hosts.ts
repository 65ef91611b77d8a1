// Host files of MLX. JACCL has a row for each node with the RDMA device that leads to each other one, null for itself;
// the ring backend gives each node the address at which the one before it in the ring connects.

import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { isKnown } from '../unknown.ts';
import type { EngineWiring, Route } from './engine-wiring.ts';
import { type NodePair, ringOrder } from './node-order.ts';
import { isThunderbolt, rateOf, type WiredPath } from './wired-cluster.ts';
import type { WiringFile } from './wiring-plan.ts';

export const isThunderboltRdma = (path: WiredPath): boolean => path.kind === 'rdma' && isThunderbolt(path);

interface RdmaHosts {
  /** `jaccl` needs a cable between every two nodes, `jaccl-ring` between neighbours. */
  readonly backend: 'jaccl' | 'jaccl-ring';
  readonly order: readonly NodeView[];
}

/** Undefined where the cables make neither a mesh nor a ring. */
export const rdmaHosts = (wiring: EngineWiring): RdmaHosts | undefined => {
  const { nodes, pairs } = wiring;
  if (pairs.length > 0 && pairs.every(({ paths }) => paths.some(isThunderboltRdma)))
    return { backend: 'jaccl', order: nodes };
  const rate = (from: NodeView, to: NodeView): number =>
    rateOrOne(wiring.routes(from, to, isThunderboltRdma)[0]);
  const order = ringOrder(nodes, rate);
  const isRing = nodes.length > 2 && hopsOf(order).every(([from, to]) => rate(from, to) > 0);
  return isRing ? { backend: 'jaccl-ring', order } : undefined;
};

/** Neighbours in the rings of the host files; undefined: a mesh joins every two. */
export const mlxHops = (wiring: EngineWiring): readonly NodePair[] | undefined => {
  const rdma = rdmaHosts(wiring);
  return rdma?.backend === 'jaccl'
    ? undefined
    : [...hopsOf(rdma?.order ?? []), ...hopsOf(socketRing(wiring))];
};

const socketRing = (wiring: EngineWiring): readonly NodeView[] =>
  ringOrder(wiring.nodes, (from, to) => rateOrOne(wiring.socketRoute(from, to)));

/** For RDMA where there are the cables, and for TCP where there are the addresses. */
export const mlxHostFiles = (wiring: EngineWiring): readonly WiringFile[] => {
  const rdma = rdmaHosts(wiring);
  const ring = socketRing(wiring);
  return [...(rdma === undefined ? [] : rdmaFile(wiring, rdma)), ...ringFile(wiring, ring)];
};

/** A path that was not measured is still a path. */
const rateOrOne = (route: Route | undefined): number =>
  route === undefined ? 0 : Math.max(1, rateOf(route.path));

const rdmaFile = (wiring: EngineWiring, { backend, order }: RdmaHosts): readonly WiringFile[] => {
  const hosts = order.map(node => {
    const shared = wiring.sharedEnd(node);
    return {
      ssh: hostName(node),
      // The first node's address is where the others meet; it may be a slow one.
      ips: shared?.address === undefined ? [] : [shared.address],
      rdma: order.map(other => {
        const [route] = wiring.routes(node, other, isThunderboltRdma);
        return route !== undefined && isKnown(route.own.interfaceName) ? route.own.interfaceName : null;
      }),
    };
  });
  // MLX's documentation leaves MLX_METAL_FAST_SYNCH unset: it may deadlock (issue 3142).
  return hosts[0]?.ips.length === 0 ? [] : [hostFile(`mlx-${backend}.json`, backend, hosts, order)];
};

const ringFile = (wiring: EngineWiring, order: readonly NodeView[]): readonly WiringFile[] => {
  const hosts = order.flatMap((node, at) => {
    const before = order.at(at - 1);
    const address = before === undefined ? undefined : wiring.socketRoute(node, before)?.own.address;
    return address === undefined ? [] : [{ ssh: hostName(node), ips: [address], rdma: [] }];
  });
  if (order.length < 2 || hosts.length < order.length) return [];
  return [hostFile('mlx-ring.json', 'ring', hosts, order)];
};

const hostFile = (
  name: string,
  backend: string,
  hosts: readonly object[],
  order: readonly NodeView[],
): WiringFile => ({
  name,
  nodes: order.slice(0, 1).map(node => node.name),
  // A host in a line, so that the matrix can be read as one.
  text: `{\n  "backend": ${JSON.stringify(backend)},\n  "hosts": [\n${hosts
    .map(host => `    ${JSON.stringify(host)}`)
    .join(',\n')}\n  ]\n}\n`,
});

/** What ssh connects to. */
const hostName = ({ identity, name }: NodeView): string => knownValue(identity)?.hostName ?? name;

const hopsOf = (ring: readonly NodeView[]): readonly NodePair[] =>
  ring.flatMap((from, at) => {
    const to = ring[(at + 1) % ring.length];
    return to === undefined || to === from ? [] : [[from, to] as const];
  });
