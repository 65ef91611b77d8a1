// The engines of a cluster as targets of a benchmark: where each may be reached from one of its nodes. An address is a
// candidate until it has answered.

import { hostText, isLoopbackHost } from '../address/host-port.ts';
import type { NodeId } from '../ids.ts';
import type { NodeEngine } from '../node/engines.ts';
import { nodeView } from '../node/node-view.ts';
import { nodeIds } from '../node/presence-view.ts';
import { knownValue } from '../node/reading-view.ts';
import type { State } from '../state.ts';
import { isUnknown, knownOr } from '../unknown.ts';

export interface EngineTarget {
  readonly nodeId: NodeId;
  readonly nodeName: string;
  readonly engine: NodeEngine;
  readonly port: number;
  /** The fastest network first; none: only its own machine reaches it. */
  readonly urls: readonly string[];
}

/** @param self the node from which they are reached */
export const engineTargets = (state: State, self: NodeId, nowMs: number): readonly EngineTarget[] =>
  nodeIds(state).flatMap(nodeId => {
    const view = nodeView(state, nodeId, nowMs);
    if (view.presence === 'offline') return [];
    return (knownValue(view.engines)?.engines ?? []).flatMap(engine => {
      const port = /:(\d{1,5})$/.exec(engine.origin)?.[1];
      if (port === undefined) return [];
      const hosts = nodeId === self ? undefined : hostsOf(state, nodeId, engine);
      return [
        {
          nodeId,
          nodeName: view.name,
          engine,
          port: Number(port),
          urls: hosts?.map(host => `http://${hostText(host)}:${port}`) ?? [engine.origin],
        },
      ];
    });
  });

const hostsOf = (state: State, node: NodeId, { listensOn }: NodeEngine): readonly string[] => {
  if (!isUnknown(listensOn) && isLoopbackHost(listensOn)) return [];
  if (!isUnknown(listensOn) && listensOn !== '0.0.0.0' && listensOn !== '::') return [listensOn];
  const interfaces = state.nodeNetworks[node]?.value.interfaces ?? [];
  return interfaces
    .filter(({ type, isUp }) => type !== 'loopback' && isUp !== false)
    .toSorted((a, b) => knownOr(b.speedBitsPerSecond, 0) - knownOr(a.speedBitsPerSecond, 0))
    .flatMap(({ addresses }) => addresses)
    .filter(
      ({ scope, family }) =>
        scope !== 'host' && scope !== 'link' && (listensOn === '::' || family === 'ipv4'),
    )
    .map(({ address }) => address)
    .slice(0, HOSTS_MAX);
};

/** A machine has more only with containers. */
const HOSTS_MAX = 8;
