// The medium of a connection, by which a person distinguishes lines on a map. Loopback joins no nodes and has
// none.

import type { Connection } from './connection.ts';

export const LINK_MEDIA = ['rdma', 'cable', 'wifi', 'overlay', 'unknown'] as const;
export type LinkMedium = (typeof LINK_MEDIA)[number];

/** Undefined if it is not a link between machines. */
export const connectionMedium = (
  kind: Connection['kind'],
  { type }: Pick<Connection, 'type'>,
): LinkMedium | undefined => {
  if (kind === 'rdma') return 'rdma';
  if (typeof type !== 'string') return 'unknown';
  switch (type) {
    case 'ethernet':
    case 'thunderbolt':
    case 'infiniband':
    case 'roce':
      return 'cable';
    case 'wifi':
    case 'overlay':
      return type;
    case 'loopback':
      return undefined;
    default:
      return type satisfies never;
  }
};

/** Lower is better: the order of connections that are not measured yet, and of the rows of a link. */
export const mediumRank = (medium: LinkMedium): number => MEDIA.indexOf(medium);

const MEDIA: readonly LinkMedium[] = ['rdma', 'cable', 'wifi', 'unknown', 'overlay'];
