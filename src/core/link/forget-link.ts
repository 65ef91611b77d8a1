// Forgets what was lost between two nodes: an event of any node that names the last positions of both, so
// that later losses are shown again.

import { isAfter, type NodeId, type Position } from '../ids.ts';
import type { Entry, State } from '../state.ts';
import type { ForgottenThrough, LinkForgotten, LostConnection } from './connection.ts';
import { linkKey } from './link-path.ts';

export type LinkForgetting =
  | { readonly kind: 'forgotten'; readonly fact: LinkForgotten }
  | { readonly kind: 'refused'; readonly code: 'nothing-lost' };

/** Hides the lost connections of both directions; refused if nothing is lost. */
export const forgetLink = (state: State, [a, b]: readonly [NodeId, NodeId]): LinkForgetting => {
  const nodes: readonly [NodeId, NodeId] = a < b ? [a, b] : [b, a];
  const isLost = [lostBetween(state, a, b), lostBetween(state, b, a)].some(lost => lost.length > 0);
  if (!isLost) return { kind: 'refused', code: 'nothing-lost' };
  const through = (source: NodeId): ForgottenThrough => ({
    source,
    durableEpoch: state.origins[source]?.epoch ?? 0,
    durableSeq: state.origins[source]?.seq ?? 0,
  });
  return { kind: 'forgotten', fact: { nodes, through: [through(nodes[0]), through(nodes[1])] } };
};

export interface LostEntry {
  readonly connectionKey: string;
  readonly entry: Entry<LostConnection>;
}

/** The lost connections from one node to another that are not forgotten. */
export const lostBetween = (state: ForgetState, source: NodeId, sink: NodeId): readonly LostEntry[] => {
  const lost = state.lostConnections[source]?.[sink];
  if (lost === undefined) return NONE;
  const covered = Object.values(state.linkForgets)
    .flatMap(forgotten => forgotten[linkKey(source, sink)]?.value.through ?? [])
    .filter(through => through.source === source)
    .map(through => coveredBy(state, through));
  return Object.entries(lost).flatMap(([connectionKey, entry]) =>
    covered.some(through => !isAfter(entry, through)) ? [] : [{ connectionKey, entry }],
  );
};

type ForgetState = Pick<State, 'lostConnections' | 'linkForgets' | 'origins'>;

/**
 * Any member may write any numbers: an event that claims to cover events that do not exist here hides
 * nothing.
 */
const coveredBy = (state: ForgetState, { source, durableEpoch, durableSeq }: ForgottenThrough): Position => {
  const through = { epoch: durableEpoch, seq: durableSeq };
  const position = state.origins[source] ?? START;
  return isAfter(through, position) ? START : through;
};

const START: Position = { epoch: 0, seq: 0 };
const NONE: readonly LostEntry[] = [];
