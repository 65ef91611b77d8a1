import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TABLED_DOCUMENTS, tabledWords, withCommandTables } from '../../scripts/cli-tables.mjs';
import { allCommands } from '../../src/cli/commands.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { CONFIG_SECTIONS } from '../../src/config/config-keys.ts';
import { tomlText } from '../../src/config/config-section.ts';
import { repositoryRoot } from '../support/repository-root.ts';

const COMMANDS = await allCommands();

const doc = (name: string) => readFileSync(join(repositoryRoot, 'docs', name), 'utf8');

describe('the documents', () => {
  test('have the exit codes that the commands end with', () => {
    const rows = [...doc('cli.md').matchAll(/^\| (\d+) \| (\w+) \| (.*) \|$/gm)].map(
      ([, code, name, meaning]) => [name, code, meaning],
    );
    expect(rows).toEqual(
      Object.entries(EXIT_CODES).map(([name, { code, meaning }]) => [name, String(code), meaning]),
    );
  });

  test('leave the codes 10 to 29 to the benchmark', () => {
    for (const [name, { code }] of Object.entries(EXIT_CODES))
      expect(code >= 10 && code <= 29).toBe(name.startsWith('bench'));
  });

  test.each(TABLED_DOCUMENTS)(
    'have the tables of commands and options that `npm run docs` writes: %s',
    name => {
      const text = doc(name);
      expect(withCommandTables(text, COMMANDS)).toBe(text);
      expect(tabledWords(text)).not.toEqual([]);
    },
  );

  test('have a table for each command with options of its own', () => {
    const tabled = tabledWords(doc('cli.md'));
    const missing = COMMANDS.filter(
      ({ name, options }) =>
        options.some(option => option.name !== 'home') && !tabled.includes(name.split(' ')[0] ?? ''),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
    expect(doc('cli.md')).toContain('<!-- table: commands -->');
  });

  test('name every key of config.toml with its default and its meaning', () => {
    const lines = doc('config.md').split('\n');
    for (const { name, keys } of CONFIG_SECTIONS) {
      const from = lines.findIndex(
        line => line.startsWith('## ') && (name === '' || line.includes(`[${name}]`)),
      );
      const until = lines.findIndex((line, index) => index > from && line.startsWith('## '));
      const section = lines.slice(from, until === -1 ? undefined : until).join('\n');
      for (const { key, default: standard, meaning } of keys) {
        const shown = standard === undefined ? 'none; for example ' : `\`${tomlText(standard)}\``;
        expect(section).toContain(`| \`${key}\` | ${shown}`);
        expect(section).toContain(meaning);
      }
    }
  });
});
