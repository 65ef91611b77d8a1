// Which nodes have the same name: two machines called "ubuntu" are two machines, and every table, warning and
// command that names one must distinguish them.

import { isNodeId, type NodeId } from '../ids.ts';
import type { State } from '../state.ts';
import { singleLine } from '../text/single-line.ts';

/** The name that a node gives itself, safe to display; '' if it gave none. */
export const givenName = (state: State, node: NodeId): string =>
  singleLine(state.nodeIdentities[node]?.value.friendlyName ?? '');

/** All nodes with that name, including forgotten ones and the node itself. */
export const namesakes = (state: State, name: string): readonly NodeId[] =>
  groupsOf(state.nodeIdentities).get(name) ?? NOBODY;

const groupsOf = (identities: State['nodeIdentities']): ReadonlyMap<string, readonly NodeId[]> => {
  const known = GROUPS.get(identities);
  if (known !== undefined) return known;
  const groups = new Map<string, NodeId[]>();
  for (const [node, entry] of Object.entries(identities)) {
    if (!isNodeId(node)) continue;
    const name = singleLine(entry.value.friendlyName);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [node]);
    else group.push(node);
  }
  GROUPS.set(identities, groups);
  return groups;
};

// Only a cache: the identities are an immutable value, and names are needed by the thousand.
const GROUPS = new WeakMap<State['nodeIdentities'], ReadonlyMap<string, readonly NodeId[]>>();
const NOBODY: readonly NodeId[] = [];
