import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { spawnMock } from '../../src/mock/spawn-mock.ts';
import { isRunning } from '../support/process-ids.ts';
import { rawConnection } from '../support/raw-http.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { type Entry, question, request } from './requesting.ts';

const ENTRY = fileURLToPath(new URL('../../src/mock/mock-process.ts', import.meta.url));
const surroundings = { nodePath: process.execPath, env: process.env };

const addressOf = (url: string): { readonly host: string; readonly port: number } => {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
};

test('a spawned mock serves with its options and ends when it is stopped', async () => {
  await using mock = await spawnMock({ ttftMs: 0, gapMs: 0, outputTokens: 2, models: ['own'] }, surroundings);
  expect((await request(addressOf(mock.url), { model: 'own' })).status).toBe(200);
  await mock.stop();
  expect(await mock.exited).toMatchObject({ code: 0, stderr: '' });
});

test('it can listen on IPv6', async context => {
  let url: string;
  try {
    await using mock = await spawnMock({ host: '::1', ttftMs: 0 }, surroundings);
    url = mock.url;
    expect((await request(addressOf(url), {})).status).toBe(200);
  } catch (error) {
    if (error instanceof Error && error.message.includes('EADDRNOTAVAIL'))
      context.skip('there is no IPv6 loopback');
    throw error;
  }
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
});

test('a wrong option is reported before a process is started', async () => {
  await expect(spawnMock({ failure: 'nonsense' }, surroundings)).rejects.toMatchObject({
    code: 'bad-option',
  });
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends it at once, also in a stream, and its log file is whole',
  async signal => {
    using folder = temporaryDirectory();
    const logFile = join(folder.path, 'mock.jsonl');
    await using mock = await spawnMock({ ttftMs: 0, gapMs: 60_000, outputTokens: 2, logFile }, surroundings);
    await request(addressOf(mock.url), { extra: { max_tokens: 1 } });
    using connection = rawConnection(addressOf(mock.url));
    connection.send(question());
    await connection.until(received => received.includes('"content":" '));
    process.kill(mock.pid, signal);
    expect((await mock.exited).code).toBe(0);
    await connection.ended();
    const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n');
    expect(lines.map((line): Entry => JSON.parse(line)).map(({ outcome }) => outcome)).toEqual([
      'completed',
      'cancelled',
    ]);
  },
);

test('it prints where it listens in one line, and ends when its input closes with --with-parent', async () => {
  const child = spawn(process.execPath, [ENTRY, '{"ttftMs":0}', '--with-parent'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line]: Buffer[] = await once(child.stdout, 'data');
  const { url, pid }: { url: string; pid: number } = JSON.parse(String(line));
  expect(pid).toBe(child.pid);
  expect((await request(addressOf(url))).status).toBe(200);
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
});

test('it does not outlive a parent that is killed', async ({ signal }) => {
  const program = `
    const { spawnMock } = await import(${JSON.stringify(new URL('../../src/mock/spawn-mock.ts', import.meta.url).href)});
    const mock = await spawnMock({}, { nodePath: process.execPath, env: process.env });
    console.log(mock.pid);
    setInterval(() => undefined, 1_000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line]: Buffer[] = await once(parent.stdout, 'data');
  const pid = Number(String(line));
  expect(isRunning(pid)).toBe(true);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await until(() => !isRunning(pid), signal);
});

test.each([
  ['not JSON', '{', 2, 'the first argument is the options as JSON'],
  ['an unknown option', '{"x":1}', 2, 'x:'],
  ['an address that is not ours', '{"host":"192.0.2.1"}', 1, 'cannot listen on 192.0.2.1'],
])('%s ends it with a line that reports it', async (_, json, code, message) => {
  const child = spawn(process.execPath, [ENTRY, json], { stdio: ['ignore', 'ignore', 'pipe'] });
  let reported = '';
  child.stderr.setEncoding('utf8').on('data', text => {
    reported += text;
  });
  expect(await once(child, 'close')).toEqual([code, null]);
  expect(reported).toContain(message);
  expect(reported.trim().split('\n')).toHaveLength(1);
});
