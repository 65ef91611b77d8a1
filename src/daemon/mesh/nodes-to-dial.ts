// Which known nodes a node of a mesh dials. Up to 64 it is all of them; past that those that it measures, because half a million
// links would not be a mesh any more, and some others while it has few links: a node that has just started has none yet.

import type { NodeId } from '../../core/ids.ts';
import { type IsChosenPeer, isSampled } from '../../core/link/measured-pairs.ts';

interface NodesToDial {
  /** With an address, in a fixed order; this node is not among them. */
  readonly known: readonly NodeId[];
  /** Over a link, or through a fleet. */
  readonly isMet: (node: NodeId) => boolean;
  readonly isChosen: IsChosenPeer;
  readonly linkCount: number;
  /** How often it was asked before: others come by turns, as those that are away do not answer. */
  readonly turn: number;
}

export const nodesToDial = ({
  known,
  isMet,
  isChosen,
  linkCount,
  turn,
}: NodesToDial): ReadonlySet<NodeId> => {
  const unmet = known.filter(node => !isMet(node));
  if (!isSampled(known.length + 1)) return new Set(unmet);
  const chosen = unmet.filter(isChosen);
  const others = unmet.filter(node => !isChosen(node));
  const count = linkCount < LINKS_WANTED ? Math.min(OTHERS_AT_ONCE, others.length) : 0;
  const first = turn * OTHERS_AT_ONCE;
  const some = Array.from({ length: count }, (_, at) => others[(first + at) % others.length]);
  return new Set([...chosen, ...some.filter(node => node !== undefined)]);
};

/** Enough for reports of nodes to reach all others in a few steps. */
const LINKS_WANTED = 8;
/** In each turn of five seconds: a thousand that are all away are through after ten minutes. */
const OTHERS_AT_ONCE = 8;
