// Regenerates the committed recording of the simulated eight-node cluster: `node test/recording/make-recording.ts`.
// On a virtual clock, so that the same sources give the same file. It begins while the GPU of anchor is being
// measured.

import { rmSync, statSync } from 'node:fs';
import { recordingFixture } from '../support/recording-fixture.ts';
import { recordWorld } from './recorded-world.ts';

rmSync(recordingFixture, { force: true });
await recordWorld(recordingFixture, { secondsBefore: 2, seconds: 45 });
process.stdout.write(`${recordingFixture}: ${statSync(recordingFixture).size} bytes\n`);
