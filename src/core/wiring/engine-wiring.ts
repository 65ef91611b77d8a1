// The cluster as one engine sees it: the nodes that run it, the path to take between each two, and the addresses that
// its settings name. A cable without an IPv4 address gets one, because llama.cpp and MLX connect to nothing else.

import { maximumOf, minimumOf } from '../extremes.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { inNumericOrder } from '../text/numeric-order.ts';
import { shellCommand } from '../text/shell-words.ts';
import { isKnown } from '../unknown.ts';
import {
  isPlatform,
  isThunderbolt,
  rateOf,
  type WiredEnd,
  type WiredPair,
  type WiredPath,
} from './wired-cluster.ts';
import type { WiringStep } from './wiring-plan.ts';

/** A path with both of its ends as one of them sees it. */
export interface Route {
  readonly path: WiredPath;
  readonly own: WiredEnd;
  readonly other: WiredEnd;
}

export class EngineWiring {
  readonly nodes: readonly NodeView[];
  readonly pairs: readonly WiredPair[];
  /** What a person calls the model: the placeholder MODEL if none was named. */
  readonly model: string;
  /** Commands that give the addresses which the settings name. */
  readonly addressSteps: readonly WiringStep[];
  readonly #pairs: ReadonlyMap<string, WiredPair>;

  /** @param givesAddresses to the fastest cable of each pair, if it has none */
  constructor(
    nodes: readonly NodeView[],
    pairs: readonly WiredPair[],
    { model, givesAddresses }: { readonly model: string; readonly givesAddresses: boolean },
  ) {
    const running = pairs.filter(({ nodes: ends }) => ends.every(end => nodes.includes(end)));
    const addressed = givesAddresses ? withAddresses(nodes, running) : { pairs: running, steps: [] };
    this.nodes = nodes;
    this.model = model;
    this.pairs = addressed.pairs;
    this.addressSteps = addressed.steps;
    this.#pairs = new Map(
      addressed.pairs.flatMap(pair => {
        const [one, other] = pair.nodes;
        return [
          [`${one.nodeId} ${other.nodeId}`, pair],
          [`${other.nodeId} ${one.nodeId}`, pair],
        ] as const;
      }),
    );
  }

  /** Paths for which `takes` holds, the fastest first. */
  routes(from: NodeView, to: NodeView, takes: (path: WiredPath) => boolean): readonly Route[] {
    const paths = this.#pairs.get(`${from.nodeId} ${to.nodeId}`)?.paths ?? [];
    return paths.filter(takes).map(path => {
      const [one, other] = path.ends;
      return one.node.nodeId === from.nodeId ? { path, own: one, other } : { path, own: other, other: one };
    });
  }

  /** The fastest over TCP with an address at both ends. */
  socketRoute(from: NodeView, to: NodeView): Route | undefined {
    return this.routes(from, to, hasAddresses)[0];
  }

  /** The other nodes, in order. */
  othersThan(node: NodeView): readonly NodeView[] {
    return this.nodes.filter(other => other !== node);
  }

  /**
   * The interface over which a node reaches every other one by IPv4, with its address there: what a bootstrap needs,
   * which names one interface for all. Of several the one whose slowest path is fastest; undefined if none reaches all.
   */
  sharedEnd(node: NodeView): WiredEnd | undefined {
    const others = this.othersThan(node);
    const ends = others.flatMap(other => this.routes(node, other, hasAddresses)).map(({ own }) => own);
    const byName = new Map(
      ends.flatMap(end => (isKnown(end.interfaceName) ? [[end.interfaceName, end] as const] : [])),
    );
    const slowest = (name: string): number =>
      minimumOf(
        others.map(other => {
          const over = this.routes(node, other, hasAddresses).filter(({ own }) => own.interfaceName === name);
          return over.length === 0 ? -1 : maximumOf(over.map(({ path }) => rateOf(path)));
        }),
      );
    return [...byName]
      .map(([name, end]) => ({ end, name, rate: slowest(name) }))
      .filter(({ rate }) => rate >= 0)
      .sort((a, b) => b.rate - a.rate || inNumericOrder(a.name, b.name))[0]?.end;
  }
}

const hasAddresses = ({ kind, ends }: WiredPath): boolean =>
  kind === 'socket' && ends.every(({ address }) => address !== undefined);

/** Of the fastest TCP path of each pair, if it is a cable of its own: on a shared network addresses are not ours to give. */
const withAddresses = (
  nodes: readonly NodeView[],
  pairs: readonly WiredPair[],
): { readonly pairs: readonly WiredPair[]; readonly steps: readonly WiringStep[] } => {
  const free = freeNetworks(nodes);
  const steps: WiringStep[] = [];
  const addressed = pairs.map((pair): WiredPair => {
    const fastest = pair.paths.find(({ kind }) => kind === 'socket');
    if (fastest === undefined || hasAddresses(fastest) || !isThunderbolt(fastest)) return pair;
    const network = free.shift();
    if (network === undefined) return pair;
    const [one, other] = fastest.ends;
    const ends = [
      { ...one, address: `${network}.1` },
      { ...other, address: `${network}.2` },
    ] as const;
    for (const step of [...addressSteps(ends[0], ends[1]), ...addressSteps(ends[1], ends[0])])
      steps.push(step);
    const paths = pair.paths.map(path => (path === fastest ? { ...path, ends } : path));
    return { ...pair, paths };
  });
  return { pairs: addressed, steps };
};

/** As mlx.distributed_config sets up a cable. */
const addressSteps = (
  { node, interfaceName, address }: WiredEnd,
  { address: peer }: WiredEnd,
): readonly WiringStep[] => {
  if (!isKnown(interfaceName) || address === undefined || peer === undefined) return [];
  const commands = isPlatform(node, 'macos')
    ? [
        shellCommand`sudo ifconfig ${interfaceName} inet ${address} netmask 255.255.255.252`,
        shellCommand`sudo route change ${peer} -interface ${interfaceName}`,
      ]
    : [shellCommand`sudo ip address add ${`${address}/30`} dev ${interfaceName}`];
  return commands.map(command => ({ on: node.name, command }));
};

/** "10.254.0" and so on, without those in which a node has an address already: a network of four addresses in each. */
const freeNetworks = (nodes: readonly NodeView[]): string[] => {
  const used = new Set(
    nodes
      .flatMap(({ network }) => knownValue(network)?.interfaces ?? [])
      .flatMap(({ addresses }) => addresses.map(({ address }) => address.split('.', 3).join('.'))),
  );
  return Array.from({ length: NETWORKS_MAX }, (_, third) => `10.254.${third}`).filter(
    network => !used.has(network),
  );
};

/** The third number of an address. */
const NETWORKS_MAX = 256;
