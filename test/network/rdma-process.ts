// One end of an RDMA probe on a host of its own, by way of UCX over TCP. Prints JSON lines: the sink its port, then how it
// ended; the source the outcome.

import { measureRdmaLink, openRdmaSink } from '../../src/probe/rdma/rdma-link.ts';

interface Settings {
  readonly role: 'sink' | 'source';
  readonly device: string;
  readonly otherDevice: string;
  readonly address: string;
  readonly port: number;
  readonly ticket: string;
  readonly bytesMax: number;
}

const settings: Settings = JSON.parse(process.argv[2] ?? 'null');
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const isSink = settings.role === 'sink';
const common = {
  engines: ['ucx'],
  transport: 'tcp',
  sourceDevice: isSink ? settings.otherDevice : settings.device,
  sinkDevice: isSink ? settings.device : settings.otherDevice,
  ticket: settings.ticket,
  signal: stop.signal,
  env: process.env,
  nodePath: process.execPath,
  // Both ends of UCX spin on a processor each: where these are busy, the product's own deadlines pass.
  toolMsMax: 80_000,
  durationMsMax: 150_000,
} as const;

const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

if (isSink) {
  await using sink = await openRdmaSink({ ...common, host: settings.address, port: 0 });
  print({ port: sink.port });
  print(await sink.ended);
} else {
  print(
    await measureRdmaLink({
      ...common,
      address: settings.address,
      port: settings.port,
      budget: { bytesMax: settings.bytesMax, durationMsMax: 4_000, measuresExtras: true },
    }),
  );
}
