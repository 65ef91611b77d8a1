// `plimsoll key new|show|import`: the key of a cluster, made on one machine and brought to the others. The key itself is
// never an argument, which others on a machine could see.

import { resolve } from 'node:path';
import { HomeError, openHome, resolveHome } from '../../config/home.ts';
import type { ClusterKey } from '../../mesh/key/cluster-key.ts';
import { clusterKeyText, makeClusterKey, parseClusterKey } from '../../mesh/key/cluster-key.ts';
import {
  clusterKeyPath,
  createClusterKeyFile,
  readClusterKey,
  replaceClusterKeyFile,
} from '../../mesh/key/key-file.ts';
import { errorCode } from '../../process/atomic-file.ts';
import type { Command, Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Option } from '../options.ts';
import { flag, homeOption, nonEmpty, value } from '../options.ts';
import type { ProcessState } from '../process-state.ts';

const outOption: Option<string | undefined> = value({
  name: 'out',
  valueName: 'FILE',
  meaning: 'Write the key to this new file instead of the home.',
  parse: nonEmpty,
});
const joinOption: Option<boolean> = flag('join', 'Print the line that brings the key to another machine.');
const replaceOption: Option<boolean> = flag('replace', 'Take the place of another key in the home.');

export const keyNewCommand: Command = {
  name: 'key new',
  summary: 'Make the key of a new cluster',
  description:
    'Writes 256 random bits to <home>/cluster-key, for nobody else to read. A key that is there is never replaced. A daemon uses it from its next start on.',
  arguments: [],
  options: [homeOption, outOption],
  examples: [
    { line: 'plimsoll key new', meaning: 'on the first machine of a cluster' },
    { line: 'plimsoll key new --out cluster.key', meaning: 'to hand it out by your own means' },
  ],
  run: async (invocation, state) => {
    const out = invocation.option(outOption);
    const path = out === undefined ? clusterKeyPath(await home(invocation, state)) : resolve(state.cwd, out);
    const key = makeClusterKey();
    const isNew = await written(path, () => createClusterKeyFile(path, key));
    if (!isNew) {
      throw new CommandError(
        'clusterKey',
        `${path} is there already and stays as it is`,
        out === undefined ? 'See it with: plimsoll key show' : 'Name a file that is not there yet.',
      );
    }
    await say(state, [
      `Cluster key ${key.id} is in ${path}.`,
      ...(out === undefined ? ['Bring it to the other machines with: plimsoll key show --join'] : []),
      FROM_NEXT_START,
    ]);
    return EXIT_CODES.ok.code;
  },
};

export const keyShowCommand: Command = {
  name: 'key show',
  summary: 'Print the cluster key of this home',
  description: 'Whoever has it is a member of the cluster: show it to nobody else.',
  arguments: [],
  options: [homeOption, joinOption],
  examples: [
    { line: 'plimsoll key show --join', meaning: 'the one line to run on the other machine' },
    { line: 'plimsoll key show | ssh boreas plimsoll key import -', meaning: 'without any screen between' },
  ],
  run: async (invocation, state) => {
    const path = clusterKeyPath(homePath(invocation, state));
    const key = await keyAt(path, state);
    if (key === undefined) {
      throw new CommandError(
        'clusterKey',
        `there is no cluster key in ${path}`,
        'Make one with: plimsoll key new',
      );
    }
    const text = clusterKeyText(key);
    if (!invocation.option(joinOption)) {
      await state.stdout.write(`${text}\n`);
      return EXIT_CODES.ok.code;
    }
    // printf is part of the shell: the key is in no process's arguments.
    await state.stdout.write(`printf '%s\\n' '${text}' | plimsoll key import -\n`);
    await tell(state, [
      'Run this line on the other machine. It holds the key, and its shell may remember it.',
    ]);
    return EXIT_CODES.ok.code;
  },
};

export const keyImportCommand: Command = {
  name: 'key import',
  summary: 'Take over the cluster key of another machine',
  description:
    'Writes it to <home>/cluster-key, for nobody else to read. A daemon uses it from its next start on.',
  arguments: [
    { name: 'FILE', meaning: 'The file that has the key; - for standard input.', isRequired: true },
  ],
  options: [homeOption, replaceOption],
  examples: [
    { line: 'plimsoll key import cluster.key', meaning: 'from a file' },
    { line: 'plimsoll key import --replace -', meaning: 'from standard input, in place of another key' },
  ],
  run: async (invocation, state) => {
    const [file = '-'] = invocation.arguments;
    const key = file === '-' ? await keyFromInput(state) : await keyFromFile(resolve(state.cwd, file), state);
    const path = clusterKeyPath(await home(invocation, state));
    const isReplacing = invocation.option(replaceOption);
    const held = isReplacing ? undefined : await keyAt(path, state);
    if (held?.id === key.id) {
      await say(state, [`${path} has this cluster key already.`, FROM_NEXT_START]);
      return EXIT_CODES.ok.code;
    }
    const isWritten = await written(path, async () => {
      if (!isReplacing) return createClusterKeyFile(path, key);
      await replaceClusterKeyFile(path, key);
      return true;
    });
    if (!isWritten) {
      throw new CommandError(
        'clusterKey',
        `${path} has another cluster key, and it stays`,
        'To leave that cluster, run this again with --replace.',
      );
    }
    await say(state, [`Cluster key ${key.id} is in ${path}.`, FROM_NEXT_START]);
    return EXIT_CODES.ok.code;
  },
};

const homePath = (invocation: Invocation, state: ProcessState): string =>
  resolveHome({ ...state, option: invocation.option(homeOption) });

const home = async (invocation: Invocation, state: ProcessState): Promise<string> => {
  try {
    const { path, notices } = await openHome(homePath(invocation, state));
    await tell(state, notices);
    return path;
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    const [problem = '', advice = ''] = error.message.split('\n');
    throw new CommandError('homeUnusable', problem, advice, { cause: error });
  }
};

const keyAt = async (path: string, state: ProcessState): Promise<ClusterKey | undefined> => {
  const file = await readClusterKey(path);
  switch (file.kind) {
    case 'missing':
      return undefined;
    case 'wrong':
      throw new CommandError(
        'clusterKey',
        file.problem,
        'Take it from another machine: plimsoll key import --replace -',
      );
    case 'key':
      await tell(state, file.notices);
      return file.key;
    default:
      return file satisfies never;
  }
};

const keyFromFile = async (path: string, state: ProcessState): Promise<ClusterKey> => {
  const key = await keyAt(path, state);
  if (key === undefined)
    throw new CommandError('clusterKey', `${path} is not there`, 'Name the file that has the cluster key.');
  return key;
};

const keyFromInput = async (state: ProcessState): Promise<ClusterKey> => {
  const parsed = parseClusterKey(await state.readInput(INPUT_BYTES_MAX));
  if (parsed.kind === 'key') return parsed.key;
  throw new CommandError(
    'clusterKey',
    `standard input holds no cluster key: ${parsed.problem}`,
    'On the other machine run: plimsoll key show --join',
  );
};

/** @throws CommandError where the disk refuses. */
const written = async (path: string, write: () => Promise<boolean>): Promise<boolean> => {
  try {
    return await write();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw new CommandError('clusterKey', `${path} cannot be written (${code})`, 'Name another place.', {
      cause: error,
    });
  }
};

const say = (state: ProcessState, lines: readonly string[]): Promise<void> =>
  state.stdout.write(`${lines.join('\n')}\n`);

const tell = async (state: ProcessState, lines: readonly string[]): Promise<void> => {
  for (const line of lines) await state.stderr.write(`plimsoll: ${line}\n`);
};

const FROM_NEXT_START = 'A daemon uses it from its next start on: plimsoll up';
/** More than any key has; the rest is not read. */
const INPUT_BYTES_MAX = 4_096;
