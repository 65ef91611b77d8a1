// A simulated run that announces itself to the daemon of a home, as `plimsoll bench` does.

import { join } from 'node:path';
import { RunReporter } from '../../src/bench/announce/run-reporter.ts';
import { systemClock } from '../../src/clock/system-clock.ts';
import type { SweepStageRef } from '../../src/core/sweep/sweep.ts';
import { readDaemonFile } from '../../src/daemon/daemon-file.ts';
import type { MadeUpRun } from './made-up-run.ts';

export const announceTo = (
  home: string,
  run: MadeUpRun,
  { durationMs = 300_000, sweep }: { readonly durationMs?: number; readonly sweep?: SweepStageRef } = {},
): RunReporter =>
  new RunReporter({
    findDaemon: async () => {
      const found = await readDaemonFile(join(home, 'daemon.json'));
      return found.kind === 'found' ? found.file : undefined;
    },
    clock: systemClock,
    config: run.config,
    directory: run.directory,
    limits: { samplesMax: undefined, durationMs },
    ...(sweep === undefined ? {} : { sweep }),
  });
