// The committed recording of the simulated eight-node mixed cluster, 45 s: for `plimsoll up --replay` in browser tests.

import { fileURLToPath } from 'node:url';

export const recordingFixture: string = fileURLToPath(
  new URL('../fixtures/recording/mixed-eight.plimsoll', import.meta.url),
);
