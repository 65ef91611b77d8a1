// A process of its own that watches links until somebody kills it.

import { systemClock } from '../../../src/clock/system-clock.ts';
import { watchLinks } from '../../../src/gather/ip/link-watch.ts';
import { ownTools } from '../../../src/gather/machine-tools.ts';

await watchLinks({
  tools: ownTools(process.env),
  clock: systemClock,
  signal: new AbortController().signal,
  onHint: () => {},
});
