// A folded state of every kind of fact behind the daemon's HTTP server, for targets that ask it.

import type { Server } from 'node:http';
import fc from 'fast-check';
import { arbitraryFact } from '../core/arbitrary-event.ts';
import {
  identityFact,
  memoryFact,
  SELF,
  type ServedCluster,
  serveCluster,
} from '../daemon/http/served-cluster.ts';
import { serverBehind } from './socketless-http.ts';

export interface FuzzedCluster {
  readonly cluster: ServedCluster;
  readonly server: Server;
}

export const fuzzedCluster = async (): Promise<FuzzedCluster> => {
  // Its clock does not move: with the normal limits it would refuse all but the first thousand.
  const cluster = await serveCluster({ limits: { requestsPerSecondMax: 1e12, refusalsPerMinuteMax: 1e12 } });
  cluster.report(
    SELF,
    identityFact('left'),
    memoryFact(1e9),
    ...fc.sample(arbitraryFact, { seed: 5, numRuns: 20 }),
  );
  return { cluster, server: await serverBehind(cluster.port) };
};
