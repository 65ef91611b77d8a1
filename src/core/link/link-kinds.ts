// The kinds of events about connections, written by their source: rows of the table of kinds. They nest
// source → sink → key, so that no map copied on write grows with the square of the cluster.

import type { LinkKey } from '../kind-row.ts';
import { type Infer, nodeIdSchema, openObject, text } from '../schema.ts';
import {
  type Connection,
  connectionKey,
  connectionSchema,
  type LinkForgotten,
  type LostConnection,
  linkForgottenSchema,
  lostConnectionSchema,
} from './connection.ts';
import { type LinkProfile, linkProfileSchema } from './link-profile.ts';

const connectionClosedSchema = openObject({
  sink: nodeIdSchema,
  connectionKey: text,
  reason: text,
});

export type ConnectionClosed = Infer<typeof connectionClosedSchema>;

export const LINK_KINDS = {
  'connection.opened': {
    class: 'durable',
    field: 'connections',
    shape: 'linked',
    entriesMax: 8_192,
    entriesPerSinkMax: 256,
    schema: connectionSchema,
    linkKey: (payload: Connection): LinkKey => ({ sink: payload.sink, key: connectionKey(payload) }),
    replaces: ['lostConnections'],
    texts: {
      kind: 'plain',
      sinkAddress: 'address',
      sourceInterface: 'interface',
      sinkInterface: 'interface',
      type: 'plain',
    },
  },
  // Its profile stays: if the connection opens again within its interval, it need not be measured again.
  'connection.lost': {
    class: 'durable',
    field: 'lostConnections',
    shape: 'linked',
    entriesMax: 8_192,
    entriesPerSinkMax: 256,
    schema: lostConnectionSchema,
    linkKey: ({ sink, connectionKey: key }: LostConnection): LinkKey => ({ sink, key }),
    replaces: ['connections'],
    texts: {
      connectionKey: 'key',
      code: 'plain',
      reason: 'free',
      kind: 'plain',
      sinkAddress: 'address',
      sourceInterface: 'interface',
      sinkInterface: 'interface',
      type: 'plain',
    },
  },
  'connection.closed': {
    class: 'durable',
    field: 'connections',
    shape: 'linked',
    entriesMax: 8_192,
    entriesPerSinkMax: 256,
    schema: connectionClosedSchema,
    linkKey: ({ sink, connectionKey: key }: ConnectionClosed): LinkKey => ({ sink, key }),
    // Its profile is removed from the current state too; the journal's history contains it.
    closes: ['connections', 'lostConnections', 'linkProfiles'],
    texts: { connectionKey: 'key', reason: 'free' },
  },
  'link.profiled': {
    class: 'durable',
    field: 'linkProfiles',
    shape: 'linked',
    entriesMax: 8_192,
    entriesPerSinkMax: 256,
    schema: linkProfileSchema,
    linkKey: ({ sink, connectionKey: key }: LinkProfile): LinkKey => ({ sink, key }),
    texts: { connectionKey: 'key', engine: 'plain', method: 'free', failure: 'plain' },
  },
  'loss.forgotten': {
    class: 'durable',
    field: 'linkForgets',
    shape: 'keyed',
    entriesMax: 1_024,
    isNewestKept: true,
    schema: linkForgottenSchema,
    key: ({ nodes }: LinkForgotten): string => nodes.join(' '),
    texts: {},
  },
} as const;
