// Servers that a comparison starts: real processes, each with a child of its own, which must not outlive the process
// that started them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type StartedServer, startServer } from '../../../src/bench/compare/started-server.ts';
import { SERVER_APIS } from '../../../src/bench/target/api/server-apis.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { requestHere } from '../run-here.ts';

/** A shell with a child that nobody waits for, which becomes a server. */
const serverCommand = (port: number, folder: string): string =>
  [
    `sleep 3600 & echo $! > ${folder}/child`,
    `echo $$ > ${folder}/server`,
    `exec '${process.execPath}' -e 'require("http").createServer((_, r) => r.end("{}")).listen(${port}, "127.0.0.1")'`,
  ].join('; ');

const pidIn = (folder: string, name: string): number => Number(readFileSync(join(folder, name), 'utf8'));

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A dead one that nobody has waited for is no process any more.
    return process.platform !== 'linux' || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

const start = (
  port: number,
  command: string,
  folder: string,
  signal = new AbortController().signal,
): Promise<StartedServer> => {
  const { target } = requestHere(`http://127.0.0.1:${port}`);
  return startServer(
    {
      side: 'A',
      command,
      cwd: folder,
      log: join(folder, 'server-a.log'),
      env: process.env,
      nodePath: process.execPath,
      clock: systemClock,
      target,
      api: SERVER_APIS[0],
      headers: [],
      startMsMax: 60_000,
    },
    signal,
  );
};

describe('a started server', () => {
  test('is waited for, and ended with every process of its group', async () => {
    using folder = temporaryDirectory();
    const port = await freePort();
    const server = await start(port, serverCommand(port, folder.path), folder.path);
    const pids = [pidIn(folder.path, 'server'), pidIn(folder.path, 'child')];
    expect(pids.map(isAlive)).toEqual([true, true]);
    await server[Symbol.asyncDispose]();
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test('ends with its group when the process that started it is killed', async context => {
    using folder = temporaryDirectory();
    const port = await freePort();
    const starter = spawn(
      process.execPath,
      [
        fileURLToPath(new URL('../../support/server-starter.ts', import.meta.url)),
        ...[`http://127.0.0.1:${port}`, serverCommand(port, folder.path), join(folder.path, 'log')],
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(starter.stdout, 'data');
    const pids = [pidIn(folder.path, 'server'), pidIn(folder.path, 'child')];
    expect(pids.map(isAlive)).toEqual([true, true]);
    starter.kill('SIGKILL');
    await until(() => pids.every(pid => !isAlive(pid)), context.signal);
  });

  test('is refused where something answers already, before anything is started', async () => {
    using folder = temporaryDirectory();
    const other = createServer((_, reply) => reply.end('{}')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(start(port, `touch ${folder.path}/server`, folder.path)).rejects.toThrow(
      `something answers at http://127.0.0.1:${port} already, before A was started`,
    );
    expect(() => pidIn(folder.path, 'server')).toThrow('ENOENT');
    other.close();
  });

  test('that ends before it replies is reported with its last output', async () => {
    using folder = temporaryDirectory();
    const port = await freePort();
    await expect(start(port, 'echo "no such model" >&2; exit 3', folder.path)).rejects.toThrow(
      'the server of A has ended: it exited with 3: no such model',
    );
  });
});
