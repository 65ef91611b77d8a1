// The selected link, in the address: `?link=atlas,bosun`, so it can be shared. Names if they are unique, because people
// read addresses, too; otherwise ids.

import type { NodeId } from '../../../src/core/ids.ts';
import { linkKey } from '../../../src/core/link/link-path.ts';
import { linkEnds, type NamedNode } from './link-ends.ts';

/** As they stand in an address: names or ids, from the first to the second. */
export type PickedEnds = readonly [string, string];

export const pickedEnds = (query: URLSearchParams): PickedEnds | undefined => {
  const [from = '', to = '', ...more] = (query.get(PARAMETER) ?? '').split(',');
  return from === '' || to === '' || more.length > 0 ? undefined : [from, to];
};

/** The same query with another link, or none. */
export const withPickedEnds = (query: URLSearchParams, ends: PickedEnds | undefined): URLSearchParams => {
  const next = new URLSearchParams(query);
  if (ends === undefined) next.delete(PARAMETER);
  else next.set(PARAMETER, ends.join(','));
  return next;
};

/** Which nodes the words of an address mean; undefined if no node has that name. */
export const pickedNodes = (
  ends: PickedEnds | undefined,
  nodes: readonly NamedNode[],
): readonly [NodeId, NodeId] | undefined => {
  const found = ends === undefined ? undefined : linkEnds(ends, nodes);
  return found?.kind === 'found' ? found.ends : undefined;
};

export const pickedKey = (ends: PickedEnds | undefined, nodes: readonly NamedNode[]): string | undefined => {
  const found = pickedNodes(ends, nodes);
  return found === undefined ? undefined : linkKey(...found);
};

export const endsOfNodes = (
  [from, to]: readonly [string, string],
  nodes: readonly NamedNode[],
): PickedEnds => {
  const nameOf = (id: string): string => {
    const name = nodes.find(({ nodeId }) => nodeId === id)?.name ?? id;
    const isPlain = !name.includes(',') && nodes.filter(node => node.name === name).length === 1;
    return isPlain ? name : id;
  };
  return [nameOf(from), nameOf(to)];
};

const PARAMETER = 'link';
