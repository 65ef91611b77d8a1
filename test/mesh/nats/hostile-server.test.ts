// A server that is not one: an attacker at the address of a fleet's server, or in between. A daemon continues
// to respond, its memory does not grow, and nothing of what was sent reaches a terminal as it came.

import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { Daemon } from '../../../src/daemon/daemon-options.ts';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { examineFleet } from '../../../src/mesh/nats/examine-fleet.ts';
import { clusterDaemon } from '../../support/cluster-daemon.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { listenOn } from '../../support/tls-nodes.ts';

/** Writes for as long as somebody reads, up to a number of bytes. */
const writeAll = async (socket: Socket, piece: string | Uint8Array, bytesMax = 64_000_000): Promise<void> => {
  const bytes = Buffer.from(piece);
  for (let sent = 0; sent < bytesMax && !socket.destroyed; sent += bytes.length)
    if (!socket.write(bytes)) await drainedOrClosed(socket);
};

const drainedOrClosed = (socket: Socket): Promise<void> =>
  new Promise(resolve => {
    socket.once('drain', resolve);
    socket.once('close', () => resolve());
  });

const INFO = {
  server_id: 'x',
  version: '2.12.1',
  proto: 1,
  headers: true,
  max_payload: 1_048_576,
  jetstream: true,
};
const info = (more: object = {}): string => `INFO ${JSON.stringify({ ...INFO, ...more })}\r\n`;

/** Greets as a server does, and calls back when the client is connected and for each of its requests. */
const greeted = (
  socket: Socket,
  {
    connected,
    requested,
  }: { readonly connected?: () => unknown; readonly requested?: (reply: string) => unknown },
): void => {
  socket.write(info());
  socket.on('data', data => {
    for (const line of data.toString('latin1').split('\r\n')) {
      if (line === 'PING') {
        socket.write('PONG\r\n');
        connected?.();
      }
      const [verb, , reply, size] = line.split(' ');
      if (verb === 'PUB' && size !== undefined && reply !== undefined) requested?.(reply);
    }
  });
};

const ESCAPES = '\u001b]0;owned\u0007\u001b[2J\u202e';
const nested = `${'['.repeat(250_000)}${']'.repeat(250_000)}`;

interface Attack {
  readonly name: string;
  readonly run: (socket: Socket) => unknown;
  /** The text of the daemon's notice about it. */
  readonly reason: string;
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'a greeting that never ends',
    run: socket => writeAll(socket, `INFO {${'x'.repeat(65_530)}`),
    reason: 'fleet-protocol',
  },
  {
    name: 'garbage',
    run: socket => writeAll(socket, Buffer.alloc(65_536, 0x9b)),
    reason: 'fleet-protocol',
  },
  {
    name: 'a greeting with control characters',
    run: socket => socket.write(info({ version: ESCAPES })),
    reason: 'fleet-protocol',
  },
  {
    name: 'garbage after its greeting',
    run: socket => greeted(socket, { connected: () => socket.write(`MSG ${ESCAPES} 1 2\r\n${ESCAPES}\r\n`) }),
    reason: 'fleet-protocol',
  },
  {
    name: 'an error with control characters',
    run: socket => {
      socket.write(info());
      socket.write(`-ERR 'Authorization Violation ${ESCAPES}'\r\n`);
    },
    reason: 'fleet-not-allowed',
  },
  {
    name: 'a flood of lines that each want a reply',
    run: socket => greeted(socket, { connected: () => writeAll(socket, 'PING\r\n'.repeat(10_000)) }),
    reason: 'fleet-protocol',
  },
  {
    name: 'a reply of control characters',
    run: socket =>
      greeted(socket, {
        requested: reply => {
          const body = JSON.stringify({
            type: ESCAPES,
            error: { code: 500, err_code: 1, description: ESCAPES },
          });
          socket.write(`MSG ${reply} 1 ${Buffer.byteLength(body)}\r\n${body}\r\n`);
        },
      }),
    reason: 'fleet-unreachable',
  },
  {
    name: 'a reply of brackets within brackets',
    run: socket =>
      greeted(socket, {
        requested: reply => socket.write(`MSG ${reply} 1 ${nested.length}\r\n${nested}\r\n`),
      }),
    reason: 'fleet-protocol',
  },
  {
    name: 'a reply of a hundred thousand headers',
    run: socket =>
      greeted(socket, {
        requested: reply => {
          const header = `NATS/1.0 503\r\n${'a: b\r\n'.repeat(100_000)}\r\n`;
          socket.write(`HMSG ${reply} 1 ${header.length} ${header.length}\r\n${header}\r\n`);
          return writeAll(socket, 'x'.repeat(65_537));
        },
      }),
    reason: 'fleet-protocol',
  },
  {
    name: 'messages without an end to it',
    run: socket =>
      greeted(socket, {
        requested: async reply => {
          await writeAll(socket, `MSG ${reply}x 1 2\r\nxx\r\n`.repeat(1_000), 3_000_000);
          socket.write('end of it\r\n');
        },
      }),
    reason: 'fleet-protocol',
  },
];

const hostileServer = async (attack: Attack['run']) => {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined); // the client ends the connection in the middle of it
    void attack(socket);
  });
  const port = await listenOn(server);
  return {
    port,
    [Symbol.dispose]: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};

/** What the process prints meanwhile: a library may print without being asked. */
const printed = () => {
  const texts: string[] = [];
  const consoles = (['log', 'info', 'error', 'trace', 'warn'] as const).map(name => ({
    name,
    print: console[name],
  }));
  for (const { name } of consoles)
    console[name] = (...values: unknown[]) => void texts.push(values.join(' '));
  return {
    texts,
    [Symbol.dispose]: () => {
      for (const { name, print } of consoles) console[name] = print;
    },
  };
};

/**
 * Requests /healthz again and again until the daemon has noticed. @returns the longest that it took, in time of this process's
 * own processor: what other processes do meanwhile is not what is measured.
 */
const healthUntil = async ({ url }: Daemon, holds: () => boolean): Promise<number> => {
  let longestMs = 0;
  while (!holds()) {
    const before = process.cpuUsage();
    const { status } = await fetch(`${url}/healthz`);
    const { user, system } = process.cpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    expect(status).toBe(200);
    await systemClock.sleep(5, new AbortController().signal);
  }
  return longestMs;
};

for (const { name, run, reason } of ATTACKS)
  test(`${name}: a daemon answers within a second throughout, and reports what is wrong without it`, async () => {
    using prints = printed();
    using server = await hostileServer(run);
    using folder = temporaryDirectory();
    const config = `[fleet]\nservers = ["nats://127.0.0.1:${server.port}"]\n`;
    await using daemon = await clusterDaemon(join(folder.path, 'a'), 'atlas', config);
    const found = () => daemon.notices.find(({ code }) => code === 'fleet-down');
    const longestMs = await healthUntil(daemon, () => found() !== undefined);
    expect(longestMs).toBeLessThan(1_000);
    const notice = found();
    expect(notice).toMatchObject({ reason });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is in it is what is tested
    expect(JSON.stringify(notice)).not.toMatch(/\\u00|[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(notice?.problem.length).toBeLessThan(1_000);
    expect(prints.texts).toEqual([]);
  });

test('fleet status and doctor report each of them in printable words', async () => {
  using prints = printed();
  for (const { name, run, reason } of ATTACKS) {
    using server = await hostileServer(run);
    const { problems } = await examineFleet({
      server: {
        servers: [`nats://127.0.0.1:${server.port}`],
        credentials: undefined,
        caFile: undefined,
        isHandshakeFirst: false,
      },
      node: generateNodeKey().nodeId,
      cluster: 'test',
      clock: systemClock,
    });
    expect(
      problems.map(({ code }) => code),
      name,
    ).toEqual([reason]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is in it is what is tested
    expect(JSON.stringify(problems), name).not.toMatch(/\\u00|[\u0000-\u001f\u007f-\u009f\u202e]/);
  }
  expect(prints.texts).toEqual([]);
});

test('a server that sends one byte at a time holds up nothing, and is given up on', async context => {
  if (!isLongRun) context.skip('five seconds of waiting for it: in npm run test:long');
  using server = await hostileServer(async socket => {
    while (!socket.destroyed) {
      socket.write('I');
      await systemClock.sleep(1, new AbortController().signal);
    }
  });
  using folder = temporaryDirectory();
  const config = `[fleet]\nservers = ["nats://127.0.0.1:${server.port}"]\n`;
  await using daemon = await clusterDaemon(join(folder.path, 'a'), 'atlas', config);
  const found = () => daemon.notices.find(({ code }) => code === 'fleet-down');
  expect(await healthUntil(daemon, () => found() !== undefined)).toBeLessThan(1_000);
  expect(found()).toMatchObject({ reason: 'fleet-unreachable' });
});
