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

  test('have a table for each section of config.toml, and for each list of codes', () => {
    const sections = CONFIG_SECTIONS.map(({ name }) => `keys of ${name === '' ? 'this machine' : name}`);
    expect(tabledSubjects(doc('config.md'))).toEqual(sections);
    for (const [name, subjects] of Object.entries({
      'api.md': ['problems of the API', 'notices of the daemon'],
      'cli.md': ['exit codes of all commands'],
      'mock.md': ['failures of the mock', 'cases of the mock'],
      'service.md': ['events of the log'],
    }))
      expect(tabledSubjects(doc(name))).toEqual(expect.arrayContaining(subjects));
  });
});
