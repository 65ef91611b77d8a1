// Which directions are loaded at once, so that everything is busy and no port sends or receives twice: through a switch each node sends
// to the next one, then to the one after that, and so on; over direct cables all of them send at the same time.

import type { AcceptanceSources } from '../../core/acceptance/acceptance-check.ts';
import { acceptedPaths, directionsOf, type PathDirection } from '../../core/acceptance/accepted-path.ts';
import { sharePort, sinkPorts, sourcePorts } from '../schedule/link-ports.ts';
import { LINK_PROBES_MAX } from '../schedule/probe-settings.ts';

export interface LoadHop extends PathDirection {
  /** "NODE PORT", at its source and its sink. */
  readonly sends: readonly string[];
  readonly receives: readonly string[];
}

export const loadRounds = (sources: AcceptanceSources): readonly (readonly LoadHop[])[] => {
  const { state, nodes } = sources;
  const at = new Map(nodes.map(({ nodeId }, index) => [nodeId, index]));
  /** How many nodes further its sink is. */
  const shift = ({ facts: { source, sink } }: PathDirection): number =>
    ((at.get(sink) ?? 0) - (at.get(source) ?? 0) + nodes.length) % nodes.length;
  const hops = acceptedPaths(sources)
    .flatMap(directionsOf)
    .map((direction): LoadHop => {
      const { source, connection } = direction.facts;
      return {
        ...direction,
        sends: sourcePorts(state, source, connection),
        receives: sinkPorts(state, connection),
      };
    })
    .toSorted((a, b) => shift(a) - shift(b));
  const rounds: LoadHop[][] = [];
  for (const hop of hops) {
    const free = rounds.find(round => hasRoom(round, hop));
    if (free === undefined) rounds.push([hop]);
    else free.push(hop);
  }
  return rounds;
};

const hasRoom = (round: readonly LoadHop[], hop: LoadHop): boolean => {
  const { source, sink } = hop.facts;
  const isApart = round.every(
    ({ facts, sends, receives }) =>
      !(facts.source === source && sharePort(sends, hop.sends)) &&
      !(facts.sink === sink && sharePort(receives, hop.receives)),
  );
  const countOf = (node: string): number =>
    round.filter(({ facts }) => facts.source === node || facts.sink === node).length;
  return isApart && countOf(source) < LINK_PROBES_MAX && countOf(sink) < LINK_PROBES_MAX;
};
