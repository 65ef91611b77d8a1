// Measured links that start at the wrong end of a machine: what its GPUs send crosses from one socket to the other first.

import { rateFrom } from '../link/link-facts.ts';
import { isCarrying, type LinkView } from '../link/link-view.ts';
import { rdmaInterfaceParts } from '../link/rdma-ports.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { adapterName, type NodeTopology, type PlacedDevice, placedOf, socketOf } from '../node/topology.ts';
import { plainSentence, sentence } from '../text/sentence.ts';
import { isKnown, isUnknown } from '../unknown.ts';
import type { FoundWarning } from './warning.ts';

export const topologyWarnings = (
  views: readonly NodeView[],
  links: readonly LinkView[],
): readonly FoundWarning[] =>
  views
    .filter(({ presence }) => presence === 'live')
    .flatMap(view => {
      const topology = knownValue(view.topology);
      return topology === undefined ? [] : farAdapters(view, topology, links);
    });

const farAdapters = (
  view: NodeView,
  topology: NodeTopology,
  links: readonly LinkView[],
): readonly FoundWarning[] => {
  const sockets = placedOf(topology, 'gpu').map(gpu => socketOf(topology, gpu));
  // With one unknown the GPU may be next to the adapter.
  if (sockets.length === 0 || !sockets.every(isKnown)) return [];
  const used = usedInterfaces(view, links);
  return placedOf(topology, 'nic').flatMap((adapter): readonly FoundWarning[] => {
    const socket = socketOf(topology, adapter);
    const name = adapter.names.find(each => used.has(each));
    if (name === undefined || isUnknown(socket) || sockets.includes(socket)) return [];
    const nearer = placedOf(topology, 'nic').filter(each => isAt(topology, each, sockets));
    return [
      {
        id: `far adapter ${view.nodeId} ${adapter.pciAddress}`,
        level: 'caution',
        nodes: [view.nodeId],
        title: sentence`${view.name}: its links use ${name} on socket ${socket}, away from its ${plainSentence(sockets.length === 1 ? 'GPU' : 'GPUs')}`,
        why: sentence`${plainSentence(
          'All that a GPU sends or receives crosses the link between sockets, which costs bandwidth and latency.',
        )} ${nearerText(nearer)}`,
        on: view.name,
        command: 'nvidia-smi topo -m; grep . /sys/class/net/*/device/numa_node',
      },
    ];
  });
};

const nearerText = (nearer: readonly PlacedDevice[]) =>
  nearer.length === 0
    ? plainSentence('Move the adapter to a slot of the socket of its GPUs.')
    : sentence`Use ${nearer.map(adapterName).join(' or ')} instead, or move the adapter to their socket.`;

const isAt = (topology: NodeTopology, adapter: PlacedDevice, sockets: readonly unknown[]): boolean => {
  const socket = socketOf(topology, adapter);
  return isKnown(socket) && sockets.includes(socket);
};

/** Its own ends of links that have been measured. */
const usedInterfaces = ({ nodeId }: NodeView, links: readonly LinkView[]): ReadonlySet<string> =>
  new Set(
    links
      .filter(({ nodes, standing }) => nodes.includes(nodeId) && isCarrying(standing))
      .flatMap(({ connections }) => connections)
      .filter(
        facts => rateFrom(facts, facts.source) !== undefined || rateFrom(facts, facts.sink) !== undefined,
      )
      .flatMap(({ source, carrier: { ends } }) => {
        const { interfaceName } = source === nodeId ? ends.source : ends.sink;
        return isUnknown(interfaceName) ? [] : [rdmaInterfaceParts(interfaceName).device];
      }),
  );
