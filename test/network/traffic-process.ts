// Runs the gatherer of traffic on this network namespace and writes a line for each reading: when it came, and its content.

import { systemClock } from '../../src/clock/system-clock.ts';
import { machineAccess } from '../../src/gather/machine-access.ts';
import { linuxTrafficGatherer } from '../../src/gather/procfs/linux-traffic-gatherer.ts';
import { runGatherers } from '../../src/gather/run-gatherers.ts';

const gatherer = linuxTrafficGatherer(machineAccess({ env: {}, plimsollVersion: '0.0.0' }));
await runGatherers([gatherer], {
  clock: systemClock,
  signal: new AbortController().signal,
  sink: {
    reading: (_gatherer, _source, { value }) =>
      process.stdout.write(`${JSON.stringify({ atMs: performance.now(), value })}\n`),
    failure: (_gatherer, _kind, _source, reason) => process.stdout.write(`failed: ${reason}\n`),
    absence: () => {},
  },
});
