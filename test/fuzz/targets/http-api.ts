// The daemon's HTTP server over a folded state: requests of any bytes on a connection of their own. It answers each of them, or closes;
// no answer is 500, and nothing is logged as a failure.

import type { ApiRoute } from '../../../src/daemon/http/route.ts';
import { SELF, serveCluster, TOKEN } from '../../daemon/http/served-cluster.ts';
import { type FuzzTarget, textSeeds } from '../fuzz-target.ts';
import { type FuzzedCluster, fuzzedCluster } from '../fuzzed-cluster.ts';
import { answerOf } from '../socketless-http.ts';

let served: Promise<FuzzedCluster> | undefined;

const routes = async (): Promise<readonly ApiRoute[]> => {
  await using cluster = await serveCluster();
  return [...cluster.server.served];
};
const ROUTES = await routes();

const QUERIES = [
  '/api/state/nodeIdentities',
  '/api/nodes/left',
  '/api/links?node=left',
  '/api/history?from=1',
  '/api/groups?by=rack',
  '/metrics?format=x',
  '/../x%00',
];

const HEAD = `Host: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\n`;
const BODIES = ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}', '{"kind":"x","name":"left"}'];

export const target: FuzzTarget = {
  name: 'http-api',
  covers: ['src/daemon/http'],
  seeds: () =>
    textSeeds(
      ...QUERIES.map(path => `GET ${path} HTTP/1.1\r\n${HEAD}\r\n`),
      ...ROUTES.flatMap(({ method, path }) => {
        const line = `${method} ${path.replaceAll(/\{\w+\}/g, SELF)} HTTP/1.1\r\n${HEAD}`;
        return method === 'GET'
          ? [`${line}\r\n`]
          : BODIES.map(
              body =>
                `${line}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
            );
      }),
    ),
  run: async input => {
    served ??= fuzzedCluster();
    const {
      cluster: { warnings },
      server,
    } = await served;
    const reported = await answerOf(server, input);
    if (reported !== '' && !/^HTTP\/1\.1 (1\d\d|[234]\d\d|503) /.test(reported))
      throw new Error(`it answers ${JSON.stringify(reported.slice(0, 60))}`);
    if (reported.startsWith('HTTP/1.1 429'))
      throw new Error('it refuses what it is asked for coming too often');
    if (warnings.length > 0) throw new Error(`it logs ${warnings[0]}`);
  },
  close: async () => {
    const running = await served;
    served = undefined;
    await running?.cluster[Symbol.asyncDispose]();
  },
};
