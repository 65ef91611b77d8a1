// What a stranger finds in the repository: no trace of the machine it was written on, a lockfile that names no
// registry, and a reason for every dependency.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { join } from 'node:path/posix';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { boundsOf, isStated } from './support/limits.ts';
import { importsOf, parse, repositoryFiles, textOf, walk } from './support/repository.ts';
import { repositoryRoot } from './support/repository-root.ts';
import { UNREPORTED_BOUNDS } from './support/unlisted-bounds.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  /** Optional: loaded where a person installed them. */
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly resolved?: string; readonly hasInstallScript?: boolean }>
  >;
}

const DOCUMENTS: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'LICENSE',
  'docs/limits.md',
  'docs/verified-on.md',
  'docs/decisions/dependencies.md',
];

const files = repositoryFiles();
const manifest: Manifest = JSON.parse(textOf('package.json'));
const lock: Lock = JSON.parse(textOf('package-lock.json'));

test('no file names a folder of the machine it was written on', context => {
  if (files === undefined) context.skip('there is no git');
  const checkout = repositoryRoot.replace(/\/$/, '');
  const folders = [checkout, `${dirname(checkout)}/shared`, homedir()].filter(
    folder => folder.split('/').length > 2,
  );
  const traces = (files ?? []).filter(isText).flatMap(file => {
    const text = textOf(file);
    return folders.filter(folder => text.includes(`${folder}/`)).map(folder => `${file} names ${folder}`);
  });
  expect(traces).toEqual([]);
});

test('no file names a package registry', context => {
  if (files === undefined) context.skip('there is no git');
  const host = new RegExp(['registry', '(npmjs|yarnpkg)', '(org|com)'].join('\\.'));
  expect((files ?? []).filter(file => isText(file) && host.test(textOf(file)))).toEqual([]);
});

test('the lockfile works with any registry: it resolves nothing to a host', () => {
  expect(Object.keys(lock.packages).filter(path => lock.packages[path]?.resolved !== undefined)).toEqual([]);
});

test('of every package with an install script package.json reports whether it may run', () => {
  const scripted = Object.entries(lock.packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  // fsevents is optional, ships its binary, and only macOS installs it.
  expect(scripted.filter(name => manifest.allowScripts?.[name] === undefined && name !== 'fsevents')).toEqual(
    [],
  );
});

test('every dependency is pinned to one version', () => {
  const loose = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
  );
  expect(loose).toEqual([]);
});

test('every dependency has its line in docs/decisions/dependencies.md', () => {
  const text = textOf('docs/decisions/dependencies.md');
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(names.filter(name => !text.includes(`| \`${name}\` |`))).toEqual([]);
});

test('docs/decisions/dependencies.md mentions no dependency that is gone', () => {
  const names = [...textOf('docs/decisions/dependencies.md').matchAll(/^\| `([^`]+)` \|/gm)].map(
    ([, name]) => name ?? '',
  );
  const dependencies = { ...manifest.dependencies, ...manifest.devDependencies };
  expect(names.filter(name => !(name in dependencies))).toEqual([]);
});

test('what the daemon loads is a dependency or packed with it, and no package is loaded that is not asked for', context => {
  if (files === undefined) context.skip('there is no git');
  const packed = (files ?? []).flatMap(file => /^scripts\/libraries\/(.+)\.mjs$/.exec(file)?.[1] ?? []);
  expect(packed.filter(name => name in (manifest.dependencies ?? {}))).toEqual([]);
  const offences = (files ?? [])
    .filter(file => /^src\/.*\.ts$/.test(file))
    .flatMap(file =>
      importsOf(file)
        .filter(path => !path.startsWith('.') && !path.startsWith('node:'))
        .map(packageOf)
        .filter(name => !(name in { ...manifest.dependencies, ...manifest.peerDependencies }))
        .filter(name => !packed.includes(name))
        .map(name => `${file} loads ${name}`),
    );
  expect(offences).toEqual([]);
});

describe('docs/limits.md', () => {
  const unreported = (files ?? [])
    .filter(file => /^(src|dashboard)\/.*\.ts$/.test(file))
    .flatMap(boundsOf)
    .filter(bound => !isStated(bound))
    .map(({ file, name }) => `${file} ${name}`);

  test('has every limit of the code, with its value, in a row that names the file or its folder', context => {
    if (files === undefined) context.skip('there is no git');
    expect(unreported.filter(bound => !UNREPORTED_BOUNDS.includes(bound))).toEqual([]);
  });

  test('has no exception for a limit that it lists', context => {
    if (files === undefined) context.skip('there is no git');
    expect(UNREPORTED_BOUNDS.filter(bound => !unreported.includes(bound))).toEqual([]);
  });
});

describe('a file below 40 lines whose only importer is in its folder', () => {
  const importers = new Map<string, string[]>();
  for (const file of (files ?? []).filter(path => /^(src|dashboard)\/.*\.(ts|svelte)$/.test(path)))
    for (const path of new Set(importsOf(file).filter(target => target.startsWith('.')))) {
      const target = join(dirname(file), path);
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  // What a component imports stays: geometry is in .ts, drawing in .svelte.
  const apart = [...importers].flatMap(([file, [importer = '', ...more]]) =>
    file.endsWith('.ts') &&
    importer.endsWith('.ts') &&
    more.length === 0 &&
    dirname(importer) === dirname(file) &&
    linesOf(file) < 40 &&
    linesOf(file) + linesOf(importer) <= LINES_MAX
      ? [file]
      : [],
  );

  test('is a part of that importer, unless a row here reports why not', context => {
    if (files === undefined) context.skip('there is no git');
    expect(apart.filter(file => !(file in SHORT_FILES))).toEqual([]);
  });

  test('has no row here that is no longer needed', context => {
    if (files === undefined) context.skip('there is no git');
    expect(Object.keys(SHORT_FILES).filter(file => !apart.includes(file))).toEqual([]);
  });
});

test.each(DOCUMENTS)('%s is there', file => {
  expect(existsSync(repositoryRoot + file)).toBe(true);
});

test.each(['bin/plimsoll.js', 'scripts/start.js', 'scripts/test.js', 'scripts/check-node.js'])(
  'Node 6 can parse %s',
  file => {
    const newer: string[] = [];
    walk(parse(file), node => {
      if (isNewerThanNode6(node)) newer.push(node.getText().slice(0, 60));
    });
    expect(newer).toEqual([]);
    expect(importsOf(file).filter(path => path.startsWith('node:'))).toEqual([]);
  },
);

const linesOf = (file: string): number => textOf(file).trimEnd().split('\n').length;

const isText = (file: string): boolean => !/\.(png|jpe?g|ico|woff2?|ttf|gz|tgz|db|sqlite)$/.test(file);

const packageOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');

/** Syntax that came after ECMAScript 2015. A comma after the last argument is the one that formatters add. */
const isNewerThanNode6 = (node: ts.Node): boolean =>
  (ts.isCallExpression(node) && node.arguments.hasTrailingComma === true) ||
  (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) ||
  (ts.isFunctionLike(node) && node.parameters.hasTrailingComma === true) ||
  (ts.isCatchClause(node) && node.variableDeclaration === undefined) ||
  ts.isImportDeclaration(node) ||
  ts.isSpreadAssignment(node) ||
  NEWER_KINDS.includes(node.kind);

const NEWER_KINDS: readonly ts.SyntaxKind[] = [
  ts.SyntaxKind.AsyncKeyword,
  ts.SyntaxKind.AwaitExpression,
  ts.SyntaxKind.AsteriskAsteriskToken,
  ts.SyntaxKind.BigIntLiteral,
  ts.SyntaxKind.QuestionDotToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
  ts.SyntaxKind.PrivateIdentifier,
];

/** The rule of test/architecture.test.ts for every file. */
const LINES_MAX = 400;

const SHORT_FILES: Readonly<Record<string, string>> = {
  'dashboard/src/drawing/run-length.ts': 'tested without a browser, which its importer needs',
  'dashboard/src/shell/one-time-code.ts': 'tested without a browser, which its importer needs',
  'dashboard/src/stream/beat.ts': 'tested without a browser, which its importer needs',
  'dashboard/src/stream/open-port.ts': 'names the script of the shared worker, which the bundler finds here',
  'dashboard/src/stream/page-history.ts': 'tested without a browser, which its importer needs',
  'src/bench/target/api/completions-api.ts': 'one adapter for each API',
  'src/daemon/runs/compare-worker.ts': 'the entry of a thread',
};
