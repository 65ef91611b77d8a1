// A server that listens on a Unix socket: its URL, and a whole request over it.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fetchText } from '../../../src/bench/target/fetch-text.ts';
import { parseTargetUrl } from '../../../src/bench/target/target-url.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { loadPlan } from '../load/load-plan.ts';
import { runHere } from '../load/run-here.ts';

describe('the URL of a socket', () => {
  test.each([
    ['unix:/run/a.sock', '/run/a.sock', '', 'unix:/run/a.sock'],
    ['unix:///run/a.sock', '/run/a.sock', '', 'unix:/run/a.sock'],
    ['unix:/run/a.sock:/v1/', '/run/a.sock', '/v1', 'unix:/run/a.sock:/v1'],
    ['http+unix://%2Frun%2Fa.sock', '/run/a.sock', '', 'unix:/run/a.sock'],
    [
      'http+unix://%2Frun%2Fa.sock/v1/completions',
      '/run/a.sock',
      '/v1/completions',
      'unix:/run/a.sock:/v1/completions',
    ],
  ])('%s names the socket and the path', (text, socketPath, path, shown) => {
    const target = parseTargetUrl(text);
    expect(target).toMatchObject({ kind: 'ok', value: { server: { socketPath }, path, shown } });
    // What a run writes down leads there again.
    expect(parseTargetUrl(shown)).toEqual(target);
  });

  test.each([
    'unix:',
    'unix:a.sock',
    'unix:./a.sock',
    `unix:/${'x'.repeat(200)}`,
    'unix:/a?b',
    'http+unix:///v1',
  ])('%s is refused', text => {
    expect(parseTargetUrl(text)).toMatchObject({ kind: 'wrong', advice: expect.stringContaining('unix:/') });
  });
});

describe('a server on a Unix socket', () => {
  test('is asked and loaded like any other', async () => {
    using folder = temporaryDirectory();
    const socketPath = join(folder.path, 'm.sock');
    await using mock = await startMock({ socketPath, ttftMs: 1, gapMs: 1, outputTokens: 4 });
    expect(mock.url).toBe(`unix:${socketPath}`);
    const plan = loadPlan({ host: 'localhost', port: 0 });
    const limits = { samplesMax: 3, durationNs: undefined };
    const { samples, counts } = await runHere({ ...plan, limits, target: { ...plan.target, socketPath } });
    expect(samples.map(({ outcome, outputTokens }) => [outcome, outputTokens])).toEqual(
      samples.map(() => ['completed', 4]),
    );
    expect(counts).toMatchObject({ opened: 1, reused: 2 });
    const server = { host: 'localhost', port: 0, hostHeader: 'localhost', tls: undefined, socketPath };
    const signal = new AbortController().signal;
    const answer = await fetchText({ server, path: '/v1/models', headers: [], timeoutMs: 5_000, signal });
    expect(answer).toMatchObject({ kind: 'answer', status: 200 });
  });

  test('that was killed leaves a socket that the next one takes over, and a live one keeps its own', async () => {
    using folder = temporaryDirectory();
    const socketPath = join(folder.path, 'm.sock');
    const listen = `require('node:net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', listen]);
    expect(existsSync(socketPath)).toBe(true);
    await using mock = await startMock({ socketPath });
    expect(mock.url).toContain(socketPath);
    await expect(startMock({ socketPath })).rejects.toThrow(/cannot listen on .*m\.sock/);
  });
});
