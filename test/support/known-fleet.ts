// A server with credentials for each node and a stream for its last values, as `plimsoll fleet init`, `add` and
// `apply` make it, and clients that have nothing but such credentials.

import { jetstreamManager } from '@nats-io/jetstream';
import { createUser } from '@nats-io/nkeys';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { generateNodeKey, type NodeKey } from '../../src/daemon/node-key.ts';
import { applyFleetStreams, FLEET_STREAM_DEFAULTS, fleetStreams } from '../../src/mesh/nats/fleet-streams.ts';
import { inboxOf, usersConfig } from '../../src/mesh/nats/server-files.ts';
import { FLEET_TEST_CLUSTER } from './fleet-nodes.ts';
import { NatsServer } from './nats-server.ts';

export interface KnownUser {
  readonly key: NodeKey;
  /** The seed of an nkey. */
  readonly credentials: string;
}

/** An administrator is no node. */
type AnyUser = Pick<KnownUser, 'credentials'> & Partial<KnownUser>;

export interface KnownFleet extends AsyncDisposable {
  readonly server: NatsServer;
  readonly users: readonly KnownUser[];
  /** With the credentials of a user, and nothing else. */
  connect(user: AnyUser): Promise<NatsConnection & AsyncDisposable>;
  readonly administrator: { readonly credentials: string };
}

export const knownFleet = async (userCount: number): Promise<KnownFleet> => {
  const administrator = madeUser();
  const users = Array.from({ length: userCount }, () => ({ key: generateNodeKey(), ...madeUser() }));
  const config = usersConfig(
    { cluster: FLEET_TEST_CLUSTER, administrator: administrator.nkey },
    users.map(({ key, nkey }, index) => ({ name: `node-${index}`, nodeId: key.nodeId, nkey })),
  );
  const server = await NatsServer.start({ config });
  const connected = async ({ credentials, key }: AnyUser) => {
    const authenticator = nkeyAuthenticator(new TextEncoder().encode(credentials));
    const inboxPrefix = key === undefined ? '_INBOX' : inboxOf(key.nodeId);
    const connection = await connect({ servers: `127.0.0.1:${server.port}`, authenticator, inboxPrefix });
    return Object.assign(connection, { [Symbol.asyncDispose]: () => connection.close() });
  };
  await using connection = await connected(administrator);
  const options = {
    ...FLEET_STREAM_DEFAULTS,
    eventBytesMax: 64_000_000,
    cluster: FLEET_TEST_CLUSTER,
    nodes: users.map(({ key }) => key.nodeId),
    hasMessageTtl: false,
  };
  await applyFleetStreams(await jetstreamManager(connection), fleetStreams(options));
  return {
    server,
    users,
    administrator,
    connect: connected,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

const madeUser = () => {
  const user = createUser();
  return { nkey: user.getPublicKey(), credentials: new TextDecoder().decode(user.getSeed()) };
};
