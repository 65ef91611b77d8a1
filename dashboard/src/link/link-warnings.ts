// Which warnings concern a link: those of the link itself, of both its ends together, of an end that does not answer,
// and of what it runs over at one end.

import type { LinkView } from '../../../src/core/link/link-view.ts';
import type { Warning } from '../../../src/core/warnings/warning.ts';

export const isOfLink = ({ id, nodes }: Warning, { key, nodes: ends, connections }: LinkView): boolean => {
  if (LINK_KINDS.some(kind => id === `${kind} ${key}`)) return true;
  if (ends.every(end => nodes.includes(end))) return true;
  const isOfEnd = ends.some(end => nodes.includes(end));
  if (SILENCE_KINDS.some(kind => id.startsWith(kind))) return isOfEnd;
  // A port that is down, RDMA that is off: it concerns the link if the link has, or could have, such a connection.
  return id.startsWith('rdma ') && isOfEnd && connections.some(isFast);
};

const isFast = ({ medium, connection }: LinkView['connections'][number]): boolean =>
  medium === 'rdma' || connection.type === 'thunderbolt' || connection.type === 'infiniband';

const SILENCE_KINDS = ['presence ', 'stopped '] as const;
const LINK_KINDS = ['link short', 'link week', 'one way'] as const;
