// A process that starts a server for a comparison and reports when it answers, to be killed while it owns it:
// node server-starter.ts URL COMMAND LOG

import { startServer } from '../../src/bench/compare/started-server.ts';
import { SERVER_APIS } from '../../src/bench/target/api/server-apis.ts';
import { parseTargetUrl } from '../../src/bench/target/target-url.ts';
import { systemClock } from '../../src/clock/system-clock.ts';

const [url = '', command = '', log = ''] = process.argv.slice(2);
const target = parseTargetUrl(url);
if (target.kind === 'wrong') throw new Error(target.problem);
await startServer(
  {
    side: 'A',
    command,
    cwd: process.cwd(),
    log,
    env: process.env,
    nodePath: process.execPath,
    clock: systemClock,
    target: target.value,
    api: SERVER_APIS[0],
    headers: [],
    startMsMax: 60_000,
  },
  new AbortController().signal,
);
process.stdout.write('started\n');
setInterval(() => undefined, 60_000);
