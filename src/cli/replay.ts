// `plimsoll up --replay`: takes the state of the process, and turns errors into two lines and a code.

import { resolve } from 'node:path';
import { systemClock } from '../clock/system-clock.ts';
import type { HostPort } from '../core/address/host-port.ts';
import { type ServedReplay, startReplay } from '../daemon/start-replay.ts';
import { RecordingError } from '../recording/recording-reader.ts';
import { endedBy, terminalText } from './command-error.ts';
import { asCommandError } from './daemon-start.ts';
import type { ProcessState } from './process-state.ts';

interface ReplayCommandOptions {
  readonly file: string;
  readonly speed: number;
  readonly http: HostPort | undefined;
  readonly onStarted: (served: ServedReplay) => Promise<void>;
}

/** Until somebody asks it to stop. @throws CommandError when it cannot start. */
export const runReplay = async (state: ProcessState, options: ReplayCommandOptions): Promise<void> => {
  await using replay = await startedReplay(state, options);
  await options.onStarted(replay);
  await replay.stopped;
};

const startedReplay = async (
  state: ProcessState,
  { file, speed, http }: ReplayCommandOptions,
): Promise<ServedReplay> => {
  try {
    return await startReplay(
      {
        path: resolve(state.cwd, file),
        speed,
        http,
        clock: systemClock,
        version: state.version,
        program: state.program,
        dashboardDir: state.dashboardDir,
        resources: () => state.resources(),
        onNotice: notice => void state.stderr.write(terminalText(notice)),
      },
      state.stop,
    );
  } catch (error) {
    throw error instanceof RecordingError ? endedBy('recording', error) : asCommandError(error);
  }
};
