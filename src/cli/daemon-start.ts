// Starts a daemon for a command: takes the state of the process, and turns errors into two lines and a code.

import { withoutSecrets } from '../bench/run/bench-environment.ts';
import { systemClock } from '../clock/system-clock.ts';
import type { HostPort } from '../core/address/host-port.ts';
import { errorCode } from '../core/problem.ts';
import { startDaemon } from '../daemon/daemon.ts';
import { DaemonError } from '../daemon/daemon-error.ts';
import type { Daemon, LogOutput, MeshOptions, ProbeOptions } from '../daemon/daemon-options.ts';
import type { Notice } from '../wire/notice.ts';
import { CommandError, endedBy } from './command-error.ts';
import type { ExitName } from './exit-codes.ts';
import type { ProcessState } from './process-state.ts';

export interface DaemonStart {
  readonly home: string;
  readonly http: HostPort | undefined;
  readonly name: string | undefined;
  readonly mesh: MeshOptions;
  /** Undefined: nothing is measured. */
  readonly probes: ProbeOptions | undefined;
  /** Undefined: the value in config.toml. */
  readonly otlpEndpoint?: string | undefined;
  readonly onNotice: (notice: Notice) => void;
  /** Undefined: no log is written. */
  readonly logOutput?: LogOutput | undefined;
}

/** @throws CommandError when the daemon cannot start, with its reason. */
export const startDaemonFor = async (state: ProcessState, start: DaemonStart): Promise<Daemon> => {
  const { probes, logOutput, ...rest } = start;
  try {
    return await startDaemon(
      {
        ...rest,
        ...(probes === undefined ? {} : { probes }),
        ...(logOutput === undefined ? {} : { logOutput }),
        env: state.env,
        // A request must not learn a key of this user by naming an endpoint of its own.
        jobs: {
          nodePath: state.nodePath,
          script: state.script,
          env: withoutSecrets(state.env),
          kinds: async () => (await import('./job-kinds.ts')).loadJobKinds(),
        },
        clock: systemClock,
        platform: state.platform,
        root: '/',
        version: state.version,
        program: state.program,
        dashboardDir: state.dashboardDir,
        pid: state.pid,
        resources: () => state.resources(),
      },
      state.stop,
    );
  } catch (error) {
    throw asCommandError(error);
  }
};

/** The reason of a daemon, or of the disk of its home, for not starting; any other error is returned unchanged. */
export const asCommandError = (error: unknown): unknown =>
  error instanceof DaemonError ? endedBy(EXITS[error.code], error) : (fullDiskError(error) ?? error);

const fullDiskError = (error: unknown): CommandError | undefined => {
  const problem = DISK_PROBLEMS.get(errorCode(error) ?? '');
  if (problem === undefined) return undefined;
  return new CommandError(
    'homeUnusable',
    `the home cannot be written: ${problem}`,
    'Free space there, or choose another folder with --home DIR.',
    { cause: error },
  );
};

const DISK_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'its disk is full'],
  ['EDQUOT', 'the quota of its disk is used up'],
  ['EROFS', 'its disk is read-only'],
]);

const EXITS: Readonly<Record<DaemonError['code'], ExitName>> = {
  'home-in-use': 'homeInUse',
  'home-unusable': 'homeUnusable',
  'address-in-use': 'addressInUse',
};
