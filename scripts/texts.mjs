// `npm run texts`: every text that a person may read (interface, terminal, errors, help), each once with the lines that contain it, so
// that somebody can read all of them in one sitting; docs/words.md has the words they should use.
// `-- --comments` lists comments instead. `-- --against REV` counts what changed since a commit.

import { execFileSync } from 'node:child_process';
import { parse as parseSvelte } from 'svelte/compiler';
import ts from 'typescript';

const ROOT = new URL('../', import.meta.url);
const SOURCES = /^(src|dashboard\/src)\/.*\.(ts|svelte)$/;

const git = (...args) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });

/** Map of each text to the lines that contain it, in the checkout's committed state or in an older commit. */
const textsOf = (revision, extract) => {
  const occurrences = new Map();
  const files = git('ls-tree', '-r', '--name-only', revision).split('\n');
  for (const file of files.filter(name => SOURCES.test(name))) {
    const source = git('show', `${revision}:${file}`);
    for (const { text, line } of extract(file, source)) {
      if (!occurrences.has(text)) occurrences.set(text, []);
      occurrences.get(text).push(`${file}:${line}`);
    }
  }
  return occurrences;
};

const readableTexts = (file, source) =>
  (file.endsWith('.svelte') ? svelteTexts(source) : scriptTexts(source)).filter(({ text }) =>
    isForPeople(text),
  );

const scriptTexts = source => {
  const tree = ts.createSourceFile('file.ts', source, ts.ScriptTarget.ESNext, true);
  const found = [];
  const visit = node => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    const text = textOfLiteral(node);
    if (text !== undefined) found.push({ text, line: lineAt(source, node.getStart(tree)) });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
};

const textOfLiteral = node => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(span => `{}${span.literal.text}`).join('');
};

const svelteTexts = source => {
  const found = [];
  const visit = node => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (node === null || typeof node !== 'object' || typeof node.type !== 'string') return;
    if (node.type === 'ImportDeclaration' || node.type.startsWith('TS') || node.type === 'StyleSheet') return;
    if (node.type === 'Attribute' && ['class', 'style', 'd', 'href', 'transform'].includes(node.name)) return;
    const text = textOfSvelte(node);
    if (text !== undefined) found.push({ text, line: lineAt(source, node.start) });
    for (const value of Object.values(node)) visit(value);
  };
  const { instance, module, fragment } = parseSvelte(source, { modern: true });
  visit([instance, module, fragment]);
  return found;
};

const textOfSvelte = node => {
  if (node.type === 'Text') return node.data.replace(/\s+/g, ' ').trim();
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join('{}');
  return undefined;
};

/** Two words, or one with a capital: what is left of identifiers, keys, paths, formats, SQL and class names. */
const isForPeople = text => {
  const words = text.replace(/\{\}/g, ' ').match(/\p{L}{2,}/gu) ?? [];
  if (words.length === 0 || OTHER_LANGUAGES.test(text)) return false;
  return (/\p{L}{2}[,;:.]? /u.test(text) || /^\p{Lu}\p{Ll}+/u.test(text)) && !/^[\w-]+\/[\w.*-]+$/.test(text);
};

const comments = (_file, source) =>
  [...source.matchAll(/(?:^[ \t]*\/\/.*\n)+|\/\*\*?[\s\S]*?\*\/|[^:'"`]\/\/ .*/gm)].map(match => ({
    text: match[0]
      .replace(/^\s*(\/\/|\/?\*+\/?)\s?/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
    line: lineAt(source, match.index),
  }));

/** SQL, WGSL, Python, headers of HTTP. */
const OTHER_LANGUAGES =
  /^\s*(SELECT|INSERT|CREATE|DELETE|UPDATE|PRAGMA|DROP|ALTER|WITH|BEGIN) |^\s*(@|let |var |import |d\[|words )|\r\n|@compute/;

const lineAt = (source, offset) => source.slice(0, offset).split('\n').length;

const args = process.argv.slice(2);
const extract = args.includes('--comments') ? comments : readableTexts;
const texts = textsOf('HEAD', extract);
if (args.includes('--against')) {
  const before = textsOf(args[args.indexOf('--against') + 1] ?? 'HEAD', extract);
  const kept = [...texts.keys()].filter(text => before.has(text)).length;
  process.stdout.write(
    `${before.size} texts before, ${texts.size} now: ${kept} unchanged, ${texts.size - kept} new or changed, ${before.size - kept} gone\n`,
  );
} else {
  for (const [text, occurrences] of [...texts].sort(([one], [other]) => (one < other ? -1 : 1)))
    process.stdout.write(`${JSON.stringify(text)}\t${occurrences.join(' ')}\n`);
}
