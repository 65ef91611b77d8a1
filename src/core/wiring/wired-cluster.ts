// The nodes that an engine is to run on, and every open path between two of them with what settings are made of: the
// interface at each end, an IPv4 address that answered there, and what a probe measured.

import type { NodeId } from '../ids.ts';
import type { Connection } from '../link/connection.ts';
import { type ConnectionFacts, roundTripOf, slowerRate } from '../link/link-facts.ts';
import { linkKey } from '../link/link-path.ts';
import { typeText } from '../link/link-text.ts';
import { isCarrying, type LinkView, linkViews, stageOfConnection } from '../link/link-view.ts';
import { measuredMtu } from '../link/path-mtu.ts';
import { inNameOrder, type NodeView, nodeView } from '../node/node-view.ts';
import { nodeIds } from '../node/presence-view.ts';
import { knownValue } from '../node/reading-view.ts';
import type { State } from '../state.ts';
import { inNumericOrder } from '../text/numeric-order.ts';
import { isKnown, knownOr, type Reported, unknown } from '../unknown.ts';

/** With more, the links alone are longer than a document may be; `--nodes` picks those of one job. */
export const WIRED_NODES_MAX = 40;

export interface WiredEnd {
  readonly node: NodeView;
  readonly interfaceName: Reported<string>;
  /** IPv4: llama.cpp, MLX and Gloo use no other. Undefined if none answered on this path. */
  readonly address: string | undefined;
}

export interface WiredPath {
  readonly kind: Connection['kind'];
  readonly type: Connection['type'];
  readonly typeName: string;
  /** In the order of the pair's nodes. */
  readonly ends: readonly [WiredEnd, WiredEnd];
  /** Measured, of the slower direction; unknown with what prevents it. */
  readonly bitsPerSecond: Reported<number>;
  readonly roundTripNs: Reported<number>;
  readonly negotiatedBitsPerSecond: Reported<number>;
  /** The largest IP packet that passes from the first node, and from the second, as measured. */
  readonly mtuBytes: readonly [Reported<number>, Reported<number>];
}

export interface WiredPair {
  readonly nodes: readonly [NodeView, NodeView];
  /** The fastest first; those that were not measured last. An overlay only if there is nothing else. */
  readonly paths: readonly WiredPath[];
}

export interface WiredCluster {
  /** In the order that was requested, else by name. */
  readonly nodes: readonly NodeView[];
  /** Each two nodes once. */
  readonly pairs: readonly WiredPair[];
}

/** @param requested undefined: every node that is not offline */
export const wiredCluster = (
  state: State,
  nowMs: number,
  requested: readonly NodeId[] | undefined,
): WiredCluster => {
  const views = (requested ?? nodeIds(state)).map(id => nodeView(state, id, nowMs));
  const present = views.filter(({ presence }) => presence !== 'offline');
  const nodes = requested === undefined ? inNameOrder(present) : present;
  const links = new Map(linkViews(state, nowMs).map(link => [link.key, link]));
  const pairs = nodes.flatMap((one, at) =>
    nodes.slice(at + 1).map((other): WiredPair => {
      const link = links.get(linkKey(one.nodeId, other.nodeId));
      return { nodes: [one, other], paths: pathsOf(link, [one, other], { state, nowMs }) };
    }),
  );
  return { nodes, pairs };
};

/** As its identity reports; false until that is read. */
export const isPlatform = ({ identity }: NodeView, platform: 'linux' | 'macos' | 'windows'): boolean =>
  knownValue(identity)?.operatingSystem.platform === platform;

export const isThunderbolt = ({ type }: WiredPath): boolean => type === 'thunderbolt';

/** Rate that orders are made by: 0 until measured. */
export const rateOf = (path: WiredPath | undefined): number =>
  path === undefined ? 0 : knownOr(path.bitsPerSecond, 0);

interface Moment {
  readonly state: State;
  readonly nowMs: number;
}

const pathsOf = (
  link: LinkView | undefined,
  nodes: readonly [NodeView, NodeView],
  moment: Moment,
): readonly WiredPath[] => {
  if (link === undefined || !isCarrying(link.standing)) return [];
  const physical = link.connections.filter(({ medium }) => medium !== 'overlay');
  const shown = physical.length > 0 ? physical : link.connections;
  return [...Map.groupBy(shown, ({ path }) => path).values()]
    .flatMap(connections => pathOf(connections, nodes, moment))
    .sort(inRateOrder);
};

const pathOf = (
  connections: readonly ConnectionFacts[],
  [one, other]: readonly [NodeView, NodeView],
  moment: Moment,
): readonly WiredPath[] => {
  const [facts] = connections;
  if (facts === undefined) return [];
  const reason = unknown(whyUnmeasured(facts, moment));
  return [
    {
      kind: facts.connection.kind,
      type: facts.carrier.type,
      typeName: typeText(facts),
      ends: [endOf(connections, one), endOf(connections, other)],
      bitsPerSecond: slowerRate(facts) ?? reason,
      roundTripNs: roundTripOf(facts) ?? reason,
      negotiatedBitsPerSecond: facts.carrier.negotiatedBitsPerSecond,
      mtuBytes: [measuredMtu(facts, one.nodeId), measuredMtu(facts, other.nodeId)],
    },
  ];
};

/** Either direction describes both ends; the addresses of an end are those that the other one reaches. */
const endOf = (connections: readonly ConnectionFacts[], node: NodeView): WiredEnd => {
  const names = connections.map(({ source, carrier: { ends } }) =>
    source === node.nodeId ? ends.source.interfaceName : ends.sink.interfaceName,
  );
  const addresses = connections.flatMap(({ sink, connection }) =>
    sink === node.nodeId && connection.kind === 'socket' ? connection.sinkAddress : [],
  );
  return {
    node,
    interfaceName: names.find(isKnown) ?? names[0] ?? unknown('no interface is reported'),
    address: addresses.filter(isUsable).sort(inNumericOrder)[0],
  };
};

/** A link-local address means nothing without its interface, which no engine's settings can name. */
const isUsable = (address: string): boolean => !address.includes(':') && !address.startsWith('169.254.');

const whyUnmeasured = (facts: ConnectionFacts, { state, nowMs }: Moment): string => {
  if (facts.failure !== undefined) return `the probe failed: ${facts.failure}`;
  const stage = stageOfConnection(state, facts, nowMs);
  if (stage?.kind === 'running') return 'it is being measured now';
  return stage?.kind === 'waiting' ? `the probe waits: ${stage.reason}` : 'not measured yet';
};

const inRateOrder = (a: WiredPath, b: WiredPath): number =>
  rateOf(b) - rateOf(a) ||
  knownOr(b.negotiatedBitsPerSecond, 0) - knownOr(a.negotiatedBitsPerSecond, 0) ||
  (a.kind === b.kind ? 0 : a.kind === 'rdma' ? -1 : 1);
