// `npm run house`: the figures of the code's structure, at HEAD or, with `-- REV`, compared with another commit:
// lines and files, short files, modules imported twice, files whose only importer is next to them, exports that
// nothing else names, how many files name one figure, and the words that docs/words.md forbids. It reads committed
// files only.

import { execFileSync } from 'node:child_process';
import { dirname, join, normalize } from 'node:path';
import { findWords, isChecked } from './words/find-words.mjs';

const ROOT = new URL('../', import.meta.url);
const PARTS = ['src', 'dashboard', 'test'];
/** A file below this may be a part of the one that imports it. */
const SHORT_LINES = 30;
/** Figures of nodes, devices, links and requests, by which it is counted how many files one figure is spelled in. */
const FIGURES = [
  ...['powerWatts', 'temperatureCelsius', 'cpuUse', 'gpuUse', 'availableBytes', 'memoryReadBytesPerSecond'],
  ...['uploadBitsPerSecond', 'roundTripNs', 'jitterNs', 'heldBackNs'],
];

const git = (...args) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 512 * 1024 * 1024 });

/** Map of path to text, of every source and document of a commit; one process reads them all. */
const filesAt = revision => {
  const listed = git('ls-tree', '-r', revision)
    .split('\n')
    .map(line => /^\d+ blob (\S+)\t(.*)$/.exec(line))
    .filter(match => match !== null && /\.(?:ts|js|mjs|svelte|md)$/.test(match[2]));
  const input = listed.map(([, blob]) => blob).join('\n');
  const output = execFileSync('git', ['cat-file', '--batch'], {
    cwd: ROOT,
    input: `${input}\n`,
    maxBuffer: 512 * 1024 * 1024,
  });
  const files = new Map();
  let at = 0;
  for (const [, , path] of listed) {
    const headEnd = output.indexOf(10, at);
    const size = Number(output.subarray(at, headEnd).toString().split(' ')[2]);
    files.set(path, output.subarray(headEnd + 1, headEnd + 1 + size).toString());
    at = headEnd + 2 + size;
  }
  return files;
};

const importsOf = source =>
  [...source.matchAll(/^\s*(?:import|export)\s[^'"]*?from\s+['"](\.[^'"]+)['"]/gm)].map(([, path]) => path);

const figuresOf = files => {
  const code = [...files].filter(([path]) => /\.(?:ts|svelte)$/.test(path));
  const importers = new Map();
  let doubleImports = 0;
  for (const [path, source] of code) {
    const targets = importsOf(source).map(target => normalize(join(dirname(path), target)));
    doubleImports += targets.length - new Set(targets).size;
    for (const target of new Set(targets)) importers.set(target, [...(importers.get(target) ?? []), path]);
  }
  const figures = {};
  for (const part of PARTS) {
    const own = code.filter(([path]) => path.startsWith(`${part}/`));
    figures[`lines of ${part}`] = own.reduce((sum, [, source]) => sum + linesOf(source), 0);
    figures[`files of ${part}`] = own.length;
  }
  const ofSource = code.filter(([path]) => path.startsWith('src/'));
  const onlyImporter = ofSource.filter(([path]) => {
    const used = (importers.get(path) ?? []).filter(user => !user.startsWith('test/'));
    return used.length === 1 && dirname(used[0]) === dirname(path);
  });
  figures[`files of src below ${SHORT_LINES} lines`] = ofSource.filter(
    ([, source]) => linesOf(source) < SHORT_LINES,
  ).length;
  figures['modules that a file imports twice'] = doubleImports;
  figures['files of src whose only importer is next to them'] = onlyImporter.length;
  figures['of those below 40 lines'] = onlyImporter.filter(([, source]) => linesOf(source) < 40).length;
  figures['exports of src that no other file names'] = unusedExports(ofSource, code).length;
  figures['files of src with a test of the same path'] = ofSource.filter(([path]) =>
    files.has(path.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts')),
  ).length;
  const shown = code.filter(([path]) => !path.startsWith('test/'));
  for (const [name, named] of [
    ['files that name one figure, median of ten', shown],
    [
      'of those without what reads, probes, simulates or sends',
      shown.filter(([path]) => !PRODUCERS.test(path)),
    ],
  ])
    figures[name] = median(
      FIGURES.map(figure => named.filter(([, source]) => new RegExp(`\\b${figure}\\b`).test(source)).length),
    );
  figures['findings of the words check'] = [...files]
    .filter(([path]) => isChecked(path))
    .reduce((sum, [path, source]) => sum + findWords(path, source).length, 0);
  return figures;
};

const unusedExports = (sources, all) => {
  const names = new Map();
  for (const [path, source] of all)
    for (const word of new Set(source.match(/[A-Za-z_$][\w$]*/g) ?? []))
      names.set(word, [...(names.get(word) ?? []), path]);
  return sources.flatMap(([path, source]) =>
    [
      ...source.matchAll(
        /^export (?:const|function|class|interface|type|async function) ([A-Za-z_$][\w$]*)/gm,
      ),
    ]
      .filter(([, name]) => (names.get(name) ?? []).every(user => user === path))
      .map(([, name]) => `${path}:${name}`),
  );
};

/** What gives a figure its value has to name it. */
const PRODUCERS = /^src\/(?:gather|probe|simulate|mock|bench)\//;

const median = values => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
};

const linesOf = source => source.split('\n').length - 1;

const [against] = process.argv.slice(2).filter(arg => !arg.startsWith('--'));
const now = figuresOf(filesAt('HEAD'));
const before = against === undefined ? undefined : figuresOf(filesAt(against));
const width = Math.max(...Object.keys(now).map(key => key.length));
for (const [key, value] of Object.entries(now))
  process.stdout.write(
    `${key.padEnd(width)}  ${before === undefined ? '' : `${String(before[key]).padStart(8)} → `}${String(value).padStart(8)}\n`,
  );
if (process.argv.includes('--unused-exports')) {
  const files = [...filesAt('HEAD')].filter(([path]) => /\.(?:ts|svelte)$/.test(path));
  for (const location of unusedExports(
    files.filter(([path]) => path.startsWith('src/')),
    files,
  ))
    process.stdout.write(`${location}\n`);
}
