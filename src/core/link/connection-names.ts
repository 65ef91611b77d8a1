// Names of a connection's series where names are stored for months: in metrics.

import type { NodeId } from '../ids.ts';
import { knownOr } from '../unknown.ts';
import type { Connection } from './connection.ts';

interface NamedConnection {
  readonly source: NodeId;
  readonly sink: NodeId;
  readonly connectionKey: string;
  readonly connection: { readonly value: Connection };
}

/**
 * Names each connection among those of its two nodes by the interface that leads to the other one, not by its
 * address, which a lease or a privacy extension changes, and the series with it. Several on one interface are
 * numbered, sorted by address.
 */
export const connectionNames = <Row extends NamedConnection>(
  rows: readonly Row[],
): ReadonlyMap<Row, string> => {
  const counts = new Map<string, number>();
  const ordered = rows.toSorted((a, b) => (a.connectionKey < b.connectionKey ? -1 : 1));
  return new Map(
    ordered.map(row => {
      const name = nameOf(row.connection.value);
      const key = `${row.source} ${row.sink} ${name}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return [row, count === 1 ? name : `${name} #${count}`];
    }),
  );
};

const nameOf = (connection: Connection): string => {
  switch (connection.kind) {
    case 'socket': {
      const family = connection.sinkAddress.includes(':') ? 'IPv6' : 'IPv4';
      return `socket ${knownOr(connection.sourceInterface, 'unknown')} ${family}`;
    }
    case 'rdma':
      return `rdma ${connection.sourceInterface} ${connection.sinkInterface}`;
    default:
      return connection satisfies never;
  }
};
