// Addresses to pages and back. Pure: the router holds the browser's side.

import {
  type ComparisonId,
  isComparisonId,
  isNodeId,
  isRunId,
  isSweepId,
  type NodeId,
  type RunId,
  type SweepId,
} from '../../../src/core/ids.ts';

export type PageRoute =
  | { readonly kind: 'cluster' }
  | { readonly kind: 'links' }
  /** Ids of two nodes, or their names, which the page looks up: both are what people type. */
  | { readonly kind: 'link'; readonly ends: readonly [string, string] }
  | { readonly kind: 'nodes' }
  | { readonly kind: 'node'; readonly nodeId: NodeId }
  | { readonly kind: 'runs' }
  /** The model is in the fragment, the question in the query. */
  | { readonly kind: 'headroom' }
  | { readonly kind: 'run'; readonly runId: RunId }
  | { readonly kind: 'sweep'; readonly sweepId: SweepId }
  /** That a command wrote. */
  | { readonly kind: 'comparison'; readonly id: ComparisonId }
  /** The runs are in the query. */
  | { readonly kind: 'compare' }
  | { readonly kind: 'unknown'; readonly path: string };

export const routeOf = (path: string): PageRoute => {
  const parts = path.split('/').filter(part => part !== '');
  const [first, second] = parts;
  if (parts.length === 0) return { kind: 'cluster' };
  if (
    parts.length === 1 &&
    (first === 'links' || first === 'nodes' || first === 'runs' || first === 'headroom')
  )
    return { kind: first };
  if (parts.length === 3 && first === 'links') return linkRoute(parts.slice(1)) ?? { kind: 'unknown', path };
  if (parts.length === 2 && first === 'nodes' && isNodeId(second)) return { kind: 'node', nodeId: second };
  if (parts.length === 2 && first === 'runs' && second === 'compare') return { kind: 'compare' };
  if (parts.length === 2 && first === 'runs' && isRunId(second)) return { kind: 'run', runId: second };
  if (parts.length === 2 && first === 'sweeps' && isSweepId(second))
    return { kind: 'sweep', sweepId: second };
  if (parts.length === 2 && first === 'comparisons' && isComparisonId(second))
    return { kind: 'comparison', id: second };
  return { kind: 'unknown', path };
};

export const nodePath = (nodeId: NodeId): string => `/nodes/${nodeId}`;
export const linkPath = (from: string, to: string): string =>
  `/links/${encodeURIComponent(from)}/${encodeURIComponent(to)}`;
export const runPath = (runId: RunId): string => `/runs/${runId}`;
export const sweepPath = (sweepId: SweepId): string => `/sweeps/${sweepId}`;
export const comparisonPath = (id: string): string => `/comparisons/${encodeURIComponent(id)}`;
/** The first is the reference. */
export const comparePath = (runs: readonly string[]): string =>
  `/runs/compare?${runs.map(run => `run=${encodeURIComponent(run)}`).join('&')}`;

const linkRoute = (parts: readonly string[]): PageRoute | undefined => {
  try {
    const [from = '', to = ''] = parts.map(decodeURIComponent);
    return { kind: 'link', ends: [from, to] };
  } catch {
    return undefined; // not an address: "%" without its digits
  }
};
