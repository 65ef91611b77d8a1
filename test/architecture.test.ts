// Holds the code to the layout, the import table and the habits that ARCHITECTURE.md and CONTRIBUTING.md promise, so
// that they stay true without anybody remembering them.

import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';
import { afterAll, describe, expect, test } from 'vitest';
import { BENCH_PARTS } from './support/bench-parts.ts';
import { exportsOf, identifiersOf, importedNames, importedTwice } from './support/module-graph.ts';
import { forgetFiles, importsOf, nodesOf, repositoryFiles, scriptOf, walk } from './support/repository.ts';

const files = repositoryFiles() ?? [];
const code = files.filter(file => /^(src|dashboard|test|benchmarks)\/.*\.(ts|svelte)$/.test(file));
const withoutTests = code.filter(file => !file.startsWith('test/'));
const product = code.filter(file => /^(src|dashboard)\//.test(file));

afterAll(forgetFiles);

describe('layers', () => {
  test('every folder of src is in the import table', () => {
    const layers = new Set(
      files.map(file => /^src\/([^/]+)\//.exec(file)?.[1]).filter(layer => layer !== undefined),
    );
    expect([...layers].filter(layer => !(layer in MAY_IMPORT))).toEqual([]);
  });

  test('a layer imports only what the table allows', () => {
    const offences = product.flatMap(file => {
      const layer = layerOf(file);
      return importsOf(file)
        .filter(isRelative)
        .map(path => posix.join(posix.dirname(file), path))
        .filter(target => !mayImport(layer, layerOf(target)))
        .map(target => `${file} imports ${target}`);
    });
    expect(offences).toEqual([]);
  });

  test('no files import one another in a circle, of types neither', () => {
    expect(circles(product)).toEqual([]);
  });

  test('in the benchmark a part imports only parts that stand before it', () => {
    const offences = product.flatMap(file => {
      const part = benchPart(file);
      return importsOf(file)
        .filter(isRelative)
        .map(path => posix.join(posix.dirname(file), path))
        .filter(
          target => part !== '' && !['', part, ...(BENCH_PARTS[part] ?? [])].includes(benchPart(target)),
        )
        .map(target => `${file} imports ${target}`);
    });
    expect(offences).toEqual([]);
  });

  test('core and render import only valibot, what reads the headers of models no package, and none anything of Node', () => {
    const offences = code
      .filter(file => ['core', 'render', 'headers'].includes(layerOf(file)))
      .flatMap(file =>
        importsOf(file)
          .filter(path => !isRelative(path) && !(path === 'valibot' && layerOf(file) !== 'headers'))
          .map(path => `${file} imports ${path}`),
      );
    expect(offences).toEqual([]);
  });

  test('core draws no random number', () => {
    expect(
      code.filter(file => file.startsWith('src/core/') && /\bMath\.random\b/.test(scriptOf(file))),
    ).toEqual([]);
  });

  test('the dashboard imports nothing of Node', () => {
    const offences = code
      .filter(
        file =>
          file.startsWith('dashboard/') &&
          !file.endsWith('vite.config.ts') &&
          !file.startsWith('dashboard/dev/'),
      )
      .flatMap(file =>
        importsOf(file)
          .filter(isBuiltin)
          .map(path => `${file} imports ${path}`),
      );
    expect(offences).toEqual([]);
  });

  test('only the entry of a process imports node:process', () => {
    const offences = code.filter(
      file =>
        file.startsWith('src/') && !PROCESS_ENTRY.test(file) && importsOf(file).includes('node:process'),
    );
    expect(offences).toEqual([]);
  });

  test("built-in modules of Node are imported with 'node:'", () => {
    const offences = code.flatMap(file =>
      importsOf(file)
        .filter(path => !isBuiltin(path) && builtinModules.includes(path))
        .map(path => `${file} imports ${path}`),
    );
    expect(offences).toEqual([]);
  });
});

describe('files', () => {
  test('folders are named for their subject', () => {
    const vague = files.filter(file => /(^|\/)(utils?|helpers?|common|shared|types|misc|lib)\//.test(file));
    expect(vague).toEqual([]);
  });

  test('names are in kebab-case', () => {
    const odd = files
      .filter(file => /^(src|dashboard|test|benchmarks|scripts|bin)\//.test(file))
      .filter(
        file => !file.startsWith('test/fixtures/') && !/(^|\/)(README\.md|LICENSE[^/]*|OFL\.txt)$/.test(file),
      )
      .filter(file => !/^([a-z0-9]+([.-][a-z0-9]+)*\/)*[a-z0-9]+([.-][a-z0-9]+)*$/.test(file));
    expect(odd).toEqual([]);
  });

  test('a file past 400 lines is two', () => {
    const long = [...code, ...files.filter(file => /^(scripts|bin)\//.test(file))]
      .map(file => ({ file, lines: scriptOf(file).trimEnd().split('\n').length }))
      .filter(({ file, lines }) => lines > LINES_MAX && !(file in LONG_FILES))
      .map(({ file, lines }) => `${file}: ${lines} lines`);
    expect(long).toEqual([]);
  });

  test('the list of long files has no entry that is no longer needed', () => {
    const short = Object.keys(LONG_FILES).filter(
      file => !files.includes(file) || scriptOf(file).trimEnd().split('\n').length <= LINES_MAX,
    );
    expect(short).toEqual([]);
  });

  test('a file of the product opens by saying what it is', () => {
    const silent = product.filter(
      file => file.endsWith('.ts') && !file.endsWith('.d.ts') && !/^(#!.*\n)?\/[/*]/.test(scriptOf(file)),
    );
    expect(silent).toEqual([]);
  });
});

describe('names', () => {
  const declaring = new Map<string, readonly string[]>();
  for (const file of product)
    for (const name of new Set(exportsOf(file))) declaring.set(name, [...(declaring.get(name) ?? []), file]);
  const twice = [...declaring].filter(([, files]) => files.length > 1);

  test('an exported name is declared once', () => {
    expect(twice.map(([name, files]) => `${name}: ${files.join(', ')}`)).toEqual([]);
  });
});

describe('exports', () => {
  const programs = files.filter(file => /^(src|dashboard|benchmarks)\/.*\.(ts|svelte)$/.test(file));
  const imported = new Set(programs.flatMap(importedNames));
  const unused = product.flatMap(file =>
    exportsOf(file)
      .filter(name => !imported.has(`${file}#${name}`) && (identifiersOf(file).get(name) ?? 0) < 2)
      .map(name => `${file}: ${name}`),
  );

  test('what is exported is used by more than its tests', () => {
    expect(unused).toEqual([]);
  });
});

describe('habits', () => {
  test('a relative import names the file with its extension', () => {
    const offences = code.flatMap(file =>
      importsOf(file)
        .filter(path => isRelative(path) && !/\.(ts|svelte|css|js|mjs|json)(\?\w+)?$/.test(path))
        .map(path => `${file} imports ${path}`),
    );
    expect(offences).toEqual([]);
  });

  test('a file imports a module once, its values and types together', () => {
    // A component may need a module in both of its scripts.
    const offences = code
      .filter(file => file.endsWith('.ts') && mayImportTwice(scriptOf(file)))
      .flatMap(importedTwice);
    expect(offences).toEqual([]);
  });

  test('no file re-exports another', () => {
    expect(product.filter(file => nodesOf(file, [ts.SyntaxKind.ExportDeclaration]).some(isReExport))).toEqual(
      [],
    );
  });

  test('exports have names', () => {
    const offences = code.filter(
      file =>
        !file.endsWith('.config.ts') &&
        !file.endsWith('.d.ts') &&
        /\bexport\s*(default|=)/.test(scriptOf(file)) &&
        nodesOf(file, [ts.SyntaxKind.ExportAssignment]).length > 0,
    );
    expect(offences).toEqual([]);
  });

  test("nothing is cast: 'as' is only for 'as const'", () => {
    const offences = withoutTests.flatMap(file =>
      nodesOf(file, [ts.SyntaxKind.TypeAssertionExpression, ts.SyntaxKind.AsExpression])
        .filter(isCast)
        .map(node => `${file}: ${node.getText().slice(0, 80)}`),
    );
    expect(offences).toEqual([]);
  });

  test('the URL of a file becomes a path by fileURLToPath: a checkout may lie in a folder with a space', () => {
    expect(code.filter(file => /import\.meta\.url\)\.pathname/.test(scriptOf(file)))).toEqual([]);
  });

  test('nobody reads the sentences that are written for people: codes and facts are there for that', () => {
    const offences = product.flatMap(file =>
      nodesOf(file, [ts.SyntaxKind.CallExpression, ts.SyntaxKind.BinaryExpression])
        .filter(readsProse)
        .map(node => `${file}: ${node.getText().slice(0, 80)}`),
    );
    expect(
      offences.filter(offence => !WORDS_OF_OTHERS.some(file => offence.startsWith(`${file}: `))),
    ).toEqual([]);
  });

  test.each([
    "error.message.split('\\n')",
    "notice.problem.startsWith('No link')",
    '/not installed/.test(view.reason)',
    "reason === 'it was stopped'",
    'detail !== NOT_AVAILABLE',
    'reason.match(/permission/)',
  ])('reading %s would be noticed', source => {
    let found = 0;
    walk(ts.createSourceFile('made-up.ts', source, ts.ScriptTarget.Latest, true), node => {
      if (readsProse(node)) found += 1;
    });
    expect(found).toBe(1);
  });

  test('there are no enums', () => {
    const mentioning = code.filter(file => /\benum\b/.test(scriptOf(file)));
    expect(mentioning.filter(file => nodesOf(file, [ts.SyntaxKind.EnumDeclaration]).length > 0)).toEqual([]);
  });

  test('a test that cannot run reports why: no static skip, only or todo', () => {
    const offences = code.filter(
      file =>
        file.endsWith('.test.ts') &&
        /\b(test|it|describe)\.(skip|only|todo|skipIf|runIf)\(/.test(scriptOf(file)),
    );
    expect(offences).toEqual([]);
  });
});

/** What reads the headers of models is pure but for the bytes that it is given, so that the dashboard can do it as well. */
const layerOf = (path: string): string =>
  /^src\/model\/((gguf|config|safetensors)\/|byte-source|model-error|header-budget)/.test(path)
    ? 'headers'
    : folderOf(path);

const folderOf = (path: string): string =>
  /^src\/([^/]+)\//.exec(path)?.[1] ?? /^([^/]+)\//.exec(path)?.[1] ?? '';

const mayImport = (layer: string, target: string): boolean => {
  const allowed = MAY_IMPORT[layer] ?? [];
  return layer === target || allowed === 'all' || allowed.includes(target);
};

/** A folder of src/bench; '' elsewhere, and for the two files that stand above and below all of them. */
const benchPart = (path: string): string => /^src\/bench\/(\w+)\//.exec(path)?.[1] ?? '';

/** Files that reach each other, a list for each circle (Tarjan's strongly connected components). */
const circles = (files: readonly string[]): readonly (readonly string[])[] => {
  const among = new Set(files);
  const found: string[][] = [];
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): void => {
    numbers.set(file, numbers.size);
    let low = numbers.size - 1;
    open.push(file);
    for (const path of importsOf(file).filter(isRelative)) {
      const target = posix.join(posix.dirname(file), path);
      if (!among.has(target)) continue;
      if (!numbers.has(target)) visit(target);
      if (open.includes(target)) low = Math.min(low, lowest.get(target) ?? numbers.get(target) ?? low);
    }
    lowest.set(file, low);
    if (low !== numbers.get(file)) return;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1) found.push(circle);
  };
  for (const file of among) if (!numbers.has(file)) visit(file);
  return found;
};

const isRelative = (path: string): boolean => path.startsWith('.');
const isBuiltin = (path: string): boolean => path.startsWith('node:');

/** Spares the files that cannot: their texts name each module once. */
const mayImportTwice = (text: string): boolean => {
  const named = [...text.matchAll(/(?:\bfrom|\bimport)\s*(['"].*?['"])/g)].map(([, path]) => path);
  return new Set(named).size < named.length;
};

const isReExport = (node: ts.Node): boolean =>
  ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined;

/** Takes a sentence apart, searches it, or compares it with another one. A code has neither blanks nor capitals. */
const readsProse = (node: ts.Node): boolean => {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression;
    if (TEXT_SEARCHES.has(name.text)) return isProse(expression);
    return (name.text === 'test' || name.text === 'exec') && node.arguments.some(isProse);
  }
  if (!ts.isBinaryExpression(node) || !EQUALITIES.has(node.operatorToken.kind)) return false;
  return (isProse(node.left) && isSentence(node.right)) || (isProse(node.right) && isSentence(node.left));
};

const isProse = (node: ts.Node): boolean =>
  (ts.isIdentifier(node) && PROSE.has(node.text)) ||
  (ts.isPropertyAccessExpression(node) && PROSE.has(node.name.text));

const isSentence = (node: ts.Node): boolean =>
  (ts.isStringLiteralLike(node) && /[ A-Z]/.test(node.text)) ||
  (ts.isIdentifier(node) && /^[A-Z][A-Z_]+$/.test(node.text));

const isCast = (node: ts.Node): boolean =>
  ts.isTypeAssertionExpression(node) || (ts.isAsExpression(node) && node.type.getText() !== 'const');

const PROSE: ReadonlySet<string> = new Set(['message', 'reason', 'problem', 'advice', 'detail', 'notice']);
const TEXT_SEARCHES: ReadonlySet<string> = new Set([
  'split',
  'match',
  'matchAll',
  'search',
  'includes',
  'startsWith',
  'endsWith',
  'indexOf',
]);
const EQUALITIES: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);
/** The first two parse the text of a library and of a server, which give no code; the last one lays sentences out. */
const WORDS_OF_OTHERS: readonly string[] = [
  'src/native/blas.ts',
  'src/daemon/runs/live-run.ts',
  'src/core/problem.ts',
];

const BASE = ['core', 'wire', 'clock', 'native', 'process', 'channel'];

/** The import table. A layer may always import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[] | 'all'>> = {
  core: [],
  render: ['core'],
  wire: ['core', 'clock'],
  clock: ['core'],
  native: ['core', 'clock'],
  process: ['core', 'clock'],
  channel: ['core', 'clock'],
  config: ['core', 'clock', 'process'],
  journal: BASE,
  messaging: BASE,
  mesh: BASE,
  gather: BASE,
  probe: BASE,
  model: [...BASE, 'headers'],
  headers: ['core'],
  bench: [...BASE, 'render', 'messaging', 'metrics'],
  metrics: [...BASE, 'render', 'messaging'],
  report: [...BASE, 'render', 'metrics'],
  mock: BASE,
  tui: [...BASE, 'render'],
  simulate: [...BASE, 'gather', 'probe', 'mesh'],
  recording: BASE,
  daemon: 'all',
  cli: 'all',
  dashboard: ['core', 'render', 'wire', 'headers'],
};

const PROCESS_ENTRY = /^src\/cli\/process-state\.ts$|-(process|worker)\.ts$/;

const LINES_MAX = 400;

/** Files that are longer for a reason. */
const LONG_FILES: Readonly<Record<string, string>> = {};
