import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { STATUS_SCHEMA, statusDocumentSchema } from '../../src/wire/api/status-document.ts';
import { commandDaemon } from '../support/command-daemon.ts';
import { isLongRun } from '../support/counts.ts';
import { fixture } from '../support/fixture.ts';
import { liveDemo } from '../support/live-daemons.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('plimsoll status', () => {
  test('prints one row a node', async () => {
    await using daemon = await commandDaemon();
    const { run, stdout, stderr } = madeUpProcess(['status', '--home', daemon.home], { columns: 120 });
    expect(await run()).toBe(0);
    expect(stderr.text).toBe('');
    expect(stdout.text).toMatch(/Node +Model +Host memory +CPU +GPU/);
    expect(stdout.text).toMatch(/● atlas .* of .*GB/);
  });

  test('--json has the state with ages and the combined views', async () => {
    await using daemon = await commandDaemon();
    const { run, stdout } = madeUpProcess(['status', '--home', daemon.home, '--json']);
    expect(await run()).toBe(0);
    const status = JSON.parse(stdout.text);
    const memory = status.state.nodeMemories[status.nodeId];
    expect(status).toMatchObject({ problems: [], totals: { nodeCount: 1 } });
    expect(status.nodes).toMatchObject([{ nodeId: status.nodeId, name: 'atlas', presence: 'live' }]);
    expect(memory.value.totalBytes).toBe(status.nodes[0].memory.value.totalBytes);
    expect(memory.ageMs).toBeLessThan(60_000);
    const { output } = v.safeParse(statusDocumentSchema, status);
    expect(() => v.parse(statusDocumentSchema, status)).not.toThrow();
    expect(output, 'every field is described').toEqual(status);
  });

  test('what version 0.2.0 printed with --json still has the described form', () => {
    const printed: unknown = JSON.parse(fixture('status/0.2.0.json'));
    expect(printed).toHaveProperty('schema', STATUS_SCHEMA);
    // Fields that are younger than it may be missing there; none that it has may go or change.
    const { issues = [] } = v.safeParse(statusDocumentSchema, printed);
    expect(issues.filter(issue => !isOfMissing(issue)).map(issue => v.getDotPath(issue))).toEqual([]);
    const damaged = JSON.parse(fixture('status/0.2.0.json').replace('"presence":"live"', '"presence":7'));
    const found = v.safeParse(statusDocumentSchema, damaged).issues ?? [];
    expect(found.filter(issue => !isOfMissing(issue)).map(issue => v.getDotPath(issue))).toEqual([
      'nodes.0.presence',
    ]);
  });

  test('reports what is wrong with the config of the daemon', async () => {
    await using daemon = await commandDaemon();
    writeFileSync(join(daemon.home, 'config.toml'), 'nmae = "x"');
    await daemon.process.stderr.until(/unknown key/);
    const { run, stdout } = madeUpProcess(['status', '--home', daemon.home]);
    expect(await run()).toBe(0);
    expect(stdout.text).toContain('unknown key "nmae"');
  });

  test('reaches the daemon over the socket of its home, and over TCP where there is none', async () => {
    await using daemon = await commandDaemon();
    const path = join(daemon.home, 'daemon.json');
    const file: Record<string, unknown> = JSON.parse(readFileSync(path, 'utf8'));
    const codeWith = async (changes: object): Promise<number> => {
      writeFileSync(path, JSON.stringify({ ...file, ...changes }));
      return await madeUpProcess(['status', '--home', daemon.home]).run();
    };
    const closed = { url: 'http://127.0.0.1:9' };
    expect(file['socket']).toBe(join(daemon.home, 'daemon.sock'));
    expect(await codeWith(closed)).toBe(0);
    expect(await codeWith({ socket: join(daemon.home, 'gone.sock') })).toBe(0);
    expect(await codeWith({ socket: { kind: 'unknown', reason: 'its path is too long' } })).toBe(0);
    expect(await codeWith({ ...closed, socket: join(daemon.home, 'gone.sock') })).toBe(5);
  });

  test('without a daemon ends with 5 and two lines', async () => {
    using folder = temporaryDirectory();
    const { run, stderr } = madeUpProcess(['status', '--home', folder.path]);
    expect(await run()).toBe(5);
    expect(stderr.text).toBe(
      `plimsoll: no daemon runs on the home ${folder.path}\nStart it: plimsoll up --home ${folder.path}\n`,
    );
  });

  const fileOf = (fields: object) =>
    JSON.stringify({
      token: 't',
      startedAtWallMs: 0,
      nodeId: 'n'.repeat(26),
      version: '1',
      pid: process.pid,
      ...fields,
    });

  test.each([
    [
      'of a daemon that was killed',
      fileOf({ url: 'http://127.0.0.1:9', pid: 999_999_999 }),
      'exited unexpectedly',
    ],
    ['of a port where nobody listens', fileOf({ url: 'http://127.0.0.1:9' }), 'does not answer'],
    ['that is not JSON', '{', 'no daemon can be found'],
    ['that lacks a field', '{"url":"http://127.0.0.1:9"}', 'no daemon can be found'],
    ['that names no HTTP server', fileOf({ url: 'file:///etc/passwd' }), 'no daemon can be found'],
    [
      'that names a group of processes',
      fileOf({ url: 'http://127.0.0.1:9', pid: -1 }),
      'no daemon can be found',
    ],
  ])('with a daemon.json %s ends with 5 and two lines', async (_what, text, reported) => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'daemon.json'), text);
    const { run, stderr } = madeUpProcess(['status', '--home', folder.path]);
    expect(await run()).toBe(5);
    expect(stderr.text).toContain(reported);
    expect(stderr.text.trimEnd().split('\n')).toHaveLength(2);
  });

  test('does not send the token to a process that has taken the port over, and exits with 5', async () => {
    using folder = temporaryDirectory();
    const seen: (string | undefined)[] = [];
    const stranger = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('event: snapshot\ndata: {"version":99}\n\n');
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const address = stranger.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    writeFileSync(
      join(folder.path, 'daemon.json'),
      fileOf({ url: `http://127.0.0.1:${port}`, token: 'planted-secret' }),
    );
    const { run, stderr } = madeUpProcess(['status', '--home', folder.path]);
    expect(await run()).toBe(5);
    expect(stderr.text.trimEnd().split('\n')).toHaveLength(2);
    expect(seen).not.toEqual([]);
    expect(seen.filter(header => header !== undefined)).toEqual([]);
    stranger.close();
  });

  test('of a daemon that hangs ends with 5', async ({ skip }) => {
    if (!isLongRun) skip('waits for 5 s: in the long run');
    using folder = temporaryDirectory();
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    writeFileSync(join(folder.path, 'daemon.json'), fileOf({ url: `http://127.0.0.1:${port}` }));
    const { run, stderr } = madeUpProcess(['status', '--home', folder.path]);
    const code = await run();
    expect(stderr.text).toMatch(/^plimsoll: .* takes too long\n.*\n$/);
    expect(code).toBe(5);
    silent.closeAllConnections();
    silent.close();
  });

  test('--fail-on exits with 37 if there is a warning of that level or a more serious one', async () => {
    await using live = await liveDemo();
    const status = async (...options: readonly string[]) => {
      const { run, stdout } = madeUpProcess(['status', '--home', live.home, ...options]);
      return { code: await run(), text: stdout.text };
    };
    const levels = async (): Promise<readonly string[]> => {
      const { warnings }: { warnings: { level: string }[] } = JSON.parse((await status('--json')).text);
      return warnings.map(({ level }) => level);
    };
    await expect.poll(levels, { timeout: 30_000 }).toContain('caution');
    expect((await status()).code).toBe(0);
    expect((await status('--fail-on', 'caution')).code).toBe(37);
    expect((await status('--fail-on', 'note')).code).toBe(37);
    expect((await status('--fail-on', 'caution', '--json')).code).toBe(37);
    expect((await status('--fail-on', 'caution', '--tag', 'none=such')).code).toBe(0);
    expect((await status('--fail-on', 'danger')).code).toBe((await levels()).includes('danger') ? 37 : 0);
    const wrong = madeUpProcess(['status', '--fail-on', 'worst']);
    expect(await wrong.run()).toBe(2);
    expect(wrong.stderr.text).toContain('danger, caution');
  });

  test('refuses options that cannot be combined or the terminal', async () => {
    expect(await madeUpProcess(['status', '--json', '--watch']).run()).toBe(2);
    expect(await madeUpProcess(['status', '--watch']).run()).toBe(2);
  });
});

describe('plimsoll status --watch', () => {
  const watching = (home: string) => {
    const process = madeUpProcess(['status', '--home', home, '--watch'], {
      isTerminal: true,
      columns: 100,
      rows: 10,
    });
    return { process, ended: process.run() };
  };

  test('redraws in place, and gives the terminal back when it is stopped', async () => {
    await using daemon = await commandDaemon();
    const { process, ended } = watching(daemon.home);
    await process.stdout.until(/atlas/);
    const drawn = process.stdout.text.length;
    await process.stdout.until(/;1H.*atlas/, drawn);
    process.stop('SIGINT');
    expect(await ended).toBe(0);
    expect(process.stdout.text.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true);
    expect(process.stdout.text.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });

  test('ends when its reader goes away', async () => {
    await using daemon = await commandDaemon();
    const { process, ended } = watching(daemon.home);
    await process.stdout.until(/atlas/);
    process.stdout.close();
    expect(await ended).toBe(0);
  });

  test('keeps the last figures when the daemon ends, and reports it', async () => {
    const daemon = await commandDaemon();
    const { process, ended } = watching(daemon.home);
    await process.stdout.until(/atlas/);
    await daemon[Symbol.asyncDispose]();
    await process.stdout.until(/atlas[\s\S]*No connection/);
    process.stop('SIGTERM');
    expect(await ended).toBe(0);
  });

  test('without a daemon ends with 5 and leaves the terminal alone', async () => {
    using folder = temporaryDirectory();
    const { process, ended } = watching(folder.path);
    expect(await ended).toBe(5);
    expect(process.stdout.text).toBe('');
  });
});

describe('plimsoll open', () => {
  test('prints a URL with a code on loopback too', async () => {
    await using daemon = await commandDaemon();
    const { run, stdout } = madeUpProcess(['open', '--home', daemon.home]);
    expect(await run()).toBe(0);
    const { url } = JSON.parse(readFileSync(join(daemon.home, 'daemon.json'), 'utf8'));
    expect(stdout.text).toMatch(/^\S+\/#code=[\w-]+\n$/);
    expect(stdout.text.startsWith(`${url}/#code=`)).toBe(true);
  });

  test('prints a URL with a fresh one-time code beyond loopback, which signs a browser in once', async () => {
    await using daemon = await commandDaemon('0.0.0.0:0');
    const { run, stdout, stderr } = madeUpProcess(['open', '--home', daemon.home]);
    const ended = await run();
    expect(stderr.text).toBe('');
    expect(ended).toBe(0);
    const [, url, code] = /^(http:\/\/127\.0\.0\.1:\d+)\/#code=([\w-]+)\n$/.exec(stdout.text) ?? [];
    const swap = () =>
      fetch(`${url}/api/access/code`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
    expect((await swap()).status).toBe(204);
    expect((await swap()).status).toBe(403);
    const status = madeUpProcess(['status', '--home', daemon.home]);
    expect(await status.run()).toBe(0);
  });

  test('without a daemon ends with 5', async () => {
    using folder = temporaryDirectory();
    expect(await madeUpProcess(['open', '--home', folder.path]).run()).toBe(5);
  });
});

const isOfMissing = ({ received, issues }: v.BaseIssue<unknown>): boolean =>
  received === 'undefined' || issues?.some(isOfMissing) === true;
