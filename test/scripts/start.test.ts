import { existsSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MadeUpCheckout } from '../support/made-up-checkout.ts';
import { versionOf } from '../support/node-version.ts';

const ENDS_AT_ONCE = `process.stdout.write(JSON.stringify(process.argv.slice(2)));`;

test('a fresh clone is installed, built and started, and arguments reach the daemon', async () => {
  const install = `require('fs').copyFileSync('package-lock.json', 'node_modules/.package-lock.json');`;
  await using checkout = await MadeUpCheckout.make({
    isInstalled: false,
    daemon: ENDS_AT_ONCE,
    npm: install,
  });
  const ended = await checkout.start(['--once', '--name', 'a b']).ended;
  expect(ended).toMatchObject({ code: 0, stdout: '["up","--once","--name","a b"]' });
  expect((await checkout.notes()).toSorted()).toEqual(['npm', 'tsc', 'vite', 'vite', 'vite']);
  expect((await checkout.notes())[0]).toBe('npm');
  expect(ended.stderr).toContain('installing dependencies');
});

test('a second start neither installs nor builds', async () => {
  await using checkout = await MadeUpCheckout.make({ isInstalled: true, daemon: ENDS_AT_ONCE });
  await checkout.start().ended;
  const ended = await checkout.start().ended;
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect((await checkout.notes()).toSorted()).toEqual(['tsc', 'vite', 'vite', 'vite']);
});

test('a source that changed is built again, also when its time did not', async () => {
  await using checkout = await MadeUpCheckout.make({ isInstalled: true, daemon: ENDS_AT_ONCE });
  await checkout.start().ended;
  await checkout.write('src/main.ts', 'export const one = 2;\n');
  await utimes(join(checkout.folder, 'src/main.ts'), 0, 0);
  await checkout.start().ended;
  expect((await checkout.notes()).toSorted()).toEqual([
    'tsc',
    'tsc',
    'vite',
    'vite',
    'vite',
    'vite',
    'vite',
    'vite',
  ]);
});

test('two starts at once install and build once', async () => {
  const install = `
    setTimeout(() => require('fs').copyFileSync('package-lock.json', 'node_modules/.package-lock.json'), 300);`;
  await using checkout = await MadeUpCheckout.make({
    isInstalled: false,
    daemon: ENDS_AT_ONCE,
    npm: install,
  });
  const endings = await Promise.all([checkout.start().ended, checkout.start().ended]);
  expect(endings.map(({ code }) => code)).toEqual([0, 0]);
  expect((await checkout.notes()).toSorted()).toEqual(['npm', 'tsc', 'vite', 'vite', 'vite']);
});

test('what a killed start left behind does not stop the next', async () => {
  const daemon = `process.stdout.write('running'); setInterval(() => {}, 1000);`;
  await using checkout = await MadeUpCheckout.make({ isInstalled: true, daemon });
  await checkout.write('.cache/prepare.lock', '999999999\n');
  const started = checkout.start();
  await started.untilStdout('running');
  expect(existsSync(join(checkout.folder, '.cache/prepare.lock'))).toBe(false);
  started.child.kill('SIGTERM');
  await started.ended;
});

test("an install that fails reports what is needed, and keeps npm's exit code", async () => {
  await using checkout = await MadeUpCheckout.make({
    isInstalled: false,
    daemon: ENDS_AT_ONCE,
    npm: 'process.exit(7);',
  });
  const ended = await checkout.start().ended;
  expect(ended).toMatchObject({ code: 7, stdout: '' });
  expect(ended.stderr).toContain('the dependencies could not be installed');
});

test("the daemon's exit code is the script's", async () => {
  await using checkout = await MadeUpCheckout.make({ isInstalled: true, daemon: 'process.exit(42);' });
  expect(await checkout.start().ended).toMatchObject({ code: 42, signal: null });
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s reaches the daemon once, and its exit code is kept',
  async signal => {
    const daemon = `
    let count = 0;
    process.on('${signal}', () => {
      count += 1;
      setImmediate(() => { process.stdout.write('stopped ' + count); process.exit(3); });
    });
    process.stdout.write('running');
    setInterval(() => {}, 1000);`;
    await using checkout = await MadeUpCheckout.make({ isInstalled: true, daemon });
    const started = checkout.start();
    await started.untilStdout('running');
    started.child.kill(signal);
    expect(await started.ended).toMatchObject({ code: 3, stdout: 'runningstopped 1' });
  },
);

test('a daemon whose npm was killed stops', async context => {
  if (process.platform === 'win32') context.skip('there is no sh');
  const daemon = `
    import { appendFileSync } from 'node:fs';
    process.on('SIGTERM', () => { appendFileSync('notes', 'stopped\\n'); process.exit(0); });
    process.stdout.write('running');
    setInterval(() => {}, 1000);`;
  await using checkout = await MadeUpCheckout.make({ isInstalled: true, daemon });
  // As npm does it: a shell between npm and the script, which dies of the signal and passes nothing on.
  const shell = checkout.startByShell();
  await shell.untilStdout('running');
  shell.child.kill('SIGTERM');
  expect(await shell.ended).toMatchObject({ signal: 'SIGTERM' });
  expect(await checkout.notes()).toContain('stopped');
});

test('a Node that is too old to run Plimsoll, with no other there, is reported in two lines', async context => {
  const old = '/usr/bin/node';
  const version = versionOf(old);
  if (version === undefined || version < 20 || version >= 24)
    context.skip('no Node 20 to 23 at /usr/bin/node');
  await using checkout = await MadeUpCheckout.make({
    isInstalled: true,
    daemon: ENDS_AT_ONCE,
    hasPinnedNode: false,
  });
  const ended = await checkout.start([], old).ended;
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain('Plimsoll runs on Node 24 or newer');
  expect(ended.stderr).not.toContain('    at ');
});
