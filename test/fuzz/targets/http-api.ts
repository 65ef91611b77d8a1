// The daemon's HTTP server over a folded state: requests of any bytes on a connection of their own. It answers each of them, or closes;
// no answer is 500, and nothing is logged as a failure.

import { connect } from 'node:net';
import fc from 'fast-check';
import { arbitraryFact } from '../../core/arbitrary-event.ts';
import type { ServedCluster } from '../../daemon/http/served-cluster.ts';
import { identityFact, memoryFact, SELF, serveCluster, TOKEN } from '../../daemon/http/served-cluster.ts';
import type { FuzzTarget } from '../fuzz-target.ts';
import { textSeeds } from '../fuzz-target.ts';

let served: Promise<ServedCluster> | undefined;

const start = async (): Promise<ServedCluster> => {
  const cluster = await serveCluster();
  cluster.tell(
    SELF,
    identityFact('left'),
    memoryFact(1e9),
    ...fc.sample(arbitraryFact, { seed: 5, numRuns: 20 }),
  );
  return cluster;
};

/** The first bytes of the answer; '' where the connection was closed without one. */
const answerTo = async (port: number, bytes: Uint8Array): Promise<string> => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(port, '127.0.0.1');
  socket.on('data', chunk => resolve(chunk.toString('latin1')));
  socket.on('error', () => resolve(''));
  socket.on('close', () => resolve(''));
  socket.end(bytes);
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
};

const GET = [
  '/api/state',
  '/api/state/nodeIdentities',
  '/api/nodes',
  '/api/nodes/left',
  '/api/links?node=left',
  '/api/history?from=1',
  '/api/groups?by=rack',
  '/api/groups/links',
  '/api/headroom',
  '/api/mesh',
  '/metrics',
  '/api/runs/a/series',
  '/openapi.json',
  '/healthz',
  '/api/stream',
  '/../x%00',
];

export const target: FuzzTarget = {
  name: 'http-api',
  covers: ['src/daemon/http'],
  seeds: () =>
    textSeeds(
      ...GET.map(path => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`),
      ...['/mcp', '/api/probes', '/api/mesh/join'].map(path => {
        const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}';
        return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      }),
    ),
  run: async input => {
    served ??= start();
    const { port, warnings } = await served;
    const said = await answerTo(port, input);
    if (said !== '' && !/^HTTP\/1\.1 (1\d\d|[234]\d\d|503) /.test(said))
      throw new Error(`it answers ${JSON.stringify(said.slice(0, 60))}`);
    if (warnings.length > 0) throw new Error(`it logs ${warnings[0]}`);
  },
  close: async () => {
    const cluster = await served;
    served = undefined;
    await cluster?.[Symbol.asyncDispose]();
  },
};
