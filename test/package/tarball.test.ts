// The tarball as a stranger uses it: pack, install in an empty folder, run, open the dashboard.

import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import { startCommand } from '../e2e/started-command.ts';
import {
  type Installed,
  type InstalledPackage,
  installPackage,
  plainEnv,
  run,
} from '../support/installed-package.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { runDaemon } from '../support/running-daemon.ts';
import { whenState } from '../support/streamed-state.ts';

const INSTALLED_MB_MAX = 61;
const INSTALL_MS_MAX = 240_000;

const { version }: { version: string } = JSON.parse(
  readFileSync(join(repositoryRoot, 'package.json'), 'utf8'),
);

let installed: Installed;
beforeAll(async () => {
  installed = await installPackage();
}, INSTALL_MS_MAX);
afterAll(async () => {
  if (installed?.kind === 'installed') await installed.package[Symbol.asyncDispose]();
});

const packageOrSkip = (context: TestContext): InstalledPackage => {
  if (installed.kind === 'offline') context.skip(installed.reason);
  return installed.package;
};

test('the tarball holds the program, the dashboard and the licence, and nothing for developers', context => {
  const { files } = packageOrSkip(context);
  for (const needed of [
    'bin/plimsoll.js',
    'dist/dashboard/index.html',
    'LICENSE',
    'README.md',
    'package.json',
  ])
    expect(files).toContain(needed);
  expect(
    files.filter(file =>
      /^(src|test|benchmarks|scripts|dashboard)\/|\.d\.ts$|\.tsbuildinfo$|\.build-stamp$/.test(file),
    ),
  ).toEqual([]);
});

test(`what is installed has less than ${INSTALLED_MB_MAX} MB in its files`, context => {
  const { folder, tarballBytes } = packageOrSkip(context);
  const { fileBytes, diskBytes } = sizeUnder(join(folder, 'node_modules'));
  const megabytes = fileBytes / 1e6;
  console.info(
    `installed: ${megabytes.toFixed(1)} MB in files, ${(diskBytes / 1e6).toFixed(1)} MB on disk; tarball ${(tarballBytes / 1e6).toFixed(2)} MB`,
  );
  expect(megabytes).toBeLessThan(INSTALLED_MB_MAX);
});

test('npx plimsoll --version prints the version of the package', async context => {
  const { folder } = packageOrSkip(context);
  const ran = await run('npx', ['--no-install', 'plimsoll', '--version'], { cwd: folder });
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stdout).toContain(version);
});

test("npx plimsoll up --once prints this machine's first readings and ends", async context => {
  const { folder } = packageOrSkip(context);
  const home = join(folder, 'home of once');
  const args = [
    '--no-install',
    'plimsoll',
    'up',
    '--once',
    '--home',
    home,
    '--http',
    '127.0.0.1:0',
    '--no-open',
  ];
  const ran = await run('npx', args, { cwd: folder });
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stdout.toLowerCase()).toContain('memory');
});

test('the installed daemon serves the dashboard with its assets', async context => {
  const { folder } = packageOrSkip(context);
  const program = join(folder, 'node_modules/.bin/plimsoll');
  await using daemon = await runDaemon({ command: [program, 'up'], cwd: folder, env: plainEnv() });
  const page = await fetch(daemon.url);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toContain('text/html');
  const [asset = 'the page names no script'] =
    /(?<=src="\/)assets\/[^"]+\.js(?=")/.exec(await page.text()) ?? [];
  const script = await fetch(new URL(asset, daemon.url));
  expect(script.status, asset).toBe(200);
  expect(script.headers.get('content-type')).toContain('javascript');
  expect((await script.text()).length).toBeGreaterThan(1_000);
});

test('the installed demo shows its cluster, and runs a benchmark of its mock', async context => {
  const { folder } = packageOrSkip(context);
  const program = join(folder, 'node_modules/.bin/plimsoll');
  await using demo = await startCommand(['demo', '--nodes', '2'], { program, env: plainEnv() });
  const state = await whenState(demo.url, current =>
    Object.values(current.runProgress).some(runs => Object.keys(runs).length > 0),
  );
  expect(Object.values(state.nodeIdentities).map(({ value }) => value.isSimulated)).toEqual([true, true]);
});

test('every native package loads without its install script', context => {
  const { folder } = packageOrSkip(context);
  const natives = nativePackages(join(folder, 'node_modules'));
  console.info(`native packages: ${natives.length === 0 ? 'none' : natives.join(', ')}`);
  for (const name of natives)
    execFileSync(
      process.execPath,
      ['-e', `import(${JSON.stringify(name)}).catch(error => { console.error(error); process.exit(1); })`],
      { cwd: folder, stdio: 'pipe' },
    );
});

/** Small files take whole blocks on disk, how many depends on the file system. */
const sizeUnder = (folder: string): { fileBytes: number; diskBytes: number } => {
  let fileBytes = 0;
  let diskBytes = 0;
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const { size, blocks } = lstatSync(join(folder, file));
    fileBytes += size;
    diskBytes += blocks * 512;
  }
  return { fileBytes, diskBytes };
};

/** Packages with compiled code, by name; those that only carry a binary for another are reached through it. */
const nativePackages = (modules: string): readonly string[] => {
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' });
  const names = files
    .filter(file => /\.node$|(^|\/)binding\.gyp$/.test(file))
    .map(file => /^(?:.*node_modules\/)?((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? file);
  return [...new Set(names)].toSorted();
};
