// Runs the gatherer of port health on this network namespace, twice a second, and writes a line for each reading.

import { systemClock } from '../../src/clock/system-clock.ts';
import { machineAccess } from '../../src/gather/machine-access.ts';
import { linuxPortHealthGatherer } from '../../src/gather/port-health/linux-port-health-gatherer.ts';
import { runGatherers } from '../../src/gather/run-gatherers.ts';

const gatherer = linuxPortHealthGatherer(
  machineAccess({ env: {}, plimsollVersion: '0.0.0', intervals: { networkMs: 500 } }),
);
await runGatherers([gatherer], {
  clock: systemClock,
  signal: new AbortController().signal,
  sink: {
    reading: (_gatherer, _source, { value }) => process.stdout.write(`${JSON.stringify(value)}\n`),
    failure: (_gatherer, _kind, _source, reason) => process.stdout.write(`failed: ${reason}\n`),
    absence: () => {},
  },
});
