// Nodes in the order in which a person looks for them: by name, as the dashboard lists them.

import type { NodeView } from './node-view.ts';

export const inNameOrder = (views: readonly NodeView[]): readonly NodeView[] =>
  views.toSorted((a, b) => compare(a.name, b.name) || compare(a.nodeId, b.nodeId));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
