// The configuration of a fleet's server as text: who may connect, and what each may publish and hear. A node publishes under
// its own id only; nobody but the administrator changes streams.

import type { NodeId } from '../../core/ids.ts';
import { EVENT_STREAM, FleetSubjects, STATE_STREAM } from './fleet-subjects.ts';

export interface FleetUser {
  /** What people call the machine. */
  readonly name: string;
  readonly nodeId: NodeId;
  /** Of its credentials: "U…", 56 characters. */
  readonly nkey: string;
}

export interface FleetServerSettings {
  readonly cluster: string;
  /** HOST:PORT. */
  readonly listen: string;
  /** Files of the certificate and its key, as the server finds them; undefined: no TLS. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined;
  /** Without a server before 2.10, so TLS can begin at the first byte. */
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
    ...(tls === undefined
      ? ['# No TLS: messages are sealed, but who talks when is open to whoever listens.']
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
    '# Who may use the fleet. Written by `plimsoll fleet add` and `fleet revoke`, which write it anew.',
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
    publish: [...subjects.published, ...READING_API],
    subscribe: [...subjects.hearable, `${inboxOf(node)}.>`],
  };
};

/** Replies to a node come here, and no other node may listen. */
export const inboxOf = (node: NodeId): string => `_INBOX_${node}`;

/** To read the two streams: their state, and consumers of them. */
const READING_API: readonly string[] = [
  '$JS.API.INFO',
  ...[STATE_STREAM, EVENT_STREAM].flatMap(stream => [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    ...['INFO', 'DELETE', 'MSG.NEXT'].map(verb => `$JS.API.CONSUMER.${verb}.${stream}.*`),
  ]),
];

/** What the server takes in one message: the largest record and what sealing and framing add, with room. */
const PAYLOAD_BYTES = 4_194_304;
