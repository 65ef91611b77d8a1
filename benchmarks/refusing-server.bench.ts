// How many requests two users send in 10 s to a server that refuses everything at once: a rejected key, and a gateway without
// a server behind it. Over real sockets, from one load thread in this process.

import { loadPlan } from '../test/bench/load/load-plan.ts';
import { runHere } from '../test/bench/load/run-here.ts';
import { scriptedServer } from '../test/bench/load/scripted-server.ts';
import { benchSeconds, printRow } from './bench-row.ts';

const refusal = (status: string, type: string, body: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const REFUSALS = [
  ['a wrong key', refusal('401 Unauthorized', 'application/json', '{"error":{"message":"wrong key"}}')],
  ['an instant 502 of a gateway', refusal('502 Bad Gateway', 'text/html', '<title>502 Bad Gateway</title>')],
] as const;

const seconds = benchSeconds(10);
for (const [what, reply] of REFUSALS) {
  await using server = await scriptedServer(({ socket }) => socket.write(reply));
  await runHere(
    loadPlan({
      ...server,
      pattern: { kind: 'concurrency', concurrency: 2 },
      limits: { samplesMax: undefined, durationNs: seconds * 1e9 },
    }),
  );
  printRow({
    what: `requests of 2 users to ${what}`,
    figure: server.requests.length,
    unit: 'requests',
    reach: { kind: 'at-most', value: 60 },
    method: `one run of ${seconds} s, as the server counts them`,
  });
}
