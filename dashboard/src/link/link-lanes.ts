// The connections of a link by their hardware: a lane each for a map of two nodes, with what arrives at either end,
// measured by either of them. Addresses of one cable are one lane.

import { maximumOf } from '../../../src/core/extremes.ts';
import { type ConnectionFacts, jitterOf, rateFrom, roundTripOf } from '../../../src/core/link/link-facts.ts';
import type { LinkMedium } from '../../../src/core/link/link-medium.ts';
import { typeText } from '../../../src/core/link/link-text.ts';
import { isCarrying, isStaleNow, type LinkView } from '../../../src/core/link/link-view.ts';

interface LinkLane {
  /** "Thunderbolt 5 (RDMA)", which is its name, too. */
  readonly type: string;
  readonly medium: LinkMedium;
  readonly facts: ConnectionFacts;
  /** Bits per second from the first node to the second, and back; undefined where nobody has measured them. */
  readonly there: number | undefined;
  readonly back: number | undefined;
  /** The shortest, and its jitter, ns. */
  readonly roundTrip: number | undefined;
  readonly jitter: number | undefined;
  readonly isStale: boolean;
}

/** What carries most comes first, then the others in the lasting order of the link. None of a link that is gone. */
export const linkLanes = (link: LinkView, nowMs: number): readonly LinkLane[] => {
  if (!isCarrying(link.standing)) return [];
  const groups = Map.groupBy(link.connections, typeText);
  const best = typeText(link.best);
  const types = [best, ...[...groups.keys()].filter(type => type !== best)];
  return types.flatMap(type => laneOf(type, groups.get(type) ?? [], link.nodes, nowMs) ?? []);
};

const laneOf = (
  type: string,
  connections: readonly ConnectionFacts[],
  [first, second]: LinkView['nodes'],
  nowMs: number,
): LinkLane | undefined => {
  const sound = connections.filter(facts => !isStaleNow(facts, nowMs));
  // Old figures are shown only where there are no others.
  const requested = sound.some(({ profile }) => profile !== undefined) ? sound : connections;
  const [facts] = connections;
  if (facts === undefined) return undefined;
  const [shortest] = requested
    .flatMap(of => {
      const roundTrip = roundTripOf(of);
      return roundTrip === undefined ? [] : [{ roundTrip, jitter: jitterOf(of) }];
    })
    .toSorted((a, b) => a.roundTrip - b.roundTrip);
  return {
    type,
    medium: facts.medium,
    facts,
    there: highest(requested.map(way => rateFrom(way, first))),
    back: highest(requested.map(way => rateFrom(way, second))),
    roundTrip: shortest?.roundTrip,
    jitter: shortest?.jitter,
    isStale: requested !== sound,
  };
};

const highest = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter(value => value !== undefined);
  return known.length === 0 ? undefined : maximumOf(known);
};
