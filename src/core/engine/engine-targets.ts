// The engines of a cluster as targets of a benchmark: what a person may call each, and where one of the nodes may reach it.
// An address is a candidate until it has answered.

import { hostText, isLoopbackHost } from '../address/host-port.ts';
import type { NodeId } from '../ids.ts';
import { slowerRate } from '../link/link-facts.ts';
import { linkKey } from '../link/link-path.ts';
import { type LinkView, linkViews } from '../link/link-view.ts';
import type { NodeEngine } from '../node/engines.ts';
import type { NetworkInterface } from '../node/network.ts';
import { nodeName, nodeView } from '../node/node-view.ts';
import { nodeIds } from '../node/presence-view.ts';
import { knownValue } from '../node/reading-view.ts';
import type { State } from '../state.ts';
import { isUnknown, knownOr } from '../unknown.ts';
import { serverEngineCalled } from './server-engines.ts';

export interface EngineTarget {
  readonly nodeId: NodeId;
  readonly nodeName: string;
  /** What a shell and `meantTargets` take for it alone: "atlas", "atlas:8000"; the id of a node whose name is no plain word. */
  readonly label: string;
  readonly engine: NodeEngine;
  readonly port: number;
  /** The fastest path first; none: only its own machine reaches it. */
  readonly urls: readonly string[];
}

export interface ClusterTargets {
  readonly targets: readonly EngineTarget[];
  readonly nodes: readonly { readonly nodeId: NodeId; readonly name: string }[];
}

/** @param self the node from which they are reached */
export const clusterTargets = (state: State, self: NodeId, nowMs: number): ClusterTargets => {
  const links = new Map(linkViews(state, nowMs).map(link => [link.key, link]));
  const nodes = nodeIds(state).map(nodeId => ({ nodeId, name: nodeName(state, nodeId) }));
  const targets = nodes.flatMap(({ nodeId, name }) => {
    const view = nodeView(state, nodeId, nowMs);
    if (view.presence === 'offline') return [];
    const engines = knownValue(view.engines)?.engines ?? [];
    const plainName = isPlain(name) ? name : nodeId;
    const ofNode = engines.flatMap((engine): readonly EngineTarget[] => {
      const port = /:(\d{1,5})$/.exec(engine.origin)?.[1];
      if (port === undefined) return [];
      const hosts =
        nodeId === self
          ? undefined
          : hostsOf(engine, { state, self, nodeId, link: links.get(linkKey(self, nodeId)) });
      const urls = hosts?.map(host => `http://${hostText(host)}:${port}`) ?? [engine.origin];
      const label = engines.length === 1 ? plainName : `${plainName}:${port}`;
      return [{ nodeId, nodeName: name, label, engine, port: Number(port), urls }];
    });
    return ofNode.toSorted((a, b) => a.port - b.port);
  });
  return { targets, nodes };
};

export type MeantTargets =
  /** The text is neither the name of a node nor that of an engine. */
  | { readonly kind: 'none' }
  /** "atlas", "atlas at port 9", "vLLM"; no target if nothing that serves models was found there. */
  | {
      readonly kind: 'node' | 'engine';
      readonly meant: string;
      readonly name: string;
      readonly targets: readonly EngineTarget[];
    };

/** @param text a node by name or id, alone or with ":PORT" or ":ENGINE"; or an engine, of the whole cluster */
export const meantTargets = (text: string, { targets, nodes }: ClusterTargets): MeantTargets => {
  const [, name = '', part = ''] = /^([^:/\s]{1,100})(?::([^:/\s]{1,40}))?$/.exec(text) ?? [];
  const called = nodes.filter(node =>
    [node.nodeId, node.name, withoutSuffix(node.name, node.nodeId)].includes(name),
  );
  const ids = new Set(called.map(({ nodeId }) => nodeId));
  const engine = serverEngineCalled(part === '' ? name : part);
  const runs = (target: EngineTarget): boolean =>
    engine !== undefined && target.engine.engine === engine.name;
  if (ids.size > 0) {
    const isPort = /^\d{1,5}$/.test(part);
    return {
      kind: 'node',
      meant: part === '' ? name : isPort ? `${name} at port ${part}` : `${name} (${engine?.name ?? part})`,
      name,
      targets: targets.filter(
        target =>
          ids.has(target.nodeId) && (part === '' || (isPort ? target.port === Number(part) : runs(target))),
      ),
    };
  }
  return engine === undefined || part !== ''
    ? { kind: 'none' }
    : { kind: 'engine', meant: engine.name, name, targets: targets.filter(runs) };
};

/** A name comes from another machine, and this one is typed into a shell, by its completion too. */
const isPlain = (name: string): boolean => /^\w[\w.-]{0,99}$/.test(name);

/** What `nodeName` adds where two nodes have one name. */
const withoutSuffix = (name: string, nodeId: NodeId): string => {
  const suffix = ` (${nodeId.slice(-4)})`;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
};

interface Reaching {
  readonly state: State;
  readonly self: NodeId;
  readonly nodeId: NodeId;
  readonly link: LinkView | undefined;
}

/**
 * Addresses over which the mesh is connected, the fastest as measured first; then those of the other interfaces, which may
 * lead there, or to another machine with the same address: none that this node has, too.
 */
const hostsOf = ({ listensOn }: NodeEngine, reaching: Reaching): readonly string[] => {
  if (!isUnknown(listensOn) && isLoopbackHost(listensOn)) return [];
  if (!isUnknown(listensOn) && listensOn !== '0.0.0.0' && listensOn !== '::')
    return isAddress(listensOn) ? [listensOn] : [];
  const takes = (address: string): boolean =>
    isAddress(address) && (listensOn === '::' || !address.includes(':'));
  const hosts = [...connectedAddresses(reaching), ...otherAddresses(reaching)].filter(takes);
  return [...new Set(hosts)].slice(0, HOSTS_MAX);
};

/** Without a scope; what another node reports may be any text, and becomes part of a URL. */
const isAddress = (text: string): boolean => /^[\da-f.:]{2,45}$/i.test(text);

const connectedAddresses = ({ self, link }: Reaching): readonly string[] =>
  (link?.connections ?? [])
    .filter(({ source }) => source === self)
    .toSorted(
      (a, b) =>
        (slowerRate(b) ?? 0) - (slowerRate(a) ?? 0) ||
        knownOr(b.carrier.negotiatedBitsPerSecond, 0) - knownOr(a.carrier.negotiatedBitsPerSecond, 0),
    )
    .flatMap(({ connection }) => (connection.kind === 'socket' ? [connection.sinkAddress] : []));

const otherAddresses = ({ state, self, nodeId }: Reaching): readonly string[] => {
  const own = new Set(interfacesOf(state, self).flatMap(addressesOf));
  return interfacesOf(state, nodeId)
    .filter(({ type, isUp }) => type !== 'loopback' && isUp !== false)
    .toSorted((a, b) => knownOr(b.speedBitsPerSecond, 0) - knownOr(a.speedBitsPerSecond, 0))
    .flatMap(addressesOf)
    .filter(address => !own.has(address));
};

const interfacesOf = (state: State, nodeId: NodeId): readonly NetworkInterface[] =>
  state.nodeNetworks[nodeId]?.value.interfaces ?? [];

const addressesOf = ({ addresses }: NetworkInterface): readonly string[] =>
  addresses.filter(({ scope }) => scope !== 'host' && scope !== 'link').map(({ address }) => address);

/** A machine has more only with containers. */
const HOSTS_MAX = 8;
