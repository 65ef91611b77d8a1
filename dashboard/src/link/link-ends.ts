// Which link an address means: its ends are ids, or names as people type them, and what is wrong with one that means none.

import type { NodeId } from '../../../src/core/ids.ts';
import { nearest } from '../../../src/core/text/nearest.ts';

export interface NamedNode {
  readonly nodeId: NodeId;
  readonly name: string;
}

export type LinkEnds =
  | { readonly kind: 'found'; readonly ends: readonly [NodeId, NodeId] }
  /** Both words are one node. */
  | { readonly kind: 'same'; readonly node: NamedNode }
  /** No node, or several, have that name; `near` is the one probably meant. */
  | { readonly kind: 'unknown'; readonly problems: readonly EndProblem[] };

interface EndProblem {
  readonly name: string;
  readonly problem: 'nobody' | 'several';
  readonly near: NamedNode | undefined;
}

export const linkEnds = ([from, to]: readonly [string, string], nodes: readonly NamedNode[]): LinkEnds => {
  const [source, sink] = [endOf(from, nodes), endOf(to, nodes)];
  if ('problem' in source || 'problem' in sink)
    return { kind: 'unknown', problems: [source, sink].filter(end => 'problem' in end) };
  return source.nodeId === sink.nodeId
    ? { kind: 'same', node: source }
    : { kind: 'found', ends: [source.nodeId, sink.nodeId] };
};

const endOf = (text: string, nodes: readonly NamedNode[]): NamedNode | EndProblem => {
  const byId = nodes.find(({ nodeId }) => nodeId === text);
  if (byId !== undefined) return byId;
  const named = nodes.filter(({ name }) => name.toLowerCase() === text.toLowerCase());
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  if (named.length > 1) return { name: text, problem: 'several', near: undefined };
  const near = nearest(
    text,
    nodes.map(({ name }) => name),
  );
  return { name: text, problem: 'nobody', near: nodes.find(({ name }) => name === near) };
};
