// One end of a probe of a socket connection: `sink` prints its port, `source HOST PORT` the outcome.

import { measureSocketLink, openSocketSink } from '../../src/probe/socket/socket-link.ts';

const [role, address = '', port = ''] = process.argv.slice(2);
const common = {
  ticket: '7QKF-M2XW-9TBD',
  signal: AbortSignal.timeout(60_000),
  env: process.env,
  nodePath: process.execPath,
};

if (role === 'sink') {
  const sink = await openSocketSink({ host: '::', port: 0, ...common });
  process.stdout.write(`${sink.port}\n`);
  await sink.ended;
} else {
  const budget = { bytesMax: 32e9, durationMsMax: 20_000, measuresExtras: true };
  const outcome = await measureSocketLink({ address, port: Number(port), budget, ...common });
  process.stdout.write(JSON.stringify(outcome));
}
