// The configuration of a fleet's server as text: who may connect, and what each may publish and subscribe to.
// A node publishes under its own id only; only the administrator changes streams.

import type { NodeId } from '../../core/ids.ts';
import { EVENT_STREAM, FleetSubjects, stateStreamOf } from './fleet-subjects.ts';

export interface FleetUser {
  /** The machine's name for people. */
  readonly name: string;
  readonly nodeId: NodeId;
  /** Public key of its credentials: "U…", 56 characters. */
  readonly nkey: string;
}

export interface FleetServerSettings {
  readonly cluster: string;
  /** HOST:PORT. */
  readonly listen: string;
  /** Paths of the certificate and its key on the server; undefined: no TLS. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined;
  /** No server is older than 2.10, so TLS can start at the first byte. */
  readonly isHandshakeFirst: boolean;
  readonly administrator: string;
}

/** Written once; what changes with nodes is in the file that it includes. */
export const serverConfig = ({ listen, tls, isHandshakeFirst }: FleetServerSettings): string =>
  [
    '# The server of a fleet of Plimsoll. Written by `plimsoll fleet init`; change it as you like.',
    '# Start: nats-server -c nats-server.conf     After `fleet add` or `fleet revoke`: nats-server --signal reload',
    `listen: ${JSON.stringify(listen)}`,
    'jetstream { store_dir: "jetstream" }',
    '# A record may have 1 MB, and is sealed.',
    `max_payload: ${PAYLOAD_BYTES}`,
    '# Per connection: a node has about ten, a leaf server those of its whole site.',
    `max_subscriptions: ${SUBSCRIPTIONS_MAX}`,
    ...(tls === undefined
      ? ['# No TLS: messages are sealed, but anyone on the network sees who sends when.']
      : [
          'tls {',
          `  cert_file: ${JSON.stringify(tls.certificate)}`,
          `  key_file: ${JSON.stringify(tls.key)}`,
          ...(isHandshakeFirst
            ? [
                '  min_version: "1.3"',
                '  # From the first byte; needs nats-server 2.10.',
                '  handshake_first: true',
              ]
            : []),
          '}',
        ]),
    'include "users.conf"',
    '',
  ].join('\n');

export const usersConfig = (
  { cluster, administrator }: Pick<FleetServerSettings, 'cluster' | 'administrator'>,
  users: readonly FleetUser[],
): string =>
  [
    '# Who may use the fleet. Written by `plimsoll fleet add` and `fleet revoke`, which replace it.',
    'accounts {',
    '  PLIMSOLL {',
    '    jetstream: enabled',
    '    users: [',
    `      { nkey: ${administrator} } # creates the streams`,
    ...users.map(user => userEntry(cluster, user)),
    '    ]',
    '  }',
    '  SYSTEM { users: [] }',
    '}',
    'system_account: SYSTEM',
    '',
  ].join('\n');

const userEntry = (cluster: string, { name, nodeId, nkey }: FleetUser): string => {
  const { publish, subscribe } = permissionsOf(cluster, nodeId);
  return [
    `      { nkey: ${nkey}, permissions: { # ${name}`,
    `        publish: { allow: ${JSON.stringify(publish)} }`,
    `        subscribe: { allow: ${JSON.stringify(subscribe)} }`,
    '      } }',
  ].join('\n');
};

/** What a node needs and nothing more. */
export const permissionsOf = (
  cluster: string,
  node: NodeId,
): { readonly publish: readonly string[]; readonly subscribe: readonly string[] } => {
  const subjects = new FleetSubjects(cluster, node);
  return {
    publish: [
      ...subjects.published,
      '$JS.API.INFO',
      '$JS.API.STREAM.NAMES',
      ...[EVENT_STREAM, stateStreamOf(cluster, node)].map(name => `$JS.API.STREAM.INFO.${name}`),
      // One message for each request: no consumer, which the server would have to store and which could
      // deliver anywhere.
      '$JS.API.DIRECT.GET.*',
    ],
    subscribe: [...subjects.hearable, `${inboxOf(node)}.>`],
  };
};

/** Replies to a node arrive here, and no other node may subscribe. */
export const inboxOf = (node: NodeId): string => `_INBOX_${node}`;

/** The server's limit for one message: the largest record and what sealing and framing add, with room. */
const PAYLOAD_BYTES = 4_194_304;
const SUBSCRIPTIONS_MAX = 65_536;
