// The provenance of a run, as far as it is known before the run: this machine and its limits, the node with its measurements, the
// commit of a named folder, the command line. What cannot be determined is unknown with a reason, and does not delay a run for
// long.

import { version as kernelBuild, release, type as systemName, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { withoutSecrets } from '../../bench/run/bench-environment.ts';
import type { CallProvenance } from '../../bench/run/bench-parts.ts';
import { BANDWIDTH, FP16_RATE } from '../../core/node/gpu-profile.ts';
import { errorMessage } from '../../core/problem.ts';
import {
  CALL_ARGUMENTS_MAX,
  CALL_LENGTH_MAX,
  type CallFile,
  CEILINGS_MAX,
  type GitProvenance,
  type KeptCall,
  type MachineProvenance,
  type MeasuredCeiling,
  type NodeProvenance,
} from '../../core/run/provenance.ts';
import type { SweepResume } from '../../core/sweep/sweep-document.ts';
import { singleLine } from '../../core/text/single-line.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { directoryFiles } from '../../gather/directory-files.ts';
import { isUnreadable } from '../../gather/machine-files.ts';
import { readCpuLimit, readMemoryLimit } from '../../gather/procfs/cpu-limit.ts';
import { runTool } from '../../process/child.ts';
import { CommandError } from '../command-error.ts';
import { findDaemon } from '../daemon-client.ts';
import type { ProcessState } from '../process-state.ts';

interface ProvenanceOptions {
  readonly home: string;
  /** As it was given. */
  readonly noteGit: string | undefined;
  readonly call: Reported<KeptCall>;
}

/** @throws CommandError `usage` when the folder of --note-git is in no repository; the reason of `stop`. */
export const runProvenance = async (
  state: ProcessState,
  { home, noteGit, call }: ProvenanceOptions,
): Promise<CallProvenance> => {
  const [node, git] = await Promise.all([ownNode(home, state), gitProvenance(noteGit, state)]);
  return { machine: machineProvenance(state), node, git, call };
};

/** The provenance of a part of something larger, until more is known. */
export const partProvenance = (state: Pick<ProcessState, 'platform'>): CallProvenance => ({
  machine: machineProvenance(state),
  node: PART,
  git: PART,
  call: PART,
});

/** Of each stage of a sweep or line and of each segment of a comparison. @throws as runProvenance */
export const stageProvenance = async (
  state: ProcessState,
  options: Omit<ProvenanceOptions, 'call'>,
): Promise<CallProvenance> =>
  await runProvenance(state, { ...options, call: unknown('started by the command of the parent folder') });

/** Bounded: a longer command line is reported as too long. */
export const keptCall = (
  { args, cwd, secrets }: SweepResume,
  file: CallFile | undefined,
): Reported<KeptCall> =>
  args.length > CALL_ARGUMENTS_MAX || args.join(' ').length > CALL_LENGTH_MAX
    ? unknown('the command line is too long to store')
    : {
        command: 'bench',
        args,
        cwd,
        secrets,
        ...(file === undefined || file.text.length > FILE_LENGTH_MAX ? {} : { file }),
      };

/** Of one run of --repeat: alone, with its own seed. */
export const callOfOneRun = (call: Reported<KeptCall>, seed: number): Reported<KeptCall> => {
  if (isUnknown(call)) return call;
  const args: string[] = [];
  for (let at = 0; at < call.args.length; at += 1) {
    const word = call.args[at] ?? '';
    const own = /^--(repeat|seed)(=|$)/.exec(word);
    if (own === null) args.push(word);
    else if (own[2] === '') at += 1;
  }
  return { ...call, args: [...args, '--seed', String(seed)] };
};

const machineProvenance = ({ platform }: Pick<ProcessState, 'platform'>): MachineProvenance => {
  const memoryBytes = totalmem();
  const machine = {
    kernel: singleLine(`${systemName()} ${release()} ${kernelBuild()}`).slice(0, TEXT_LENGTH_MAX),
    memoryBytes,
  };
  if (platform !== 'linux') {
    const reason = unknown(`${platform} has no files that report it`);
    return { ...machine, governor: reason, cpuLimit: reason, memoryLimitBytes: reason };
  }
  const files = directoryFiles('/');
  const governor = files.textNow(GOVERNOR);
  const cpu = readCpuLimit(files);
  const memory = readMemoryLimit(files, memoryBytes);
  return {
    ...machine,
    governor: isUnreadable(governor)
      ? unknown('not reported by the system')
      : singleLine(governor).slice(0, TEXT_LENGTH_MAX),
    cpuLimit: cpu.kind === 'limited' ? cpu.cpus : NO_LIMIT,
    memoryLimitBytes: memory.kind === 'limited' ? memory.bytes : NO_LIMIT,
  };
};

/** Its daemon is asked once, and not waited for. */
const ownNode = async (home: string, state: ProcessState): Promise<Reported<NodeProvenance>> => {
  const over = AbortSignal.any([state.stop, AbortSignal.timeout(NODE_MS_MAX)]);
  try {
    const client = await findDaemon(home, state);
    const { listedNodeSchema } = await loadAnswers();
    const node = await client.answer(listedNodeSchema, '/api/nodes/self', over);
    const measured = [node.cpu, ...node.gpus.flatMap(({ devices }) => devices)];
    const ceilings = measured.flatMap(({ profile }): MeasuredCeiling[] => {
      if (isUnknown(profile)) return [];
      const { value, ageMs } = profile;
      if (isKnown(value.failure) && isUnknown(value[BANDWIDTH.figure])) return [];
      return [
        {
          device: `${value.deviceName}, ${value.engine}`.slice(0, TEXT_LENGTH_MAX),
          isLowerBound: value.isLowerBound,
          [FP16_RATE.figure]: value[FP16_RATE.figure],
          [BANDWIDTH.figure]: value[BANDWIDTH.figure],
          ageMs: ageMs + value.measuredAgeMs,
        },
      ];
    });
    return { id: node.nodeId, name: node.name, ceilings: ceilings.slice(0, CEILINGS_MAX) };
  } catch (error) {
    state.stop.throwIfAborted();
    if (error instanceof CommandError || over.aborted) {
      const reason = error instanceof CommandError ? error.problem.problem : errorMessage(error);
      return unknown(singleLine(reason).slice(0, TEXT_LENGTH_MAX));
    }
    throw error;
  }
};

/** Like `git status` run by the user that named the folder, but without the monitors and hooks that the repository configures. */
const gitProvenance = async (
  noteGit: string | undefined,
  state: ProcessState,
): Promise<Reported<GitProvenance>> => {
  if (noteGit === undefined) return unknown('no folder was named with --note-git');
  const folder = resolve(state.cwd, noteGit);
  const git = async (...args: readonly string[]): Promise<string> => {
    const result = await runTool('git', ['-C', folder, ...HARMLESS, ...args], {
      env: { ...withoutSecrets(state.env), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
      signal: state.stop,
      timeoutMs: GIT_MS_MAX,
    });
    if (result.kind === 'exited' && result.code === 0) return result.stdout;
    const reason = result.kind === 'exited' ? (result.stderr.trim().split('\n')[0] ?? '') : result.reason;
    throw new CommandError(
      'usage',
      `--note-git ${noteGit}: ${singleLine(reason).slice(0, TEXT_LENGTH_MAX)}`,
      'Name a folder of a git repository with a commit, or leave it out.',
    );
  };
  const commit = (await git('rev-parse', '--verify', 'HEAD')).trim();
  const isDirty = (await git('status', '--porcelain', '--ignore-submodules')).trim() !== '';
  return { commit, isDirty };
};

/** Loaded late: a run without a daemon needs none of it. */
const loadAnswers = () => import('../../wire/api/cluster-answers.ts');

const PART = unknown('a part of something else');
const NO_LIMIT = unknown('no control group limits it');
const GOVERNOR = '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor';
const HARMLESS = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
const TEXT_LENGTH_MAX = 300;
const NODE_MS_MAX = 1_000;
const GIT_MS_MAX = 10_000;
/** Characters, as the schema of a call accepts. */
const FILE_LENGTH_MAX = 16_384;
