// The fleet of a running daemon: its server by config.toml, and a notice while it cannot be used. The adapter is loaded only
// where a server is named.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Clock } from '../../clock/clock.ts';
import type { FleetConfig } from '../../config/config.ts';
import { isLoopbackHost } from '../../core/address/host-port.ts';
import { errorCode } from '../../core/problem.ts';
import type { ClusterKey } from '../../mesh/key/cluster-key.ts';
import type { FleetProblem } from '../../mesh/nats/fleet-problem.ts';
import type { NatsFleet } from '../../mesh/nats/nats-fleet.ts';
import type { ReplicaStore } from '../../mesh/replication/replica-store.ts';
import type { NodeKey } from '../node-key.ts';
import type { Notices } from '../notices.ts';

export interface DaemonFleetParts {
  readonly home: string;
  readonly config: FleetConfig | undefined;
  readonly key: NodeKey;
  readonly start: number;
  readonly keys: readonly ClusterKey[];
  readonly store: ReplicaStore;
  readonly clock: Clock;
  readonly notices: Notices;
  readonly plimsollVersion: string;
}

/** Undefined where no server is named, or where the settings forbid to connect to it; that is a notice. */
export const openDaemonFleet = async (parts: DaemonFleetParts): Promise<NatsFleet | undefined> => {
  const { home, config, key, notices } = parts;
  if (config === undefined || config.servers.length === 0) return undefined;
  const plain = plainServer(config);
  if (plain !== undefined) {
    raise(notices, notEncrypted(plain));
    return undefined;
  }
  const credentials = await readCredentials(home, config);
  if (credentials.kind === 'failed') {
    raise(notices, credentials.problem);
    return undefined;
  }
  const { NatsFleet: Fleet } = await import('../../mesh/nats/nats-fleet.ts');
  const fleet = new Fleet({
    ...parts,
    identity: key,
    cluster: config.cluster,
    random: Math.random,
    server: {
      servers: config.servers,
      credentials: credentials.text,
      caFile: config.ca === undefined ? undefined : resolve(home, config.ca),
      isHandshakeFirst: config.isHandshakeFirst,
    },
  });
  fleet.onStanding(standing => {
    if (standing.kind === 'failed') raise(notices, standing.problem);
    else if (standing.kind === 'connected') notices.clear(NOTICE_ID);
  });
  fleet.onTwin(node =>
    notices.raise({
      id: `fleet twin ${node}`,
      code: 'fleet-twin',
      nodeId: node,
      problem: `Two daemons publish to the fleet as ${node === key.nodeId ? 'this node' : node}.`,
      advice: 'A home was copied: remove identity.key from the copy, and start it again.',
    }),
  );
  return fleet;
};

const raise = (notices: Notices, { code, problem, advice }: FleetProblem): void =>
  notices.raise({ id: NOTICE_ID, code: 'fleet-down', reason: code, problem, advice });

/** The first server that would be reached over a network without TLS, where that is not allowed. */
const plainServer = ({ servers, mayBePlain }: FleetConfig): string | undefined =>
  mayBePlain
    ? undefined
    : servers.find(server => server.startsWith('nats://') && !isLoopbackHost(hostOf(server)));

const hostOf = (server: string): string =>
  server
    .replace(/^[a-z]+:\/\//, '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');

const readCredentials = async (
  home: string,
  { credentials }: FleetConfig,
): Promise<
  | { readonly kind: 'read'; readonly text: string | undefined }
  | { readonly kind: 'failed'; readonly problem: FleetProblem }
> => {
  if (credentials === undefined) return { kind: 'read', text: undefined };
  const file = resolve(home, credentials);
  try {
    return { kind: 'read', text: await readFile(file, 'utf8') };
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return {
      kind: 'failed',
      problem: {
        code: 'fleet-credentials',
        file,
        problem: `The credentials of the fleet cannot be read from ${file} (${code}).`,
        advice: 'On the machine that has the fleet: plimsoll fleet add NODE; then copy the file it writes.',
      },
    };
  }
};

const notEncrypted = (server: string): FleetProblem => ({
  code: 'fleet-not-encrypted',
  server,
  problem: `${server} is reached without TLS, so who talks when would be open to whoever listens.`,
  advice: 'Write tls:// in [fleet], or allow it with plaintext = true.',
});

const NOTICE_ID = 'fleet';
