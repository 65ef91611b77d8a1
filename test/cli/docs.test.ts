import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { declarations, TABLED_DOCUMENTS, tabledSubjects, withTables } from '../../scripts/doc-tables.mjs';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { CONFIG_SECTIONS } from '../../src/config/config-keys.ts';
import { repositoryRoot } from '../support/repository-root.ts';

const DECLARED = await declarations();

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

  test.each(TABLED_DOCUMENTS)('have the tables that `npm run docs` writes: %s', name => {
    const text = doc(name);
    expect(withTables(text, DECLARED)).toBe(text);
    expect(tabledSubjects(text)).not.toEqual([]);
  });

  test('have a table for each command with options of its own', () => {
    const subjects = tabledSubjects(doc('cli.md'));
    const tabled = subjects.map(subject => /^(?:options|names) of (\S+)/.exec(subject)?.[1]);
    const missing = DECLARED.commands.filter(
      ({ name, options }) =>
        options.some(option => option.name !== 'home') && !tabled.includes(name.split(' ')[0] ?? ''),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
    expect(subjects).toContain('commands');
  });

  test('have a table for each section of config.toml, for failures and cases of the mock, notices and problems', () => {
    const sections = CONFIG_SECTIONS.map(({ name }) => `keys of ${name === '' ? 'this machine' : name}`);
    expect(tabledSubjects(doc('config.md'))).toEqual(sections);
    expect(tabledSubjects(doc('mock.md'))).toEqual(
      expect.arrayContaining(['failures of the mock', 'cases of the mock']),
    );
    expect(tabledSubjects(doc('api.md'))).toEqual(
      expect.arrayContaining(['notices of the daemon', 'problems of the API']),
    );
  });
});
