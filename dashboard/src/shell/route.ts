// Addresses to pages and back. Pure: the router holds the browser's side.

import {
  DOCUMENT_KINDS,
  DOCUMENT_TYPES,
  type DocumentType,
} from '../../../src/core/document/document-kinds.ts';
import { isNodeId, isRunId, type NodeId } from '../../../src/core/ids.ts';

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
  | { readonly kind: 'document'; readonly type: DocumentType; readonly id: string }
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
  const type = DOCUMENT_TYPES.find(each => DOCUMENT_KINDS[each].many === first);
  if (parts.length === 2 && type !== undefined && isRunId(second))
    return { kind: 'document', type, id: second };
  return { kind: 'unknown', path };
};

export const nodePath = (nodeId: NodeId): string => `/nodes/${nodeId}`;
export const linkPath = (from: string, to: string): string =>
  `/links/${encodeURIComponent(from)}/${encodeURIComponent(to)}`;
export const documentPath = (type: DocumentType, id: string): string =>
  `/${DOCUMENT_KINDS[type].many}/${encodeURIComponent(id)}`;
export const runPath = (id: string): string => documentPath('run', id);
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
