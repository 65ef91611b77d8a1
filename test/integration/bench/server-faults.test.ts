// Everything that a server can do wrong, through the whole command: how it counts, what the report contains, and the
// exit code.

import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAILURES } from '../../../src/mock/failures.ts';
import { type MockProcess, spawnMock } from '../../../src/mock/spawn-mock.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere, expectInvariants } from './bench-here.ts';

const timeouts = ['--timeout', '1s', '--timeout-first-byte', '300ms', '--timeout-idle', '300ms'];
const few = ['--requests', '3', '--concurrency', '3', '--events', 'off', ...timeouts];

/** Some on every run, where any-failure.test.ts has one run against all of them; all of the mock's in the long one. */
const USUAL: readonly string[] = ['http-429', 'reset-mid-stream', 'error-frame', 'silent'];

const failures = FAILURES.filter(({ name }) => isLongRun || USUAL.includes(name));

describe('a server that fails', { timeout: 120_000 }, () => {
  // One for all: how it fails is asked for by the name of the model.
  let mock: MockProcess;
  beforeAll(async () => {
    mock = await spawnMock(
      { ttftMs: 5, gapMs: 1, outputTokens: 6 },
      { nodePath: process.execPath, env: process.env },
    );
  });
  afterAll(() => mock[Symbol.asyncDispose]());

  test.each(failures.map(failure => [failure.name, failure] as const))(
    'by %s is counted as what it is, and the code reports it',
    async (name, failure) => {
      using folder = temporaryDirectory();
      const run = await benchHere(folder.path, [
        mock.url,
        '--model',
        `mock-fail-${name}`,
        '--keep-going',
        ...few,
      ]);
      const report = run.report();
      expectInvariants(report);
      expect(report.complete).toBe(true);
      const expected = failure.streaming;
      if (expected.outcome === 'completed') {
        expect(run.exit).toBe('ok');
        expect(report.counts.completed).toBe(3);
        return;
      }
      expect(run.exit).toBe('benchFailures');
      expect(run.stderr).toContain('3 requests failed (0 allowed) (code 10)');
      expect(report.counts).toMatchObject({
        issued: 3,
        completed: 0,
        failed: 3,
        cancelled: 0,
        unresolved: 0,
      });
      expect(report.errors).toEqual({ [expected.kind]: 3 });
      // No failure is in a latency or a rate.
      expect(report.series['latencyNs']?.count).toBe(0);
      expect(report.requestsPerSecond).toMatchObject({ kind: 'unknown' });
    },
  );

  test('for one request in four is no reason to end with another code than 0, when so many may', async () => {
    using folder = temporaryDirectory();
    await using mock = await spawnMock(
      { ttftMs: 1, gapMs: 0, outputTokens: 3, failure: 'reset-mid-stream', failEvery: 4 },
      { nodePath: process.execPath, env: process.env },
    );
    const args = [mock.url, '--requests', '40', '--no-warmup', '--model', 'mock-model'];
    const allowed = await benchHere(folder.path, [
      ...args,
      '--max-failures',
      '10',
      '--out',
      `${folder.path}/a`,
    ]);
    expect(allowed.exit).toBe('ok');
    const refused = await benchHere(folder.path, [
      ...args,
      '--max-failures',
      '9',
      '--out',
      `${folder.path}/b`,
    ]);
    expect(refused.exit).toBe('benchFailures');
  });
});

describe('a target that is not there', { timeout: 120_000 }, () => {
  test('ends the run before it begins, with its own code and no run directory', async () => {
    using folder = temporaryDirectory();
    const port = await closedPort();
    for (const args of [[], ['--model', 'm'], ['--model', 'm', '--no-warmup']]) {
      const run = await benchHere(folder.path, [`http://127.0.0.1:${port}`, ...args]);
      expect(run.exit).toBe('benchUnreachable');
      expect(run.stderr).toMatch(
        /^plimsoll: http:\/\/127\.0\.0\.1:\d+ cannot be reached: .*refused.*\n.*server/i,
      );
      expect(run.stdout).toBe('');
      expect(() => run.report()).toThrow(/ENOENT/);
    }
  });

  test('or that vanishes during the run gives failures, a report and their code', async ({ skip }) => {
    if (!isLongRun) skip('seconds of no connection, as in failed-runs.test.ts: in npm run test:long');
    using folder = temporaryDirectory();
    const mock = await spawnMock(
      { ttftMs: 50, gapMs: 5, outputTokens: 10 },
      { nodePath: process.execPath, env: process.env },
    );
    await using _mock = mock;
    const run = await benchHere(
      folder.path,
      [mock.url, '--requests', '40', '--concurrency', '4', '--timeout', '2s', '--json'],
      { during: async () => untilRequested(mock.url, 10).then(() => mock.stop()) },
    );
    const report = run.report();
    expectInvariants(report);
    expect(run.exit).toBe('benchFailures');
    expect(report.complete).toBe(true);
    expect(report.counts.issued).toBe(40);
    expect(['connect', 'reset', 'truncated', 'timeout']).toEqual(
      expect.arrayContaining(Object.keys(report.errors)),
    );
    expect(JSON.parse(run.stdout)).toEqual(report);
  });

  test('or does not report its model is asked for by name', async () => {
    using folder = temporaryDirectory();
    const server = createServer(socket => {
      socket.on('data', () => socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const run = await benchHere(folder.path, [`http://127.0.0.1:${port}`, ...few]);
    expect(run.exit).toBe('benchUnreachable');
    expect(run.stderr).toMatch(/status 404[\s\S]*--model M/);
    const named = await benchHere(folder.path, [`http://127.0.0.1:${port}`, '--model', 'm', ...few]);
    expect(named.exit).toBe('benchStopped');
    using other = temporaryDirectory();
    const kept = await benchHere(other.path, [
      ...[`http://127.0.0.1:${port}`, '--model', 'm', '--keep-going', ...few],
    ]);
    expect(kept.exit).toBe('benchFailures');
    expect(kept.report().errors).toEqual({ 'http-status': 3 });
    await new Promise(resolve => server.close(resolve));
  });
});

const closedPort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await new Promise(resolve => server.close(resolve));
  return port;
};

/** Asks the mock itself, again and again, how many requests have come. */
const untilRequested = async (url: string, count: number): Promise<void> => {
  while (true) {
    const { requests }: { requests: number } = JSON.parse(
      await (await fetch(`${url}/mock/log?entries=0`)).text(),
    );
    if (requests >= count) return;
  }
};
