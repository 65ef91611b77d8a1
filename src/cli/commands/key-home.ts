// What the key commands share: their home, the keys in it, and how they report what they did.

import { HomeError, openHome, resolveHome } from '../../config/home.ts';
import { errorCode, type Problem } from '../../core/problem.ts';
import { type ClusterKey, parseClusterKey } from '../../mesh/key/cluster-key.ts';
import { type KeyFile, readClusterKey } from '../../mesh/key/key-file.ts';
import { homeOption, type Invocation } from '../command.ts';
import { CommandError, endedBy, terminalText } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';

export type StoredKeys = Extract<KeyFile, { kind: 'key' }>;

/** What a running daemon does with a key that was just written. */
export const WHEN_IT_COUNTS = 'A daemon that runs on this home uses it at once.';

/** Where the home is, whether or not it is there. */
export const homePath = (invocation: Invocation, state: ProcessState): string =>
  resolveHome({ ...state, option: invocation.option(homeOption) });

/** The home, made where it is missing. */
export const openKeyHome = async (invocation: Invocation, state: ProcessState): Promise<string> => {
  try {
    const { path, notices } = await openHome(homePath(invocation, state));
    await printNotices(state, notices);
    return path;
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    throw endedBy('homeUnusable', error);
  }
};

/** Of a home. Undefined where there is no such file. @throws CommandError for one that holds no key. */
export const keysAt = (path: string, state: ProcessState): Promise<StoredKeys | undefined> =>
  keysIn(path, state, 'Import it from another machine: plimsoll key import --replace -');

export const keyFromFile = async (path: string, state: ProcessState): Promise<ClusterKey> => {
  const stored = await keysIn(path, state, NAME_A_KEY_FILE);
  if (stored === undefined) throw new CommandError('clusterKey', `${path} is not there`, NAME_A_KEY_FILE);
  return stored.key;
};

const keysIn = async (path: string, state: ProcessState, advice: string): Promise<StoredKeys | undefined> => {
  const file = await readClusterKey(path);
  switch (file.kind) {
    case 'missing':
      return undefined;
    case 'wrong':
      throw new CommandError('clusterKey', file.problem, advice);
    case 'key':
      await printNotices(state, file.notices);
      return file;
    default:
      return file satisfies never;
  }
};

export const keyFromInput = async (state: ProcessState): Promise<ClusterKey> => {
  const parsed = parseClusterKey(await state.readInput(INPUT_BYTES_MAX));
  if (parsed.kind === 'key') return parsed.key;
  throw new CommandError(
    'clusterKey',
    `standard input has no cluster key: ${parsed.problem}`,
    'On the other machine run: plimsoll key show',
  );
};

/** @throws CommandError where the disk refuses. */
export const written = async (path: string, write: () => Promise<boolean>): Promise<boolean> => {
  try {
    return await write();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw new CommandError('clusterKey', `${path} cannot be written (${code})`, 'Choose another path.', {
      cause: error,
    });
  }
};

export const print = (state: ProcessState, lines: readonly string[]): Promise<void> =>
  state.stdout.write(`${lines.join('\n')}\n`);

export const report = async (state: ProcessState, lines: readonly string[]): Promise<void> => {
  for (const line of lines) await state.stderr.write(`plimsoll: ${line}\n`);
};

const printNotices = async (state: ProcessState, notices: readonly Problem[]): Promise<void> => {
  for (const notice of notices) await state.stderr.write(terminalText(notice));
};

const NAME_A_KEY_FILE =
  'Give the file that has the cluster key, or run on a machine that has it: plimsoll key show';
/** More than any key has; the rest is not read. */
const INPUT_BYTES_MAX = 4_096;
