// `plimsoll key new|show|import`: the key of a cluster, made on one machine and brought to the others. The key itself is
// never an argument, which others on a machine could see.

import { resolve } from 'node:path';
import { counted } from '../../core/figure/figure.ts';
import { excludes, flag, nonEmpty, type Option, value } from '../../core/option/option.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { type ClusterKey, clusterKeyText, makeClusterKey } from '../../mesh/key/cluster-key.ts';
import { clusterKeyPath, createClusterKeyFile, replaceClusterKeyFile } from '../../mesh/key/key-file.ts';
import { type JoinCodeAnswer, joinCodeAnswerSchema } from '../../wire/api/daemon-answers.ts';
import { type Command, homeOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { findDaemon } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { requestMembership } from '../request-membership.ts';
import {
  homePath,
  keyFromFile,
  keyFromInput,
  keysAt,
  openKeyHome,
  print,
  report,
  type StoredKeys,
  WHEN_IT_COUNTS,
  written,
} from './key-home.ts';

const outOption: Option<string | undefined> = value({
  name: 'out',
  valueName: 'FILE',
  meaning: 'Write the key to this new file instead of the home.',
  parse: nonEmpty,
});
const joinOption: Option<boolean> = flag(
  'join',
  'Print the line to run on another machine. With a running daemon: a code that works once, within ten minutes.',
);
const replaceOption: Option<boolean> = flag('replace', 'Replace the key in the home at once.');
const rotateOption: Option<boolean> = flag(
  'rotate',
  'Replace the key in the home, which stays accepted until: plimsoll key drop-old',
  {
    rules: [
      excludes(['replace'], {
        advice: '--rotate keeps accepting the previous key for a while, --replace does not.',
      }),
    ],
  },
);

export const keyNewCommand: Command = {
  name: 'key new',
  summary: 'Create the key of a new cluster',
  description:
    'Writes 256 random bits to <home>/cluster-key, readable only by you. An existing key is never replaced.',
  arguments: [],
  options: [homeOption, outOption],
  examples: [
    { line: 'plimsoll key new', meaning: 'on the first machine of a cluster' },
    { line: 'plimsoll key new --out cluster.key', meaning: 'to distribute it yourself' },
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
        `${path} already exists and was not changed`,
        out === undefined ? 'See it with: plimsoll key show' : 'Choose a file that does not exist yet.',
      );
    }
    await print(state, [
      `Cluster key ${key.id} is in ${path}.`,
      ...(out === undefined ? ['Add it to the other machines with: plimsoll key show --join'] : []),
      WHEN_IT_COUNTS,
    ]);
    return EXIT_CODES.ok.code;
  },
};

export const keyShowCommand: Command = {
  name: 'key show',
  summary: 'Print the cluster key of this home',
  description: 'Anyone who has it is a member of the cluster: keep it secret.',
  arguments: [],
  options: [homeOption, joinOption],
  examples: [
    { line: 'plimsoll key show --join', meaning: 'the one line to run on the other machine' },
    { line: 'plimsoll key show | ssh boreas plimsoll key import -', meaning: 'as text only' },
  ],
  run: async (invocation, state) => {
    const { keys } = await storedKeys(homePath(invocation, state), state);
    const text = clusterKeyText(keys.key);
    if (keys.former !== undefined)
      await report(state, [`the old key ${keys.former.id} is still accepted here.`]);
    if (!invocation.option(joinOption)) {
      await state.stdout.write(`${text}\n`);
      return EXIT_CODES.ok.code;
    }
    // During a key change the join line is for members: they take the new key in addition to the old one.
    const code = keys.former === undefined ? await joinCode(homePath(invocation, state), state) : undefined;
    if (code !== undefined) {
      await state.stdout.write(`${shellCommand`plimsoll join ${code.code}`}\n`);
      await report(state, [
        `Run this line on the other machine, whose daemon must be up. It works once, within ${counted(code.expiresInMs / 60_000, 'minute')}.`,
        ...(code.isLoopback ? ['The mesh listens on loopback here: only this machine can join.'] : []),
      ]);
      return EXIT_CODES.ok.code;
    }
    // printf is part of the shell: the key is in no process's arguments.
    const how = keys.former === undefined ? ['-'] : ['--rotate', '-'];
    await state.stdout.write(`${shellCommand`printf '%s\\n' ${text} | plimsoll key import ${how}`}\n`);
    await report(state, [
      "Run this line on the other machine. It contains the key, and the shell's history may keep it.",
      'With a running daemon here (plimsoll up) it would be a code that works once.',
    ]);
    return EXIT_CODES.ok.code;
  },
};

export const keyImportCommand: Command = {
  name: 'key import',
  summary: 'Import the cluster key of another machine',
  description: 'Writes it to <home>/cluster-key, readable only by you.',
  arguments: [
    { name: 'FILE', meaning: 'The file that has the key; - for standard input.', isRequired: true },
  ],
  options: [homeOption, replaceOption, rotateOption],
  examples: [
    { line: 'plimsoll key import cluster.key', meaning: 'from a file' },
    { line: 'plimsoll key import --replace -', meaning: 'from standard input, in place of another key' },
    {
      line: 'plimsoll key import --rotate -',
      meaning: 'the next key of this cluster; the previous one stays accepted',
    },
  ],
  run: async (invocation, state) => {
    const isReplacing = invocation.option(replaceOption);
    const [file = '-'] = invocation.arguments;
    const key = file === '-' ? await keyFromInput(state) : await keyFromFile(resolve(state.cwd, file), state);
    const path = clusterKeyPath(await openKeyHome(invocation, state));
    const stored = isReplacing ? undefined : await keysAt(path, state);
    if (stored?.key.id === key.id) {
      await print(state, [`${path} already has this cluster key.`, WHEN_IT_COUNTS]);
      return EXIT_CODES.ok.code;
    }
    if (stored !== undefined && invocation.option(rotateOption)) {
      await rotateTo(key, stored, path);
      await print(state, [`Cluster key ${key.id} is in ${path}.`, stillAccepted(stored.key)]);
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
        `${path} already has another cluster key, which was kept`,
        'If it is the next key of this cluster, repeat with --rotate; to join another cluster, with --replace.',
      );
    }
    await print(state, [`Cluster key ${key.id} is in ${path}.`, WHEN_IT_COUNTS]);
    return EXIT_CODES.ok.code;
  },
};

export const keyRotateCommand: Command = {
  name: 'key rotate',
  summary: 'Start changing the key of this cluster',
  description:
    'Creates a new key; the previous one stays accepted, so that nodes can move one by one. Add the new key to every other machine with the line that key show --join prints, and when all have it, run key drop-old on each.',
  arguments: [],
  options: [homeOption],
  examples: [{ line: 'plimsoll key rotate', meaning: 'on one machine of the cluster' }],
  run: async (invocation, state) => {
    const { path, keys } = await storedKeys(homePath(invocation, state), state);
    const key = makeClusterKey();
    await rotateTo(key, keys, path);
    await print(state, [
      `Cluster key ${key.id} is in ${path}.`,
      'Add it to every other machine with: plimsoll key show --join',
      stillAccepted(keys.key),
    ]);
    return EXIT_CODES.ok.code;
  },
};

export const keyDropOldCommand: Command = {
  name: 'key drop-old',
  summary: 'Finish changing the cluster key',
  description:
    'The old key is no longer accepted, and links that were opened with it are closed. Nodes that have the new key reconnect at once.',
  arguments: [],
  options: [homeOption],
  examples: [{ line: 'plimsoll key drop-old', meaning: 'when every machine has the new key' }],
  run: async (invocation, state) => {
    const { path, keys } = await storedKeys(homePath(invocation, state), state);
    const { key, former } = keys;
    if (former === undefined) {
      await print(state, [`${path} has one key, ${key.id}: there is nothing to drop.`]);
      return EXIT_CODES.ok.code;
    }
    await written(path, async () => {
      await replaceClusterKeyFile(path, key);
      return true;
    });
    await print(state, [`The old key ${former.id} is no longer accepted; ${key.id} is the only one.`]);
    return EXIT_CODES.ok.code;
  },
};

/** Of the daemon of this home; undefined where none runs. */
const joinCode = async (home: string, state: ProcessState): Promise<JoinCodeAnswer | undefined> => {
  const client = await findDaemon(home, state).catch(noDaemon);
  return (
    client &&
    (await requestMembership(state, ANSWER_MS, signal =>
      client.answer(joinCodeAnswerSchema, '/api/mesh/join-code', signal, 'POST'),
    ))
  );
};

const noDaemon = (error: unknown): undefined => {
  if (!(error instanceof CommandError) || error.code !== 'noDaemon') throw error;
};

const storedKeys = async (
  home: string,
  state: ProcessState,
): Promise<{ readonly path: string; readonly keys: StoredKeys }> => {
  const path = clusterKeyPath(home);
  const keys = await keysAt(path, state);
  if (keys === undefined)
    throw new CommandError(
      'clusterKey',
      `there is no cluster key in ${path}`,
      'Create one with: plimsoll key new',
    );
  return { path, keys };
};

/** @throws CommandError where a change of keys is under way already: three keys would be one too many. */
const rotateTo = async (
  key: ClusterKey,
  { key: current, former }: StoredKeys,
  path: string,
): Promise<void> => {
  if (former !== undefined && former.id !== key.id) {
    throw new CommandError(
      'clusterKey',
      `${path} already has two keys: the change from ${former.id} to ${current.id} is not finished`,
      'When every machine has the newer one, finish with: plimsoll key drop-old',
    );
  }
  await written(path, async () => {
    await replaceClusterKeyFile(path, key, current);
    return true;
  });
};

const stillAccepted = ({ id }: ClusterKey): string =>
  `The old key ${id} stays accepted. When every machine has the new one: plimsoll key drop-old`;

const ANSWER_MS = 10_000;
