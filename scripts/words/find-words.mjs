// The words that docs/words.md forbids, found in identifiers, comments and texts of the code and in the documents. The
// document is the only list: its table under "Words that the check forbids" is read here.

import { readFileSync } from 'node:fs';
import { parse as parseSvelte } from 'svelte/compiler';
import ts from 'typescript';

const WORDS_PAGE = new URL('../../docs/words.md', import.meta.url);
const HEADING = '## Words that the check forbids';

/** Rows {words, where: Set of 'identifiers' | 'whole names' | 'comments' | 'texts' | 'docs' | 'test names', instead}. */
export const forbiddenRows = page => {
  const section = page.split(HEADING)[1]?.split(/^## /m)[0];
  if (section === undefined) throw new Error(`docs/words.md has no section "${HEADING}"`);
  const rows = section
    .split('\n')
    .filter(line => line.startsWith('| ') && !/^\| (?:word|---)/.test(line))
    .map(line => line.split('|').map(cell => cell.trim()))
    .map(([, words, where, instead]) => ({
      words: words.split(/,\s*/),
      where: new Set(where === 'everywhere' ? KINDS : where.split(/,\s*/)),
      instead,
    }));
  if (rows.length === 0) throw new Error('docs/words.md: the table of forbidden words is empty');
  return rows;
};

const KINDS = ['identifiers', 'comments', 'texts', 'docs', 'test names'];

const rowByWord = () => {
  const found = new Map();
  for (const row of forbiddenRows(readFileSync(WORDS_PAGE, 'utf8')))
    for (const word of row.words) found.set(word, row);
  return found;
};

let rows;

/** Findings {line, kind, word, instead, near} of one file. */
export const findWords = (path, source) => {
  rows ??= rowByWord();
  const found = [];
  const look = (kind, text, line) => {
    for (const [word] of wordsIn(kind, text)) {
      const row = rows.get(word.toLowerCase());
      if (row?.where.has(kind) === true)
        found.push({ line, kind, word, instead: row.instead, near: text.replace(/\s+/g, ' ').slice(0, 300) });
    }
  };
  if (path.endsWith('.md')) {
    for (const [index, line] of source.split('\n').entries())
      look('docs', line.replace(/`[^`]*`/g, ''), index + 1);
    return found;
  }
  if (path.endsWith('.svelte')) ofSvelte(source, look);
  else ofScript(source, look);
  return found;
};

/** Identifiers are cut where their case changes: "reportedAtMs" gives reported, at, ms. */
const wordsIn = (kind, text) => text.matchAll(PATTERNS[kind] ?? /[A-Za-z]+/g);

const PATTERNS = { identifiers: /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g, 'whole names': /\w+/g };

const ofScript = (source, look, lineBefore = 0) => {
  const tree = ts.createSourceFile('file.ts', source, ts.ScriptTarget.ESNext, true);
  const lineOf = position => tree.getLineAndCharacterOfPosition(position).line + 1 + lineBefore;
  const visit = node => {
    if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && isDeclared(node)) {
      look('identifiers', node.text, lineOf(node.getStart(tree)));
      look('whole names', node.text, lineOf(node.getStart(tree)));
    }
    const text = textOf(node);
    if (text !== undefined && !ts.isImportDeclaration(node.parent) && !ts.isExportDeclaration(node.parent))
      look(isTestName(node) ? 'test names' : 'texts', text, lineOf(node.getStart(tree)));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  for (const { text, index } of commentsIn(tree, source)) look('comments', text, lineOf(index));
};

/** Uses of a name are not counted again, nor names that a library gives. */
const isDeclared = ({ parent }) =>
  (ts.isVariableDeclaration(parent) ||
    ts.isFunctionDeclaration(parent) ||
    ts.isClassDeclaration(parent) ||
    ts.isInterfaceDeclaration(parent) ||
    ts.isTypeAliasDeclaration(parent) ||
    ts.isParameter(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isGetAccessor(parent) ||
    ts.isSetAccessor(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isTypeParameterDeclaration(parent) ||
    ts.isNamedTupleMember(parent) ||
    ts.isImportClause(parent) ||
    ts.isBindingElement(parent)) === true;

/** First argument of test(…), it(…), describe(…) and their forms such as test.each(…)(…). */
const isTestName = node => {
  const { parent } = node;
  if (!ts.isCallExpression(parent) || parent.arguments[0] !== node) return false;
  let called = parent.expression;
  while (!ts.isIdentifier(called)) {
    if (ts.isCallExpression(called) || ts.isPropertyAccessExpression(called)) called = called.expression;
    else return false;
  }
  return ['test', 'it', 'describe'].includes(called.text);
};

const textOf = node => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(span => span.literal.text)].join(' … ');
  return undefined;
};

/** By token of the tree: a scanner alone takes what follows a template's `${}` for code or text at random. */
const commentsIn = (tree, source) => {
  const found = new Map();
  const visit = node => {
    if (node.getChildCount(tree) === 0 || ts.isTemplateLiteralToken(node)) {
      const ranges = [
        ...(ts.getLeadingCommentRanges(source, node.pos) ?? []),
        ...(ts.getTrailingCommentRanges(source, node.end) ?? []),
      ];
      if (!ts.isJsxText(node) && !isInsideTemplate(node))
        for (const { pos, end } of ranges) found.set(pos, { text: source.slice(pos, end), index: pos });
    }
    for (const child of node.getChildren(tree)) visit(child);
  };
  visit(tree);
  return [...found.values()];
};

/** What follows a template's head or middle is an expression, and what precedes its middle or tail was one. */
const isInsideTemplate = node => node.kind === ts.SyntaxKind.TemplateMiddle;

const ofSvelte = (source, look) => {
  const { instance, module, fragment } = parseSvelte(source, { modern: true });
  for (const script of [instance, module]) {
    if (script === null || script === undefined) continue;
    const { start, end } = script.content;
    ofScript(source.slice(start, end), look, source.slice(0, start).split('\n').length - 1);
  }
  const visit = node => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (node === null || typeof node !== 'object' || typeof node.type !== 'string') return;
    if (node.type === 'Attribute' && ['class', 'style', 'd', 'href', 'transform'].includes(node.name)) return;
    const line = () => source.slice(0, node.start).split('\n').length;
    if (node.type === 'Text') look('texts', node.data, line());
    else if (node.type === 'Comment') look('comments', node.data, line());
    else if (node.type === 'Literal' && typeof node.value === 'string') look('texts', node.value, line());
    for (const value of Object.values(node)) visit(value);
  };
  visit(fragment);
};

/** Fixtures are the output of foreign tools; this folder lists the words themselves. */
export const isChecked = path =>
  /^(?:(?:src|dashboard\/src|test|benchmarks|scripts)\/.*\.(?:ts|js|mjs|svelte)|docs\/(?!words\.md).*\.md|(?:README|ARCHITECTURE|CONTRIBUTING|SECURITY)\.md)$/.test(
    path,
  ) && !/\/fixtures\/|^scripts\/words\//.test(path);
