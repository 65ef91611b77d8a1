import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { requireBuild } from '../support/build.ts';
import { repositoryRoot } from '../support/repository-root.ts';

const run = promisify(execFile);
const loader = join(repositoryRoot, 'bin/load-packed.js');
const packed = join(repositoryRoot, 'dist/packed');

/** In a process of its own, as the program runs: V8's flags are part of what it compares. */
const printed = async (code: string, ...args: readonly string[]): Promise<string> =>
  (await run(process.execPath, ['-e', code, ...args])).stdout;

const LOAD = 'console.log(require(process.argv[1]).loadPacked(process.argv[2]))';
const KEEP = `
  const kept = [];
  const vm = require('node:vm');
  vm.Script = class extends vm.Script {
    constructor(code, options) { super(code, options); kept.push([this, options.filename]); }
  };
  const { loadPacked, keptCodePath } = require(process.argv[1]);
  loadPacked(process.argv[2]);
  for (const [script, path] of kept) require('node:fs').writeFileSync(keptCodePath(path), script.createCachedData());
  console.log(keptCodePath(process.argv[2]));`;

test('packed code does the same with what was kept of it, with what was cut, with that of another text, and with nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-load-packed-'));
  try {
    await mkdir(join(folder, 'parts'));
    const main = join(folder, 'main.js');
    await writeFile(
      join(folder, 'parts/one.js'),
      "exports.sum = (a, b) => a + b; exports.back = require('../main.js');",
    );
    const text = (word: string): string =>
      `exports.early = 1; const one = require('./parts/one.js'); module.exports = \`${word} \${one.sum(2, 3)} \${one.back.early} \${require('node:path').basename(__filename)}\`;`;
    await writeFile(main, text('first'));
    const bare = await printed(LOAD, loader, main);
    expect(bare).toBe('first 5 1 main.js\n');
    const path = (await printed(KEEP, loader, main)).trim();
    expect(await printed(LOAD, loader, main)).toBe(bare);
    const kept = await readFile(path);
    await writeFile(path, kept.subarray(0, kept.length - 100));
    expect(await printed(LOAD, loader, main)).toBe(bare);
    await writeFile(path, 'no code at all');
    expect(await printed(LOAD, loader, main)).toBe(bare);
    await writeFile(path, kept);
    await writeFile(main, text('another'));
    expect(await printed(LOAD, loader, main)).toBe('another 5 1 main.js\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('what the build kept of each process and thread of a run is taken by the Node that built', async () => {
  requireBuild();
  const ending = `.${process.platform}-${process.arch}.cache`;
  const files = await readdir(packed, { recursive: true });
  const kept = files.filter(file => file.endsWith(ending)).map(file => file.slice(0, -ending.length));
  for (const entry of [
    'cli/bench-main',
    'bench/load/load-worker',
    'bench/parse/parse-worker',
    'metrics/aggregator-process',
    'metrics/event-logger-process',
  ])
    expect(kept).toContain(`${entry}.code.js`);
  const refused = await printed(
    `const vm = require('node:vm');
    const refused = [];
    vm.Script = class extends vm.Script {
      constructor(code, options) {
        super(code, options);
        if (this.cachedDataRejected !== false) refused.push(options.filename);
      }
      runInThisContext() { return () => undefined; }
    };
    const { loadPacked } = require(process.argv[1]);
    for (const path of process.argv.slice(2)) loadPacked(path);
    console.log(JSON.stringify(refused));`,
    loader,
    ...kept.map(file => join(packed, file)),
  );
  expect(JSON.parse(refused)).toEqual([]);
});

test('a run loads no module by import(), which a script has no loader for', async () => {
  requireBuild();
  const files = (await readdir(packed, { recursive: true })).filter(file =>
    /^run\/.*\.js$|\.code\.js$/.test(file),
  );
  expect(files.length).toBeGreaterThan(5);
  const offences: string[] = [];
  for (const file of files) {
    const text = await readFile(join(packed, file), 'utf8');
    if (/[^.\w]import\(|import\.meta|[^\0-\x7f]/.test(text)) offences.push(file);
  }
  expect(offences).toEqual([]);
});
