// What a tab of the browser is called: the page first, because a tab shows no more of it, then whose cluster it is.

import type { DocumentType } from '../../../src/core/document/document-kinds.ts';
import type { PageRoute } from './route.ts';

interface TitleNames {
  /** The node whose daemon serves the page; '' until it is known. */
  readonly here: string;
  readonly nameOf: (id: string) => string;
  /** "Load line": what a document is, where that is known here. */
  readonly titleOf: (type: DocumentType, id: string) => string;
}

export const pageTitle = (route: PageRoute, { here, ...names }: TitleNames): string =>
  [pageName(route, names), here, 'Plimsoll']
    .filter((part, index, parts) => part !== '' && parts.indexOf(part) === index)
    .join(' · ');

const pageName = (route: PageRoute, { nameOf, titleOf }: Omit<TitleNames, 'here'>): string => {
  switch (route.kind) {
    case 'cluster':
      return 'Cluster';
    case 'links':
      return 'Links';
    case 'link':
      return `Link ${route.ends.map(nameOf).join(' – ')}`;
    case 'nodes':
      return 'Nodes';
    case 'node':
      return `Node ${nameOf(route.nodeId)}`;
    case 'headroom':
      return 'Headroom';
    case 'runs':
      return 'Runs';
    case 'document':
      return `${titleOf(route.type, route.id)} ${route.id}`;
    case 'compare':
      return 'Compare runs';
    case 'unknown':
      return 'No such page';
    default:
      return route satisfies never;
  }
};
