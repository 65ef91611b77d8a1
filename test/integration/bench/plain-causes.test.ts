// Everything that keeps a run from its target, reported in sentences that a person can act on, with its own code and
// no stack.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { Server } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { childEnv } from '../../support/child-env.ts';
import { PROGRAM } from '../../support/program.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';

describe('a run', { timeout: 120_000 }, () => {
  test.each([
    ['that asks the server first', []],
    ['that asks nobody first', ['--model', 'm', '--no-warmup']],
  ])('%s reports that a self-signed certificate is not trusted, and what to do', async (_, args) => {
    const certificate = makeCertificate();
    if (certificate === undefined) return;
    using folder = temporaryDirectory();
    const server = tls.createServer(certificate).listen(0, '127.0.0.1');
    server.on('tlsClientError', () => undefined);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const run = await benchHere(folder.path, [`https://127.0.0.1:${portOf(server)}`, ...args]);
    expect(run.exit).toBe('benchUnreachable');
    expect(run.stderr).toMatch(
      /^plimsoll: https:\S+ cannot be reached: its certificate is not signed by a trusted CA \(DEPTH_ZERO_SELF_SIGNED_CERT\)\n.*NODE_EXTRA_CA_CERTS/,
    );
    expect(run.stdout).toBe('');
  });

  test('that uses TLS to a server without reports it', async () => {
    using folder = temporaryDirectory();
    const server = http.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${portOf(server)}`;
    onTestFinished(() => void server.close());
    for (const args of [[], ['--model', 'm', '--no-warmup']]) {
      const run = await benchHere(folder.path, [url, ...args]);
      expect(run.exit).toBe('benchUnreachable');
      expect(run.stderr).toMatch(/cannot be reached: it does not use TLS .*\n.*http:\/\//);
    }
  });

  test.each([
    ['--concurrency', '100'],
    ['--concurrency', '1'],
  ])('that may not open enough files reports it before it sends anything (%s %s)', async (...load) => {
    if (process.platform !== 'linux') return;
    using folder = temporaryDirectory();
    await using mock = await spawnMock({}, { nodePath: process.execPath, env: process.env });
    const limit = load[1] === '1' ? 32 : 128;
    const directories = ['--home', join(folder.path, 'home'), '--out', join(folder.path, 'run')];
    const command = [process.execPath, PROGRAM, 'bench', mock.url];
    const { code, stderr } = await new Promise<{ code: number; stderr: string }>(resolve => {
      const child = execFile(
        'sh',
        [
          '-c',
          `ulimit -n ${limit}; exec "$@"`,
          'sh',
          ...command,
          ...load,
          '--duration',
          '1s',
          ...directories,
        ],
        { env: childEnv },
        (_error, _stdout, text) => resolve({ code: child.exitCode ?? -1, stderr: text }),
      );
    });
    expect(stderr).toMatch(
      new RegExp(`^plimsoll: .*\\d+ open files, and this process may open ${limit}\\n.*ulimit -n \\d+`),
    );
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(EXIT_CODES.benchInput.code);
    const { requests }: { requests: number } = JSON.parse(await (await fetch(`${mock.url}/mock/log`)).text());
    expect(requests).toBe(0);
  });
});

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
};
