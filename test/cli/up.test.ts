import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { madeUpProcess } from '../support/made-up-process.ts';
import { notifySocket, reasonAgainstNotify } from '../support/notify-socket.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const upArgs = (home: string, ...more: string[]) => [
  'up',
  '--home',
  home,
  '--http',
  '127.0.0.1:0',
  '--no-open',
  '--probes',
  'off',
  ...more,
];

describe('plimsoll up', () => {
  test.each([
    [['--replay', 'x', '--name', 'a'], '--name and --replay'],
    [['--replay', 'x', '--peer', 'a', '--peer', 'b'], '--peer and --replay'],
    [['--replay', 'x', '--mesh', 'off'], '--mesh and --replay'],
    [['--replay', 'x', '--discovery', 'off'], '--discovery and --replay'],
    [['--replay', 'x', '--probes', 'off'], '--probes and --replay'],
    [['--replay', 'x', '--cluster-key-file', 'k'], '--cluster-key-file and --replay'],
    [['--mesh', 'off', '--peer', 'a'], '--peer and --mesh off'],
    [['--mesh', 'off', '--discovery', 'eth0'], '--discovery and --mesh off'],
    [['--mesh', 'off', '--cluster-key-file', 'k'], '--cluster-key-file and --mesh off'],
  ])('refuses options without effect: %j', async (args, what) => {
    using folder = temporaryDirectory();
    const { run, stderr } = madeUpProcess(
      ['up', '--home', folder.path, '--once', ...args].filter(
        arg => arg !== '--once' || !args.includes('--replay'),
      ),
    );
    expect(await run()).toBe(2);
    expect(stderr.text).toContain(`plimsoll: ${what} cannot be combined`);
  });

  test('refuses off next to interfaces', async () => {
    using folder = temporaryDirectory();
    const { run, stderr } = madeUpProcess(upArgs(join(folder.path, 'home'), '--discovery', 'off,eth0'));
    expect(await run()).toBe(2);
    expect(stderr.text).toMatch(/off and interfaces cannot be combined.*\n.*off alone/);
  });

  test('--once prints what this machine is on one screen and ends', async () => {
    using folder = temporaryDirectory();
    const { run, stdout, stderr } = madeUpProcess(
      upArgs(join(folder.path, 'home'), '--once', '--name', 'atlas'),
    );
    expect(await run()).toBe(0);
    expect(stderr.text).toBe('');
    expect(stdout.text).toMatch(/^atlas/);
    for (const label of ['Chip', 'System', 'Memory', 'CPU', 'GPU', 'Network', 'RDMA', 'Disk']) {
      expect(stdout.text).toMatch(new RegExp(`^ {2}${label} +\\S`, 'm'));
    }
    expect(stdout.text.split('\n').length).toBeLessThan(40);
    expect(stdout.text).not.toContain('\u001b');
  });

  test('stays until it is asked to stop, which ends it with 0', async () => {
    using folder = temporaryDirectory();
    const process = madeUpProcess(upArgs(folder.path));
    const ended = process.run();
    await process.stdout.until(/Ctrl-C stops it/);
    process.stop('SIGINT');
    expect(await ended).toBe(0);
  });

  test('prints the code that signs a browser in on a terminal', async () => {
    using folder = temporaryDirectory();
    const process = madeUpProcess(upArgs(folder.path), { isTerminal: true, env: { CI: '1' } });
    const ended = process.run();
    await process.stdout.until(/Dashboard: http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]+\n/);
    expect(process.stdout.text).not.toContain('plimsoll open');
    process.stop('SIGINT');
    expect(await ended).toBe(0);
  });

  test('writes no code where it is stored: a journal, a file, the log of a container; open gives one there', async () => {
    using folder = temporaryDirectory();
    const process = madeUpProcess(upArgs(folder.path));
    const ended = process.run();
    await process.stdout.until(/Ctrl-C stops it/);
    expect(process.stdout.text).toMatch(/^Dashboard: http:\/\/127\.0\.0\.1:\d+\/$/m);
    expect(process.stdout.text).toContain(`To sign a browser in: plimsoll open --home ${folder.path}\n`);
    expect(process.stdout.text + process.stderr.text).not.toContain('code=');
    const open = madeUpProcess(['open', '--home', folder.path], { isAlive: () => true });
    expect(await open.run()).toBe(0);
    expect(open.stdout.text).toMatch(/#code=[\w-]+\n$/);
    process.stop('SIGINT');
    expect(await ended).toBe(0);
  });

  test('notifies systemd when it is ready and when it stops', async context => {
    const reason = await reasonAgainstNotify();
    if (reason !== undefined) context.skip(reason);
    using folder = temporaryDirectory();
    const socket = join(folder.path, 'notify');
    using manager = await notifySocket(socket);
    const process = madeUpProcess(upArgs(join(folder.path, 'home')), { env: { NOTIFY_SOCKET: socket } });
    const ended = process.run();
    const [ready] = await manager.whenReceived(1, context.signal);
    const [, url] = /^READY=1\nSTATUS=Dashboard at (http:\S+)$/.exec(ready ?? '') ?? [];
    expect((await fetch(`${url}healthz`)).status).toBe(200);
    process.stop('SIGTERM');
    expect(await ended).toBe(0);
    expect(manager.received()).toEqual([ready, 'STOPPING=1']);
  });

  test('--once that is stopped before it has printed ends with the code of the signal', async () => {
    using folder = temporaryDirectory();
    const process = madeUpProcess(upArgs(folder.path, '--once'));
    process.stop('SIGTERM');
    expect(await process.run()).toBe(143);
    expect(process.stdout.text).toBe('');
  });

  test('on a home that another daemon uses ends with 4 and reports which process it is', async () => {
    using folder = temporaryDirectory();
    const first = madeUpProcess(upArgs(folder.path));
    const ended = first.run();
    await first.stdout.until(/Dashboard/);
    const second = madeUpProcess(upArgs(folder.path));
    expect(await second.run()).toBe(4);
    expect(second.stderr.text).toMatch(/^plimsoll: .*process \d+.*\n.*--home DIR.*\n$/);
    first.stop('SIGINT');
    expect(await ended).toBe(0);
  });

  test('on an address that is taken ends with 6 when it was asked for', async () => {
    using folder = temporaryDirectory();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { run, stderr } = madeUpProcess(['up', '--home', folder.path, '--http', `127.0.0.1:${port}`]);
    expect(await run()).toBe(6);
    expect(stderr.text).toMatch(new RegExp(`^plimsoll: .*${port}.*\\n.*--http.*\\n$`));
    server.close();
  });

  test('on a home that is no folder ends with 7', async () => {
    using folder = temporaryDirectory();
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    const { run, stderr } = madeUpProcess(upArgs(file));
    expect(await run()).toBe(7);
    expect(stderr.text.trimEnd().split('\n')).toHaveLength(2);
  });

  test('with a broken config starts all the same and reports it', async () => {
    using folder = temporaryDirectory();
    const home = join(folder.path, 'home');
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'config.toml'), 'nmae = "atlas"\n', { mode: 0o600 });
    const { run, stdout, stderr } = madeUpProcess(upArgs(home, '--once'));
    expect(await run()).toBe(0);
    expect(stdout.text).toContain('Memory');
    expect(stderr.text).toContain('config.toml:1: unknown key "nmae"');
    expect(stderr.text).toContain('Did you mean name?');
  });
});
