// What a benchmark needs of the process that runs it, for one run and for the runs of a sweep: its environment without secrets,
// new ids, the daemon, and its failures as two lines and a code. Brings ZeroMQ along: loaded late.

import { randomBytes } from 'node:crypto';
import type { DaemonAddress } from '../../bench/announce/daemon-requests.ts';
import { BenchError } from '../../bench/bench-error.ts';
import { benchEnvironment, withoutSecrets } from '../../bench/run/bench-environment.ts';
import { BENCH_SETTINGS, type BenchParts } from '../../bench/run/bench-parts.ts';
import { newId } from '../../bench/run/new-id.ts';
import { HeaderError } from '../../bench/target/http1/request-writer.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { HomeError, homeFiles } from '../../config/home.ts';
import { readDaemonFile } from '../../daemon/daemon-file.ts';
import { CommandError, endedBy } from '../command-error.ts';
import { localUrl } from '../daemon-client.ts';
import type { ExitName } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { partProvenance } from './run-provenance.ts';

/** The same for every run that it starts. */
export const benchProcess = (
  state: ProcessState,
): Pick<
  BenchParts,
  'clock' | 'env' | 'nodePath' | 'temporaryFolder' | 'version' | 'environment' | 'provenance' | 'settings'
> => ({
  clock: systemClock,
  env: withoutSecrets(state.env),
  nodePath: state.nodePath,
  temporaryFolder: state.temporaryFolder,
  version: state.version,
  environment: benchEnvironment(state),
  provenance: partProvenance(state),
  settings: BENCH_SETTINGS,
});

/** Another one each time. */
export const newRun = (id?: string): Pick<BenchParts, 'runId' | 'startedAt' | 'noncePrefix'> => ({
  runId: id ?? newId(),
  startedAt: new Date(systemClock.wallMs()).toISOString(),
  noncePrefix: randomBytes(4).toString('hex'),
});

/** The daemon of this home, as it is now. */
export const runningDaemon = async (
  home: string,
  { isAlive }: Pick<ProcessState, 'isAlive'>,
): Promise<DaemonAddress | undefined> => {
  const result = await readDaemonFile(homeFiles(home).daemon);
  if (result.kind !== 'found' || !isAlive(result.file.pid)) return undefined;
  const { url, token, socket } = result.file;
  return { url: localUrl(url), token, socket };
};

export const asBenchCommandError = (error: unknown): unknown => {
  if (error instanceof HeaderError)
    return new CommandError('usage', error.message, 'Change it, or leave it out.', { cause: error });
  const isOurs = error instanceof BenchError || error instanceof HomeError;
  if (!isOurs) return error;
  const exit = error instanceof HomeError ? 'homeUnusable' : EXITS[error.code];
  return endedBy(exit, error);
};

const EXITS: Readonly<Record<BenchError['code'], ExitName>> = {
  input: 'benchInput',
  unreachable: 'benchUnreachable',
  'run-directory': 'benchRunDirectory',
  failed: 'failure',
  'prompts-differ': 'failure',
  rejected: 'benchStopped',
};
