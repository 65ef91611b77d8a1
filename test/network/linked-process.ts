// A whole daemon for the tests of many at once: prints how many links it has, and how many frames it took for malformed,
// each time that changes. The first line reports that it is up.

import { systemClock } from '../../src/clock/system-clock.ts';
import { decodeMeshStatus } from '../../src/wire/mesh-status.ts';
import { daemonOnHost, type HostSettings } from './daemon-on-host.ts';

export interface SeenLinks {
  readonly links: number;
  readonly malformedFrames: number;
}

const settings: HostSettings = JSON.parse(process.argv[2] ?? '{}');
const { daemon, signal } = await daemonOnHost(settings);
let reported = '';
while (!signal.aborted) {
  const status = decodeMeshStatus(await (await fetch(`${daemon.url}/api/mesh`)).json());
  if (status?.kind !== 'on') throw new Error('there is no mesh here');
  const malformedFrames = status.replication['malformedFrames'] ?? Number.NaN;
  const text = JSON.stringify({ links: status.linkCount, malformedFrames } satisfies SeenLinks);
  if (text !== reported) process.stdout.write(`${text}\n`);
  reported = text;
  await systemClock.sleep(100, signal).catch(() => undefined);
}
await daemon.stopped;
