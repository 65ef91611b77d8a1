// With any server in the daemon's place, the run continues: nothing waits, nothing throws, and its end has a time
// limit.

import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DaemonAddress } from '../../../src/bench/announce/daemon-requests.ts';
import { RunReporter } from '../../../src/bench/announce/run-reporter.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { runEndSchema, runStartSchema } from '../../../src/core/run/run.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { runConfig } from '../../support/run-records.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';

describe('a run announces itself', () => {
  let directory: TemporaryDirectory;
  let run: MadeUpRun;
  beforeEach(() => {
    directory = temporaryDirectory();
    run = new MadeUpRun({ directory: directory.path });
    run.samples(50, { fromMs: 0, untilMs: 5_000 });
  });
  afterEach(() => directory[Symbol.dispose]());

  test('with its token and as JSON: begin, figures, lease, end, in this order', async () => {
    await using daemon = await fakeDaemon(() => 204);
    await using announcement = announced(run, daemon.address);
    await daemon.requested('POST /api/runs');
    announcement.progress(run.snapshot(), run.client());
    await daemon.requested('PUT /api/runs/run-1/progress');
    await daemon.requested('PUT /api/runs/run-1/lease');
    await announcement.end(run.report());
    expect(daemon.requests.at(0)?.line).toBe('POST /api/runs');
    expect(daemon.requests.at(-1)?.line).toBe('POST /api/runs/run-1/end');
    expect(daemon.requests.every(({ authorization }) => authorization === 'Bearer the-token')).toBe(true);
    expect(daemon.requests.every(({ bytes }) => bytes < 32 * 1024)).toBe(true);
    expect(announcement.updatesDropped).toBe(0);
  });

  test('with names of a length that a daemon takes, however long a server makes them', async () => {
    await using daemon = await fakeDaemon(() => 204);
    const long = new MadeUpRun({
      directory: directory.path,
      config: runConfig({ model: 'm'.repeat(10_000), serverKind: 's'.repeat(10_000) }),
    });
    await using announcement = announced(long, daemon.address);
    await daemon.requested('POST /api/runs');
    await announcement.end(long.report());
    expect(v.is(runStartSchema, daemon.requests.at(0)?.body)).toBe(true);
    expect(v.is(runEndSchema, daemon.requests.at(-1)?.body)).toBe(true);
  });

  test('keeps the newest of the figures that came too fast, and counts the others', async () => {
    await using daemon = await fakeDaemon(() => 204);
    await using announcement = announced(run, daemon.address);
    await daemon.requested('POST /api/runs');
    for (let index = 0; index < 100; index += 1) announcement.progress(run.snapshot(), run.client());
    await daemon.requested('PUT /api/runs/run-1/progress');
    expect(announcement.updatesDropped).toBeGreaterThan(90);
  });

  test('and is notified once that its end was requested', async () => {
    await using daemon = await fakeDaemon(line => (line.startsWith('PUT') ? 202 : 204));
    let requested = 0;
    await using announcement = new RunReporter({
      ...optionsOf(run),
      findDaemon: async () => daemon.address,
      onStopRequested: () => {
        requested += 1;
      },
    });
    await daemon.requested('PUT /api/runs/run-1/lease');
    announcement.progress(run.snapshot(), run.client());
    await daemon.requested('PUT /api/runs/run-1/progress');
    await announcement.end(run.report());
    expect(requested).toBe(1);
    expect(announcement.updatesDropped).toBe(0);
    expect(daemon.requests.at(-1)?.line).toBe('POST /api/runs/run-1/end');
  });

  test('again until the daemon has stored it, and reports once that it cannot', async () => {
    let refusals = 2;
    let notStored = 0;
    await using daemon = await fakeDaemon(() => {
      refusals -= 1;
      return refusals >= 0 ? 507 : 204;
    });
    await using announcement = new RunReporter({
      ...optionsOf(run),
      findDaemon: async () => daemon.address,
      onNotStored: () => {
        notStored += 1;
      },
    });
    await daemon.requested('PUT /api/runs/run-1/lease');
    expect(daemon.requests.filter(({ line }) => line === 'POST /api/runs')).toHaveLength(3);
    expect(notStored).toBe(1);
    await announcement.end(run.report());
  });

  test('again when the daemon has lost it, also when only its end is left to report', async () => {
    let isForgetful = false;
    await using daemon = await fakeDaemon(line => {
      if (line === 'POST /api/runs') isForgetful = false;
      return isForgetful ? 404 : 204;
    });
    await using announcement = announced(run, daemon.address);
    await daemon.requested('POST /api/runs');
    isForgetful = true;
    await announcement.end(run.report());
    expect(daemon.requests.slice(-2).map(({ line }) => line)).toEqual([
      'POST /api/runs',
      'POST /api/runs/run-1/end',
    ]);
  });

  test.for([400, 401, 403, 429, 500, 503])('and lets a daemon be that answers %i', async status => {
    await using daemon = await fakeDaemon(() => status);
    await using announcement = announced(run, daemon.address);
    await daemon.requested('POST /api/runs');
    announcement.progress(run.snapshot(), run.client());
    await announcement.end(run.report());
    expect(daemon.requests.filter(({ line }) => line.includes('progress'))).toEqual([]);
  });

  test.for([
    ['never answers', () => undefined],
    ['hangs up', (socket: Socket) => socket.destroy()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
    ['speaks no HTTP', (socket: Socket) => socket.end('220 mail.example ESMTP\r\n')],
    ['never ends its answer', (socket: Socket) => socket.write('HTTP/1.1 204 No Content\r\nx: y')],
    ['floods', (socket: Socket) => flood(socket)],
  ] as const)('to a server that %s, and ends in its time all the same', async ([, answer]) => {
    await using stranger = await strangerThat(answer);
    await using announcement = announced(run, stranger.address);
    announcement.progress(run.snapshot(), run.client());
    await stranger.connected;
    await announcement.end(run.report());
  });

  test('when looking for the daemon fails', async () => {
    await using announcement = new RunReporter({
      ...optionsOf(run),
      findDaemon: () => Promise.reject(new Error('no home')),
    });
    announcement.progress(run.snapshot(), run.client());
    await announcement.end(run.report());
  });

  test('and can be let go at any moment, also twice', async () => {
    await using stranger = await strangerThat(() => undefined);
    const announcement = announced(run, stranger.address);
    await stranger.connected;
    await announcement[Symbol.asyncDispose]();
    await announcement[Symbol.asyncDispose]();
    announcement.progress(run.snapshot(), run.client());
  });
});

const optionsOf = (run: MadeUpRun) => ({
  clock: systemClock,
  config: run.config,
  directory: run.directory,
  limits: { samplesMax: 100, durationMs: undefined },
});

const announced = (run: MadeUpRun, address: DaemonAddress): RunReporter =>
  new RunReporter({ ...optionsOf(run), findDaemon: async () => address });

interface ReceivedRequest {
  readonly line: string;
  readonly authorization: string | undefined;
  readonly bytes: number;
  readonly body: unknown;
}

interface FakeDaemon extends AsyncDisposable {
  readonly address: DaemonAddress;
  readonly requests: readonly ReceivedRequest[];
  requested(line: string): Promise<void>;
}

const fakeDaemon = async (statusOf: (line: string) => number): Promise<FakeDaemon> => {
  const requests: ReceivedRequest[] = [];
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const line = `${request.method} ${request.url}`;
      const body = Buffer.concat(chunks);
      requests.push({
        line,
        authorization: request.headers.authorization,
        bytes: body.length,
        body: JSON.parse(body.toString()),
      });
      response.statusCode = statusOf(line);
      response.end();
      server.emit('asked');
    });
  });
  const address = await listening(server);
  return {
    address,
    requests,
    requested: async line => {
      while (!requests.some(request => request.line === line)) await once(server, 'asked');
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
};

const strangerThat = async (
  answer: (socket: Socket) => void,
): Promise<{ readonly address: DaemonAddress; readonly connected: Promise<unknown> } & AsyncDisposable> => {
  const sockets = new Set<Socket>();
  const server = createTcpServer(socket => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', () => answer(socket));
  });
  const connected = once(server, 'connection');
  const address = await listening(server);
  return {
    address,
    connected,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await closed(server);
    },
  };
};

const flood = (socket: Socket): void => {
  const write = (): void => {
    while (!socket.destroyed && socket.write('HTTP/1.1 204 No Content\r\n'.repeat(1_000)));
  };
  socket.on('drain', write);
  write();
};

const listening = async (server: Server | ReturnType<typeof createTcpServer>): Promise<DaemonAddress> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, token: 'the-token', socket: unknown('none') };
};

const closed = async (server: Server | ReturnType<typeof createTcpServer>): Promise<void> => {
  if ('closeAllConnections' in server) server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
};
