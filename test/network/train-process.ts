// Sends one train of datagrams to an address where nobody answers, and prints how many its machine put on the wire.

import { systemClock } from '../../src/clock/system-clock.ts';
import { DatagramEnd } from '../../src/probe/socket/datagram-end.ts';

const [localAddress = '', remoteAddress = '', count = '0'] = process.argv.slice(2);
await using end = await DatagramEnd.open({
  localAddress,
  remoteAddress,
  port: 0,
  secret: '0123456789abcdef',
  sourceInterface: undefined,
  sockets: undefined,
  clock: systemClock,
});
const train = { train: 1, sizes: [1_200], count: Number(count), intervalUs: 500 };
process.stdout.write(String(await end.send(train, 4_199, AbortSignal.timeout(30_000))));
