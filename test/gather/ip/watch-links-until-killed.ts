// A process of its own that watches links until somebody kills it.

import { systemClock } from '../../../src/clock/system-clock.ts';
import { watchLinks } from '../../../src/gather/ip/link-watch.ts';

await watchLinks({
  env: process.env,
  clock: systemClock,
  signal: new AbortController().signal,
  onHint: () => {},
});
