// Vite puts our own compiled code into few files under dist/packed: the command, and each process and thread that it starts into
// one of its own. Node reads one file faster than three hundred, and a run starts five times.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const PACKED = join(DIST, 'packed');
/** Each has most of the code within reach, and loads little of it: they share their files. */
const SHARING = [
  'cli/main',
  'cli/demo/demo-bench-process',
  'bench/agent/agent-process',
  'daemon/runs/compare-worker',
  'mock/mock-process',
];

const placeOf = path => relative(DIST, path).replaceAll('\\', '/');

/** What src/process/entry.ts resolves, wherever it is asked. */
const startedEntries = () => {
  const entries = readdirSync(DIST, { recursive: true })
    .map(file => join(DIST, file))
    .filter(path => path.endsWith('.js') && !/^(packed|dashboard|libraries)\//.test(placeOf(path)))
    .flatMap(path =>
      [...readFileSync(path, 'utf8').matchAll(/entryUrl\(import\.meta\.url, '([^']+)\.ts'\)/g)].map(
        ([, entry]) => posix.join(posix.dirname(placeOf(path)), entry),
      ),
    );
  return [...new Set(entries)].filter(entry => existsSync(join(DIST, `${entry}.js`))).sort();
};

/** A packed module goes on to say where it lay, for what it looks for beside it; what it starts lies packed. */
const ownPlaces = {
  name: 'own-places',
  transform(code, id) {
    if (!id.startsWith(DIST) || !code.includes('import.meta.url')) return undefined;
    const place = placeOf(id);
    const placed = code
      .replaceAll('entryUrl(import.meta.url', `entryUrl(${MARK}("packed/${place}")`)
      .replaceAll('import.meta.url', `${MARK}("${place}")`);
    return { code: placed, map: null };
  },
  renderChunk(code, { fileName }) {
    const up = posix.relative(posix.dirname(posix.join('packed', fileName)), '.') || '.';
    const placed = code
      .replaceAll(
        new RegExp(`${MARK}\\("([^"]+)"\\)`, 'g'),
        (_, place) => `new URL("${up}/${place}", import.meta.url).href`,
      )
      .replaceAll(/ from "[./]+\/libraries\//g, ` from "${up}/libraries/`);
    return { code: placed, map: null };
  },
};

const MARK = '__placeInDist';
/** Packed already: libraries.config.mjs. */
const LIBRARIES = /[\\/]libraries[\\/][\w-]+\.js$/;

const packed = (names, output) => ({
  consumer: 'server',
  build: {
    outDir: PACKED,
    emptyOutDir: false,
    copyPublicDir: false,
    minify: false,
    target: 'node24',
    rolldownOptions: {
      external: id => LIBRARIES.test(id),
      input: Object.fromEntries(names.map(name => [name, join(DIST, `${name}.js`)])),
      output: {
        format: 'es',
        comments: false,
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name]-[hash].js',
        ...output,
      },
      checks: { pluginTimings: false },
    },
  },
});

const alone = startedEntries().filter(entry => !SHARING.includes(entry));
const environments = {
  sharing: packed(SHARING, {}),
  // Apart from all other commands, and in parts for what few runs need.
  bench: packed(['cli/bench-main'], {}),
  ...Object.fromEntries(
    alone.map((entry, index) => [`alone${index}`, packed([entry], { codeSplitting: false })]),
  ),
};

export default defineConfig({
  root: ROOT,
  publicDir: false,
  plugins: [ownPlaces],
  environments,
  builder: {
    sharedPlugins: true,
    async buildApp(builder) {
      rmSync(PACKED, { recursive: true, force: true });
      for (const name of Object.keys(environments)) await builder.build(builder.environments[name]);
    },
  },
});
