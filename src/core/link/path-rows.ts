// The connections of a link as rows of a table: one row for each path and each end that has a connection on
// it, regardless of the number of addresses, and one for each lost path.

import type { ConnectionFacts, LostPath } from './link-facts.ts';
import { isCarrying, type LinkView } from './link-view.ts';

export interface PathRow {
  /** The connection that was measured, if it belongs to this end. */
  readonly facts: ConnectionFacts;
  /** How many more addresses of the same path are open from this end. */
  readonly moreAddresses: number;
  /** Undefined while the path is open. */
  readonly lost: LostPath | undefined;
}

/** Open ones in link order, then lost ones, then those that wait for an end to return. */
export const pathRows = (
  link: Pick<LinkView, 'connections' | 'lost' | 'away' | 'standing'>,
): readonly PathRow[] => [
  ...(isCarrying(link.standing) ? openRows(link.connections) : []),
  ...[...link.lost, ...link.away].map(lost => ({ facts: lost.of, moreAddresses: 0, lost })),
];

const openRows = (connections: readonly ConnectionFacts[]): readonly PathRow[] => {
  const rows = new Map<string, PathRow>();
  for (const facts of connections) {
    const name = `${facts.source} ${facts.path}`;
    const existing = rows.get(name);
    if (existing === undefined) rows.set(name, { facts, moreAddresses: 0, lost: undefined });
    else
      rows.set(name, {
        ...existing,
        facts: facts.isMeasuredHere ? facts : existing.facts,
        moreAddresses: existing.moreAddresses + 1,
      });
  }
  return [...rows.values()];
};
