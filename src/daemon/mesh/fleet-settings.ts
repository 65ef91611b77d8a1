// The server in [fleet] of config.toml, made ready to connect: paths, credentials, and whether it may be reached without TLS.

import { resolve } from 'node:path';
import type { FleetConfig } from '../../config/config.ts';
import { isLoopbackHost } from '../../core/address/host-port.ts';
import { errorCode } from '../../core/problem.ts';
import type { FleetProblem } from '../../mesh/nats/fleet-problem.ts';
import { readInputText } from '../../process/input-file.ts';

interface ReadyServer {
  readonly servers: readonly string[];
  readonly credentials: string | undefined;
  readonly caFile: string | undefined;
  readonly isHandshakeFirst: boolean;
}

type FleetSettings =
  /** No server is named. */
  | { readonly kind: 'none' }
  | { readonly kind: 'ready'; readonly server: ReadyServer }
  | { readonly kind: 'failed'; readonly problem: FleetProblem };

export const fleetSettings = async (home: string, config: FleetConfig): Promise<FleetSettings> => {
  const { servers, credentials, ca, isHandshakeFirst } = config;
  if (servers.length === 0) return { kind: 'none' };
  const plain = plainServer(config);
  if (plain !== undefined) return { kind: 'failed', problem: notEncrypted(plain) };
  const caFile = ca === undefined ? undefined : resolve(home, ca);
  const server = { servers, credentials: undefined, caFile, isHandshakeFirst };
  if (credentials === undefined) return { kind: 'ready', server };
  const file = resolve(home, credentials);
  try {
    return { kind: 'ready', server: { ...server, credentials: await readInputText(file, 'secret') } };
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return { kind: 'failed', problem: noCredentials(file, code) };
  }
};

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

const notEncrypted = (server: string): FleetProblem => ({
  code: 'fleet-not-encrypted',
  server,
  problem: `${server} is reached without TLS, so anyone on the network could see which node sends, and when.`,
  advice: 'Write tls:// in [fleet], or allow it with plaintext = true.',
});

const noCredentials = (file: string, code: string): FleetProblem => ({
  code: 'fleet-credentials',
  file,
  problem: `The credentials of the fleet cannot be read from ${file} (${code}).`,
  advice: 'On the machine that has the fleet: plimsoll fleet add DIR ID; then copy the file it writes.',
});
