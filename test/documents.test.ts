// What a reader of the documents relies on: one index from which every page is found, links that lead somewhere, tables that fit,
// and a changelog that can be read.

import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryFiles, textOf } from './support/repository.ts';
import { repositoryRoot } from './support/repository-root.ts';

const INDEX = 'docs/README.md';
const README_LINES_MAX = 170;
const ENTRY_LENGTH_MAX = 120;
const CELL_LENGTH_MAX = 160;

/** Pages that a reader meets first, or looks options up in. */
const PAGES_OF_NARROW_TABLES: readonly string[] = [
  'README.md',
  INDEX,
  ...['bench', 'line', 'compare', 'headroom', 'probes', 'cli'].map(name => `docs/${name}.md`),
  ...['slow-cable', 'backup', 'troubleshooting'].map(name => `docs/${name}.md`),
];

const files = repositoryFiles();
const documents = (files ?? []).filter(file => file.endsWith('.md') && !file.startsWith('test/fixtures/'));

interface Link {
  readonly file: string;
  /** As written, such as "bench.md#options". */
  readonly target: string;
}

/** Links to files of the repository; code is left out. */
const linksIn = (file: string): readonly Link[] =>
  [...proseOf(textOf(file)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter(target => !/^[a-z]+:/.test(target))
    .map(target => ({ file, target }));

const proseOf = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');

const pathOf = ({ file, target }: Link): string => {
  const [path = ''] = target.split('#');
  return path === '' ? file : normalize(join(dirname(file), path));
};

/** The anchor that GitHub makes of a heading. */
const anchorsOf = (file: string): ReadonlySet<string> =>
  new Set(
    [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

describe('docs/README.md', () => {
  const linked = new Set(linksIn(INDEX).map(pathOf));

  test('links every page and every decision', context => {
    if (files === undefined) context.skip('there is no git');
    const pages = documents.filter(file => file.startsWith('docs/') && file !== INDEX);
    expect(pages.length).toBeGreaterThan(50);
    expect(pages.filter(page => !linked.has(page))).toEqual([]);
  });

  test('is linked from README.md', () => {
    expect(linksIn('README.md').map(pathOf)).toContain(INDEX);
  });
});

test('every link of a document leads to a file, and to a heading if it has an anchor', context => {
  if (files === undefined) context.skip('there is no git');
  const links = documents.flatMap(linksIn);
  expect(links.length).toBeGreaterThan(200);
  const broken = links.filter(link => {
    const path = pathOf(link);
    if (!existsSync(join(repositoryRoot, path))) return true;
    const [, anchor] = link.target.split('#');
    return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).has(anchor);
  });
  expect(broken).toEqual([]);
});

test(`README.md has at most ${README_LINES_MAX} lines`, () => {
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(README_LINES_MAX);
});

test.each(PAGES_OF_NARROW_TABLES)(
  `no cell of a table in %s has more than ${CELL_LENGTH_MAX} characters`,
  file => {
    const long = textOf(file)
      .split('\n')
      .filter(line => line.startsWith('|'))
      .flatMap(line => line.split(/(?<!\\)\|/).map(cell => cell.trim()))
      .filter(cell => cell.length > CELL_LENGTH_MAX);
    expect(long).toEqual([]);
  },
);

describe('CHANGELOG.md', () => {
  const lines = textOf('CHANGELOG.md').split('\n');
  const entries = lines.filter(line => line.startsWith('- '));

  test(`has entries of one line and at most ${ENTRY_LENGTH_MAX} characters`, () => {
    expect(entries.length).toBeGreaterThan(50);
    expect(entries.map(entry => entry.slice(2)).filter(entry => entry.length > ENTRY_LENGTH_MAX)).toEqual([]);
    const others = lines.filter(line => line !== '' && !/^(- |#|\[)/.test(line));
    // The two sentences that describe the file.
    expect(others.length).toBeLessThanOrEqual(4);
  });

  test('has each entry once', () => {
    expect(entries.filter((entry, index) => entries.indexOf(entry) !== index)).toEqual([]);
  });

  test('has versions with a date, the one that is not released first', () => {
    const [first, ...released] = lines.filter(line => line.startsWith('## '));
    expect(first).toMatch(/^## \[?Unreleased\]?/);
    expect(released.filter(heading => !/ - \d{4}-\d{2}-\d{2}$/.test(heading))).toEqual([]);
  });
});
