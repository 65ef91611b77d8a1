// Run by a test inside a network namespace: prints each reading of the network as a line of JSON, and runs `ip` with the
// words of each line that it is given.

import { execFileSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { linuxNetworkGatherer } from '../../../src/gather/ip/linux-network-gatherer.ts';
import { runGatherers } from '../../../src/gather/run-gatherers.ts';
import { machineForTest } from '../machine-for-test.ts';

const ending = new AbortController();
const print = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
};

createInterface(process.stdin)
  .on('line', line => execFileSync('ip', line.split(' '), { stdio: ['ignore', 2, 2] }))
  .on('close', () => ending.abort());

await runGatherers(
  [
    linuxNetworkGatherer(
      machineForTest({
        root: '/',
        env: process.env,
        // So long that only a notification of the kernel can cause a second reading.
        intervals: { networkMs: 3_600_000 },
        timeouts: { kernelMs: 20_000 },
      }),
    ),
  ],
  {
    clock: systemClock,
    signal: ending.signal,
    sink: {
      reading: (_gatherer, _source, reading) => print(reading.value),
      failure: (_gatherer, _kind, source, reason) => print({ source, reason }),
      absence: (_gatherer, _kind, source, reason) => print({ source, reason }),
    },
  },
);
