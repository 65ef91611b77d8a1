// The files of this checkout as git sees them, and what they import: for the tests that hold the repository to its own
// rules. Files that are not committed yet count too, so that a rule is broken before the commit and not after.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { repositoryRoot } from './repository-root.ts';

/** Paths relative to the checkout, without those that git ignores. Undefined where there is no git. */
export const repositoryFiles = (): readonly string[] | undefined => {
  try {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: repositoryRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return listed.split('\0').filter(file => file !== '' && isThere(file));
  } catch {
    return undefined;
  }
};

export const textOf = (file: string): string =>
  once(texts, file, () => readFileSync(repositoryRoot + file, 'utf8'));

/** The TypeScript of a file: all of it, or the scripts of a Svelte component. */
export const scriptOf = (file: string): string => {
  const text = textOf(file);
  if (!file.endsWith('.svelte')) return text;
  return [...text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)]
    .map(([, script]) => script ?? '')
    .join('\n');
};

export const parse = (file: string): ts.SourceFile =>
  once(parsed, file, () => ts.createSourceFile(file, scriptOf(file), ts.ScriptTarget.ESNext, true));

/** Everything that a file imports, statically or not, as written. */
export const importsOf = (file: string): readonly string[] =>
  once(imports, file, () =>
    ts.preProcessFile(scriptOf(file), true, true).importedFiles.map(({ fileName }) => fileName),
  );

/** The nodes of some of the kinds below, in the order of the text: one walk through a file serves every rule. */
export const nodesOf = (file: string, kinds: readonly IndexedKind[]): readonly ts.Node[] => {
  const index = once(indexed, file, () => {
    const found = new Map<ts.SyntaxKind, ts.Node[]>(INDEXED.map(kind => [kind, []]));
    walk(parse(file), node => found.get(node.kind)?.push(node));
    return found;
  });
  return kinds.flatMap(kind => index.get(kind) ?? []);
};

/** The worker that ran a test file of rules runs others after it. */
export const forgetFiles = (): void => {
  for (const known of [texts, parsed, imports, indexed]) known.clear();
};

export const walk = (node: ts.Node, visit: (node: ts.Node) => void): void => {
  visit(node);
  ts.forEachChild(node, child => walk(child, visit));
};

/** Deleted files stay in git's list until the deletion is committed. */
const isThere = (file: string): boolean => {
  try {
    readFileSync(repositoryRoot + file);
    return true;
  } catch {
    return false;
  }
};

/** Each rule looks at every file; none of them changes while they are looked at. */
const once = <T>(known: Map<string, T>, file: string, read: () => T): T => {
  const cached = known.get(file);
  if (cached !== undefined) return cached;
  const value = read();
  known.set(file, value);
  return value;
};

const INDEXED = [
  ts.SyntaxKind.AsExpression,
  ts.SyntaxKind.BinaryExpression,
  ts.SyntaxKind.CallExpression,
  ts.SyntaxKind.EnumDeclaration,
  ts.SyntaxKind.ExportAssignment,
  ts.SyntaxKind.ExportDeclaration,
  ts.SyntaxKind.ImportDeclaration,
  ts.SyntaxKind.NewExpression,
  ts.SyntaxKind.TypeAssertionExpression,
] as const;

type IndexedKind = (typeof INDEXED)[number];

const texts = new Map<string, string>();
const indexed = new Map<string, ReadonlyMap<ts.SyntaxKind, readonly ts.Node[]>>();
const parsed = new Map<string, ts.SourceFile>();
const imports = new Map<string, readonly string[]>();
