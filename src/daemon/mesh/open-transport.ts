// The TLS transport of a daemon's mesh, listening.

import { BEACON_PORT } from '../../mesh/discovery/limits.ts';
import type { ClusterKey } from '../../mesh/key/cluster-key.ts';
import { MeshError } from '../../mesh/mesh.ts';
import type { JoinCredentials } from '../../mesh/tls/join-code-service.ts';
import { TlsMesh } from '../../mesh/tls/tls-mesh.ts';
import { DaemonError } from '../daemon-error.ts';
import type { DaemonMeshParts } from './daemon-mesh-parts.ts';

/**
 * If a default port is taken, the next free one is used; a configured one is never replaced.
 * @throws DaemonError `address-in-use`.
 */
export const openTransport = async (
  { listen, key: identity, journal, clock, notices }: DaemonMeshParts,
  keys: readonly ClusterKey[],
  credentials: JoinCredentials,
): Promise<TlsMesh> => {
  const last = listen.isExplicit || listen.port === 0 ? listen.port : listen.port + PORTS_TRIED_MAX;
  for (let port = listen.port; ; port += 1) {
    const made = new TlsMesh({
      identity,
      start: journal.startNumber,
      keys,
      joinCredentials: credentials,
      listen: { host: listen.host, port },
      clock,
      random: Math.random,
    });
    try {
      await made.listen();
      if (port !== listen.port)
        notices.raise({
          id: 'mesh-port-taken',
          code: 'mesh-port-taken',
          port: listen.port,
          portUsed: port,
          problem: `Mesh port ${listen.port} is taken; using ${port}.`,
          advice: '',
        });
      return made;
    } catch (error) {
      await made[Symbol.asyncDispose]();
      if (!(error instanceof MeshError)) throw error;
      if (error.code !== 'address-in-use' || port >= last)
        throw new DaemonError({ ...error.problem, code: 'address-in-use' }, { cause: error });
      // The same number is wanted for UDP, where that one belongs to the beacons of everybody on this machine.
      if (port + 1 === BEACON_PORT) port += 1;
    }
  }
};

const PORTS_TRIED_MAX = 50;
