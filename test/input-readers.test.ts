// Holds every reader of input to the one table of limits: none opens a file, decompresses or follows a redirect past it.

import ts from 'typescript';
import { afterAll, describe, expect, test } from 'vitest';
import { binaryBytes } from '../src/core/input/expansion-budget.ts';
import { INPUT_LIMITS } from '../src/core/input/input-limits.ts';
import { forgetFiles, nodesOf, repositoryFiles, textOf } from './support/repository.ts';

const product = (repositoryFiles() ?? []).filter(file => /^src\/.*\.ts$/.test(file));

afterAll(forgetFiles);

describe('input', () => {
  test('is opened in one place, but for what the kernel or this package itself provides', () => {
    const offences = product
      .filter(file => file !== INPUT_FILE && !OWN_AND_KERNEL_FILES.some(folder => file.startsWith(folder)))
      .flatMap(file => readingsIn(file).map(what => `${file}: ${what}`));
    expect(offences).toEqual([]);
    const stale = OWN_AND_KERNEL_FILES.filter(
      folder => !product.some(file => file.startsWith(folder) && readingsIn(file).length > 0),
    );
    expect(stale).toEqual([]);
  });

  test('of each kind has a reader, and each reader has its kind in the table', () => {
    const named = new Set(product.filter(file => !file.startsWith('src/core/input/')).flatMap(kindsIn));
    expect([...named].sort()).toEqual(Object.keys(INPUT_LIMITS).sort());
  });

  test('is decompressed only up to a limit', () => {
    const offences = product.flatMap(file =>
      callsIn(file, /unzip|inflate|Decompress/)
        .filter(call => DECOMPRESSION.test(call.expression.getText()))
        .filter(call => !/maxOutputLength|options|limit\(/.test(call.arguments.map(a => a.getText()).join()))
        .map(call => `${file}: ${call.getText()}`),
    );
    expect(offences).toEqual([]);
  });

  test('is fetched without following redirects on its own', () => {
    const fetching = product.flatMap(file =>
      callsIn(file, /\bfetch\b/)
        .filter(call => call.expression.getText() === 'fetch')
        .map(call => ({ file, text: call.getText() })),
    );
    expect(fetching.filter(({ text }) => !text.includes("redirect: 'manual'"))).toEqual([]);
    expect(fetching.length).toBeGreaterThan(1);
  });

  test('of any length is no list of arguments, for which the stack is too small', () => {
    const offences = (repositoryFiles() ?? [])
      .filter(file => /^(src|dashboard)\/.*\.(ts|svelte)$/.test(file))
      .flatMap(file =>
        callsIn(file, SPREADS)
          .filter(
            call =>
              call.arguments.some(ts.isSpreadElement) && TAKES_ARGUMENTS.test(call.expression.getText()),
          )
          .map(call => `${file}: ${call.getText()}`),
      );
    expect(offences).toEqual([]);
  });

  test('has its limits in docs/limits.md', () => {
    const expected = Object.values(INPUT_LIMITS).map(
      ({ what, bytesMax, expandedBytesMax }) =>
        `| ${what} | ${bytesMax === Number.POSITIVE_INFINITY ? 'any' : binaryBytes(bytesMax)} | ${binaryBytes(expandedBytesMax)} |`,
    );
    const written = textOf('docs/limits.md').split('\n');
    expect(expected.filter(row => !written.some(line => line.startsWith(row)))).toEqual([]);
  });
});

/** Only a file whose text has what is looked for is parsed. */
const callsIn = (file: string, mention: RegExp): readonly ts.CallExpression[] =>
  mention.test(textOf(file)) ? nodesOf(file, [ts.SyntaxKind.CallExpression]).filter(ts.isCallExpression) : [];

/** What a file imports of node:fs to read with, and each opening that is not for writing. */
const readingsIn = (file: string): readonly string[] => {
  if (!/node:fs|\bfs\b/.test(textOf(file))) return [];
  const imported = nodesOf(file, [ts.SyntaxKind.ImportDeclaration])
    .filter(ts.isImportDeclaration)
    .flatMap(({ moduleSpecifier, importClause }) => {
      const bindings = importClause?.namedBindings;
      if (!ts.isStringLiteral(moduleSpecifier) || !/^node:fs(\/promises)?$/.test(moduleSpecifier.text))
        return [];
      return bindings !== undefined && ts.isNamedImports(bindings) ? [...bindings.elements] : [];
    });
  return [
    ...imported
      .filter(({ name, propertyName }) => READING.has((propertyName ?? name).text))
      .map(({ name }) => name.text),
    ...nodesOf(file, [ts.SyntaxKind.CallExpression])
      .filter(ts.isCallExpression)
      .filter(
        node =>
          /^(open|openSync|fs\.openSync|fs\.readFileSync|fs\.createReadStream)$/.test(
            node.expression.getText(),
          ) &&
          node.arguments.length > 0 &&
          isOfNodeFs(file, node.expression.getText()) &&
          !WRITING.test(node.arguments[1]?.getText() ?? ''),
      )
      .map(node => node.getText()),
  ];
};

const isOfNodeFs = (file: string, name: string): boolean =>
  name.startsWith('fs.') ||
  new RegExp(`import (type )?\\{[^}]*\\b${name}\\b[^}]*\\} from 'node:fs`).test(textOf(file));

/** Kinds that a reader names: as an argument, or as a row of the table. */
const kindsIn = (file: string): readonly string[] => {
  const found = [...textOf(file).matchAll(/INPUT_LIMITS\.(\w+)/g)].flatMap(([, kind]) => kind ?? []);
  if (!KIND_READERS.test(textOf(file))) return found;
  for (const node of nodesOf(file, [ts.SyntaxKind.CallExpression, ts.SyntaxKind.NewExpression])) {
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) continue;
    const at = KIND_ARGUMENTS[node.expression.getText()];
    const argument = at === undefined ? undefined : node.arguments?.[at];
    if (argument !== undefined && ts.isStringLiteral(argument)) found.push(argument.text);
  }
  return found;
};

const INPUT_FILE = 'src/process/input-file.ts';
/** Where each of them is named. */
const KIND_ARGUMENTS: Readonly<Record<string, number>> = {
  openInputFile: 1,
  readInputFile: 1,
  readInputText: 1,
  readInputTextSync: 1,
  headerBudget: 0,
  ExpansionBudget: 0,
  PartReader: 0,
};
const KIND_READERS = new RegExp(`\\b(${Object.keys(KIND_ARGUMENTS).join('|')})\\b`);
/** maximumOf, minimumOf and pushAll take a list as one. */
const TAKES_ARGUMENTS = /^Math\.(max|min)$|\.(push|unshift|splice|concat|of|fromCharCode|fromCodePoint)$/;
/** A file without both a spread and such a call has no such call of a spread. */
const CALLED = String.raw`\b(max|min|push|unshift|splice|concat|of|fromCharCode|fromCodePoint)\(`;
const SPREADS = new RegExp(String.raw`${CALLED}[^]*\.{3}|\.{3}[^]*${CALLED}`);
const READING: ReadonlySet<string> = new Set(['readFile', 'readFileSync', 'createReadStream']);
/** Flags of open(2) for what this program writes. */
const WRITING = /^('(a|ax|w|wx|wx\+)'|FLAGS)$/;
const DECOMPRESSION = /(^|\.)(gunzip|unzip|inflate|inflateRaw|brotliDecompress|zstdDecompress)(Sync)?$/;
/** Nobody else's: files of the kernel (proc, sys, device nodes of sensors), of this package, and of the running process. */
const OWN_AND_KERNEL_FILES: readonly string[] = [
  'src/gather/',
  'src/probe/',
  'src/bench/agent/agent-run.ts',
  'src/bench/load/load-worker.ts',
  'src/bench/loop/node-loop.ts',
  'src/bench/run/host-watch.ts',
  'src/bench/run/open-files.ts',
  'src/bench/run/prepare-load.ts',
  'src/cli/process-state.ts',
  'src/daemon/http/dashboard-routes.ts',
  'src/process/atomic-file.ts',
  'src/report/html/page-style.ts',
];
