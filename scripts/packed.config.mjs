// Vite puts our own compiled code into few files under dist/packed: the command, and each process and thread that it starts into
// one of its own. Node reads one file faster than three hundred, and a run starts five times. What a run loads is made scripts, which
// bin/load-packed.js loads with what V8 compiled of them before: modules have no such way.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const PACKED = join(DIST, 'packed');
/** Each has most of the code within reach, and loads little of it: they share their files. */
const SHARING = [
  'cli/main',
  'cli/demo-bench-process',
  'bench/agent/agent-process',
  'bench/agent/plan-worker',
  'daemon/runs/compare-worker',
  'mock/mock-process',
];

/** What each run starts. A folder of them holds nothing else. */
const OF_EACH_RUN = [
  'bench/load/load-worker',
  'bench/parse/parse-worker',
  'metrics/aggregator-process',
  'metrics/event-logger-process',
];
const SCRIPTS = {
  format: 'cjs',
  dynamicImportInCjs: false,
  entryFileNames: '[name].code.js',
  chunkFileNames: 'run/[name]-[hash].js',
};

const distPathOf = path => relative(DIST, path).replaceAll('\\', '/');

/** What src/process/entry.ts resolves, wherever it is asked. */
const startedEntries = () => {
  const entries = readdirSync(DIST, { recursive: true })
    .map(file => join(DIST, file))
    .filter(path => path.endsWith('.js') && !/^(packed|dashboard|libraries)\//.test(distPathOf(path)))
    .flatMap(path =>
      [...readFileSync(path, 'utf8').matchAll(/entryUrl\(import\.meta\.url, '([^']+)\.ts'\)/g)].map(
        ([, entry]) => posix.join(posix.dirname(distPathOf(path)), entry),
      ),
    );
  return [...new Set(entries)].filter(entry => existsSync(join(DIST, `${entry}.js`))).sort();
};

/** A packed module keeps its original URL so that it finds files next to its source; the entry points that it starts are packed. */
const ownPaths = {
  name: 'own-paths',
  transform(code, id) {
    if (!id.startsWith(DIST) || !code.includes('import.meta.url')) return undefined;
    const distPath = distPathOf(id);
    const placed = code
      .replaceAll('entryUrl(import.meta.url', `entryUrl(${MARK}("packed/${distPath}")`)
      .replaceAll('import.meta.url', `${MARK}("${distPath}")`);
    return { code: placed, map: null };
  },
  renderChunk(code, { fileName }, { format }) {
    const up = posix.relative(posix.dirname(posix.join('packed', fileName)), '.') || '.';
    const here = format === 'cjs' ? 'require("node:url").pathToFileURL(__filename)' : 'import.meta.url';
    const placed = code
      .replaceAll(
        new RegExp(`${MARK}\\("([^"]+)"\\)`, 'g'),
        (_, distPath) => `new URL("${up}/${distPath}", ${here}).href`,
      )
      .replaceAll(/ from "[./]+\/libraries\//g, ` from "${up}/libraries/`);
    return { code: placed, map: null };
  },
  // Behind Vite, which writes every chunk once more.
  generateBundle({ format }, chunks) {
    if (format !== 'cjs') return;
    for (const chunk of Object.values(chunks)) if (chunk.type === 'chunk') chunk.code = inAscii(chunk.code);
  },
};

/** A text of one byte a character is read as it is, and held in half the memory. */
const inAscii = code => {
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code))
    throw new Error('String.raw would contain an escape in place of a character that is not ASCII');
  return code.replace(
    /[^\0-\x7f]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
};

/** Node starts a script as it starts a module: by a file of its name. */
const startScript = entry => {
  const up = posix.relative(posix.join('dist/packed', posix.dirname(entry)), '.');
  const codeFile = `require('node:path').join(__dirname, '${basename(entry)}.code.js')`;
  const [file, folder] = [join(PACKED, `${entry}.js`), join(PACKED, dirname(entry))];
  writeFileSync(file, `require('${up}/bin/load-packed.js').loadPacked(${codeFile});\n`);
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
};

const MARK = '__pathInDist';
/** Packed already: libraries.config.mjs. */
const LIBRARIES = /[\\/]libraries[\\/][\w-]+\.js$/;

const packed = (names, output) => ({
  consumer: 'server',
  // Small in use, and loaded by each of them.
  ...(output.format === 'cjs'
    ? { resolve: { noExternal: ['valibot', '@msgpack/msgpack', 'toml-eslint-parser'] } }
    : {}),
  build: {
    outDir: PACKED,
    emptyOutDir: false,
    copyPublicDir: false,
    minify: false,
    target: 'node24',
    rolldownOptions: {
      // A script cannot load a module, so it contains the libraries that it needs.
      external: id => output.format !== 'cjs' && LIBRARIES.test(id),
      input: Object.fromEntries(names.map(name => [name, join(DIST, `${name}.js`)])),
      output: {
        format: 'es',
        comments: false,
        // Removing whitespace reduces the size to a quarter; names are kept so that stack traces stay readable.
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name]-[hash].js',
        ...output,
      },
      // A library of which nothing is used is not loaded for its side effects.
      treeshake: { moduleSideEffects: 'no-external' },
      // What is imported late of a part that is itself loaded late is late enough.
      checks: { pluginTimings: false, ineffectiveDynamicImport: false },
    },
  },
});

const alone = startedEntries().filter(entry => !SHARING.includes(entry));
const environments = {
  sharing: packed(SHARING, {}),
  // Apart from all other commands, and in parts for what few runs need.
  bench: packed(['cli/bench-main'], SCRIPTS),
  ...Object.fromEntries(
    alone.map((entry, index) => [
      `alone${index}`,
      packed([entry], { codeSplitting: false, ...(OF_EACH_RUN.includes(entry) ? SCRIPTS : {}) }),
    ]),
  ),
};

export default defineConfig({
  root: ROOT,
  publicDir: false,
  plugins: [ownPaths],
  environments,
  builder: {
    sharedPlugins: true,
    async buildApp(builder) {
      rmSync(PACKED, { recursive: true, force: true });
      for (const name of Object.keys(environments)) await builder.build(builder.environments[name]);
      OF_EACH_RUN.forEach(startScript);
    },
  },
});
