// What shells complete and what man shows: checked by the shells and by man where this machine has them.

import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMAND_GROUPS } from '../../src/cli/command.ts';
import { allCommands } from '../../src/cli/commands.ts';
import { valueHint } from '../../src/cli/completion/command-tree.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const printed = async (...args: string[]): Promise<string> => {
  const process = madeUpProcess(args);
  expect(await process.run()).toBe(0);
  return process.stdout.text;
};

/** In place of the program, whose answer the scripts complete. */
const STAND_IN = `plimsoll() { [[ $* == 'completion targets' ]] && printf 'atlas:8000\\tvLLM 0.33.0\\natlas:8080\\tllama.cpp\\njuno\\tOllama\\n'; }`;

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

/** What bash would offer for the last word. */
const offered = (script: string, folder: string, ...words: string[]): readonly string[] => {
  const list = ['plimsoll', ...words].map(word => `'${word}'`).join(' ');
  const run = `${STAND_IN}; source ${script}; COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _plimsoll; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--noprofile', '--norc', '-c', run], { cwd: folder, encoding: 'utf8' })
    .split('\n')
    .filter(word => word !== '');
};

describe('plimsoll completion', () => {
  test('completes in bash what is at the cursor: commands, second words, options, values, files', async context => {
    if (!isInstalled('bash')) context.skip('there is no bash');
    using folder = temporaryDirectory();
    const script = join(folder.path, 'plimsoll.bash');
    writeFileSync(script, await printed('completion', 'bash'));
    const offer = (...words: string[]) => offered(script, folder.path, ...words);
    expect(offer('be')).toEqual(['bench']);
    expect(offer('config', 's')).toEqual(['show']);
    expect(offer('runs', 'r')).toEqual(['rm']);
    expect(offer('runs', '--to')).toEqual([]);
    expect(offer('runs', 'rm', '--ho')).toEqual(['--home']);
    expect(offer('up', '--probes', '')).toEqual(['off']);
    expect(offer('bench', '--name', '')).toEqual([]);
    expect(offer('up', '--replay', 'plim')).toEqual(['plimsoll.bash']);
    expect(offer('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(offer('help', 'swe')).toEqual(['sweep']);
    expect(offer('headroom', 'MODEL', '--engine', 'll')).toEqual(['llama.cpp']);
    expect(offer('bench', '--api', '')).toContain('llama.cpp');
    expect(offer('schema', 'repo')).toEqual(['report']);
    expect(offer('top', '--group', '')).toEqual(['rack', 'site', 'kind', 'tag']);
    expect(offer('bench', '')).toEqual(['atlas:8000', 'atlas:8080', 'juno']);
    expect(offer('line', 'j')).toEqual(['juno']);
    expect(offer('compare', '--a', 'at')).toEqual(['atlas:8000', 'atlas:8080']);
    // As Bash splits "atlas:80", and completes its last part.
    expect(offer('compare', '--b', 'atlas', ':', '80')).toEqual(['8000', '8080']);
    expect(offer('bench', 'atlas', ':')).toEqual(['8000', '8080']);
    expect(offer('bench', 'http', ':', '//')).toEqual([]);
  });

  test('offers every value of an option that has a list of them, and no other value is accepted', async () => {
    for (const { name, options } of await allCommands())
      for (const option of options) {
        const hint = valueHint(option);
        const label = `${name} --${option.name}`;
        const refused = option.valueName === undefined ? undefined : option.read(['zz-nothing']);
        // The message of every list of values.
        if (refused?.kind === 'wrong' && / is (not one of|neither) /.test(refused.problem))
          expect(hint.kind, label).toBe('words');
        if (hint.kind !== 'words') continue;
        for (const choice of hint.choices)
          expect(option.read([choice]), `${label} ${choice}`).toMatchObject({ kind: 'ok' });
        if (option.choices !== undefined) expect(refused, label).toMatchObject({ kind: 'wrong' });
      }
  });

  test('completes in fish the same, without a mistake while it runs', async context => {
    if (!isInstalled('fish')) context.skip('there is no fish');
    using folder = temporaryDirectory();
    const script = join(folder.path, 'plimsoll.fish');
    writeFileSync(script, await printed('completion', 'fish'));
    const lines = [
      'be',
      'config s',
      'runs rm --ho',
      'up --probes ',
      'completion ',
      'help swe',
      'status --fi',
      'sweep a',
      'compare --a j',
    ];
    const standIn = "function plimsoll; printf 'atlas:8000\\tvLLM 0.33.0\\njuno\\tOllama\\n'; end";
    const requested = lines.map(line => `echo "= ${line}"; complete -C"plimsoll ${line}"`).join('; ');
    const run = spawnSync('fish', ['--no-config', '-c', `${standIn}; source ${script}; ${requested}`], {
      encoding: 'utf8',
    });
    expect(run).toMatchObject({ status: 0, stderr: '' });
    const offered = run.stdout.trim().split('\n');
    expect(offered.map(line => line.split('\t')[0])).toEqual([
      ...['= be', 'bench', '= config s', 'show', '= runs rm --ho', '--home', '= up --probes ', 'off'],
      ...['= completion ', 'bash', 'fish', 'zsh', '= help swe', 'sweep', '= status --fi', '--fields'],
      ...['= sweep a', 'atlas:8000', '= compare --a j', 'juno'],
    ]);
  });

  test.each(['bash', 'zsh', 'fish'])('%s finds no mistake, and every option is in it', async shell => {
    const script = await printed('completion', shell);
    for (const { name, options } of await allCommands())
      for (const option of options)
        expect(script, name).toContain(shell === 'fish' ? `-l ${option.name}` : `--${option.name}`);
    if (!isInstalled(shell)) return;
    using folder = temporaryDirectory();
    const file = join(folder.path, 'completion');
    writeFileSync(file, script);
    expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  test('names the shells that it supports', async () => {
    const process = madeUpProcess(['completion', 'tcsh']);
    expect(await process.run()).toBe(2);
    expect(process.stderr.text).toBe('plimsoll: "tcsh" is not a known shell\nKnown: bash, zsh, fish.\n');
  });
});

describe('plimsoll man', () => {
  test('has every command and option under the headings of help, and man finds no mistake', async () => {
    const page = await printed('man');
    for (const { title } of COMMAND_GROUPS) expect(page).toContain(`\n.SH "${title.toUpperCase()}"\n`);
    const bench = page.slice(page.indexOf('.SS "plimsoll bench '), page.indexOf('.SS "plimsoll sweep '));
    for (const title of ['Load', 'Requests', 'Objectives and exit codes'])
      expect(bench).toContain(`\n.PP\n.B "${title}"\n.TP\n`);
    for (const { name, options } of await allCommands()) {
      expect(page).toContain(`.SS "plimsoll ${inRoff(name)}`);
      for (const option of options) expect(page).toContain(`.B ${inRoff(`--${option.name}`)}`);
    }
    if (!isInstalled('groff')) return;
    const made = spawnSync('groff', PLAIN, { input: page, encoding: 'utf8' });
    expect(made.stderr).toBe('');
    expect(made.stdout).toContain('plimsoll config check [FILE]');
  });
});

const inRoff = (text: string): string => text.replaceAll('-', String.raw`\-`);

/** Without bold and underlined letters. */
const PLAIN: readonly string[] = ['-man', '-ww', '-Kutf8', '-Tutf8', '-P-cbou'];
