// `plimsoll key new|show|import`: the key of a cluster, made on one machine and brought to the others. The key itself is
// never an argument, which others on a machine could see.

import { resolve } from 'node:path';
import type { ClusterKey } from '../../mesh/key/cluster-key.ts';
import { clusterKeyText, makeClusterKey } from '../../mesh/key/cluster-key.ts';
import { clusterKeyPath, createClusterKeyFile, replaceClusterKeyFile } from '../../mesh/key/key-file.ts';
import type { Command, Option } from '../command.ts';
import { flag, homeOption, nonEmpty, value } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import type { HeldKeys } from './key-home.ts';
import {
  homePath,
  keyFromFile,
  keyFromInput,
  keysAt,
  openKeyHome,
  say,
  tell,
  WHEN_IT_COUNTS,
  written,
} from './key-home.ts';

const outOption: Option<string | undefined> = value({
  name: 'out',
  valueName: 'FILE',
  meaning: 'Write the key to this new file instead of the home.',
  parse: nonEmpty,
});
const joinOption: Option<boolean> = flag('join', 'Print the line that brings the key to another machine.');
const replaceOption: Option<boolean> = flag('replace', 'Take the place of another key in the home, at once.');
const rotateOption: Option<boolean> = flag(
  'rotate',
  'Take the place of another key in the home, which stays accepted until: plimsoll key drop-old',
);

export const keyNewCommand: Command = {
  name: 'key new',
  summary: 'Make the key of a new cluster',
  description:
    'Writes 256 random bits to <home>/cluster-key, for nobody else to read. A key that is there is never replaced.',
  arguments: [],
  options: [homeOption, outOption],
  examples: [
    { line: 'plimsoll key new', meaning: 'on the first machine of a cluster' },
    { line: 'plimsoll key new --out cluster.key', meaning: 'to hand it out by your own means' },
  ],
  run: async (invocation, state) => {
    const out = invocation.option(outOption);
    const path =
      out === undefined ? clusterKeyPath(await openKeyHome(invocation, state)) : resolve(state.cwd, out);
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
      WHEN_IT_COUNTS,
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
    const { held } = await heldKeys(homePath(invocation, state), state);
    const text = clusterKeyText(held.key);
    if (held.former !== undefined)
      await tell(state, [`the former key ${held.former.id} is still accepted here.`]);
    if (!invocation.option(joinOption)) {
      await state.stdout.write(`${text}\n`);
      return EXIT_CODES.ok.code;
    }
    // printf is part of the shell: the key is in no process's arguments.
    const how = held.former === undefined ? '-' : '--rotate -';
    await state.stdout.write(`printf '%s\\n' '${text}' | plimsoll key import ${how}\n`);
    await tell(state, [
      'Run this line on the other machine. It holds the key, and its shell may remember it.',
    ]);
    return EXIT_CODES.ok.code;
  },
};

export const keyImportCommand: Command = {
  name: 'key import',
  summary: 'Take over the cluster key of another machine',
  description: 'Writes it to <home>/cluster-key, for nobody else to read.',
  arguments: [
    { name: 'FILE', meaning: 'The file that has the key; - for standard input.', isRequired: true },
  ],
  options: [homeOption, replaceOption, rotateOption],
  examples: [
    { line: 'plimsoll key import cluster.key', meaning: 'from a file' },
    { line: 'plimsoll key import --replace -', meaning: 'from standard input, in place of another key' },
    {
      line: 'plimsoll key import --rotate -',
      meaning: 'the next key of this cluster; the one before stays accepted',
    },
  ],
  run: async (invocation, state) => {
    const isReplacing = invocation.option(replaceOption);
    if (isReplacing && invocation.option(rotateOption)) {
      throw new CommandError(
        'usage',
        '--replace and --rotate do not go together',
        '--rotate keeps the key before for a while, --replace does not.',
      );
    }
    const [file = '-'] = invocation.arguments;
    const key = file === '-' ? await keyFromInput(state) : await keyFromFile(resolve(state.cwd, file), state);
    const path = clusterKeyPath(await openKeyHome(invocation, state));
    const held = isReplacing ? undefined : await keysAt(path, state);
    if (held?.key.id === key.id) {
      await say(state, [`${path} has this cluster key already.`, WHEN_IT_COUNTS]);
      return EXIT_CODES.ok.code;
    }
    if (held !== undefined && invocation.option(rotateOption)) {
      await rotateTo(key, held, path);
      await say(state, [`Cluster key ${key.id} is in ${path}.`, stillAccepted(held.key)]);
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
        'If it is the next key of this cluster, run this again with --rotate; to leave the cluster, with --replace.',
      );
    }
    await say(state, [`Cluster key ${key.id} is in ${path}.`, WHEN_IT_COUNTS]);
    return EXIT_CODES.ok.code;
  },
};

export const keyRotateCommand: Command = {
  name: 'key rotate',
  summary: 'Begin to change the key of this cluster',
  description:
    'Makes a new key; the one before stays accepted, so that nodes are brought over one by one. Bring the new key to each other machine with the line of key show --join, and when all have it, run key drop-old on each.',
  arguments: [],
  options: [homeOption],
  examples: [{ line: 'plimsoll key rotate', meaning: 'on one machine of the cluster' }],
  run: async (invocation, state) => {
    const { path, held } = await heldKeys(homePath(invocation, state), state);
    const key = makeClusterKey();
    await rotateTo(key, held, path);
    await say(state, [
      `Cluster key ${key.id} is in ${path}.`,
      'Bring it to every other machine with: plimsoll key show --join',
      stillAccepted(held.key),
    ]);
    return EXIT_CODES.ok.code;
  },
};

export const keyDropOldCommand: Command = {
  name: 'key drop-old',
  summary: 'End the change of a cluster key',
  description:
    'The former key is accepted no more, and links that were opened with it are closed. Nodes that have the new key link again at once.',
  arguments: [],
  options: [homeOption],
  examples: [{ line: 'plimsoll key drop-old', meaning: 'when every machine has the new key' }],
  run: async (invocation, state) => {
    const { path, held } = await heldKeys(homePath(invocation, state), state);
    const { key, former } = held;
    if (former === undefined) {
      await say(state, [`${path} has one key, ${key.id}: there is nothing to drop.`]);
      return EXIT_CODES.ok.code;
    }
    await written(path, async () => {
      await replaceClusterKeyFile(path, key);
      return true;
    });
    await say(state, [`The former key ${former.id} is accepted no more; ${key.id} is the only one.`]);
    return EXIT_CODES.ok.code;
  },
};

const heldKeys = async (
  home: string,
  state: ProcessState,
): Promise<{ readonly path: string; readonly held: HeldKeys }> => {
  const path = clusterKeyPath(home);
  const held = await keysAt(path, state);
  if (held === undefined)
    throw new CommandError(
      'clusterKey',
      `there is no cluster key in ${path}`,
      'Make one with: plimsoll key new',
    );
  return { path, held };
};

/** @throws CommandError where a change of keys is under way already: three keys would be one too many. */
const rotateTo = async (key: ClusterKey, { key: current, former }: HeldKeys, path: string): Promise<void> => {
  if (former !== undefined && former.id !== key.id) {
    throw new CommandError(
      'clusterKey',
      `${path} has two keys already: the change from ${former.id} to ${current.id} has not ended`,
      'When every machine has the newer one, end it with: plimsoll key drop-old',
    );
  }
  await written(path, async () => {
    await replaceClusterKeyFile(path, key, current);
    return true;
  });
};

const stillAccepted = ({ id }: ClusterKey): string =>
  `The former key ${id} stays accepted. When every machine has the new one: plimsoll key drop-old`;
