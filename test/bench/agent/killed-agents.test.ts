// The process of an agent, killed in each phase of a run, and attacked by peers without a ticket: its coordinator
// detects it at once, and no load continues.

import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AgentProcess, startAgentProcess } from '../../../src/bench/agent/start-agent-process.ts';
import { dialAgent } from '../../../src/bench/agent/tls/dial-agent.ts';
import { type Mock, startMock } from '../../../src/mock/mock-server.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { CoordinatorScript, POLICY, requestTo } from './scripted-coordinator.ts';

const LONG = 'a process and a whole run each: left to the long test';

const startAgent = (folder: string, target: string): Promise<AgentProcess> =>
  startAgentProcess({
    argument: {
      port: 0,
      policy: { ...POLICY, targets: [new URL(target).origin] },
      name: 'juno',
      version: '1.2.3',
      folder: join(folder, 'agent'),
      waitMsMax: 30_000,
    },
    env: process.env,
    nodePath: process.execPath,
    signal: new AbortController().signal,
    onLoad: () => undefined,
  });

const dial = async ({ port, ticket }: AgentProcess): Promise<CoordinatorScript> =>
  new CoordinatorScript(
    await dialAgent({
      name: 'juno',
      addresses: [{ host: '127.0.0.1', port }],
      secret: ticket,
      signal: AbortSignal.timeout(30_000),
    }),
  );

type Reach = (script: CoordinatorScript, mock: Mock, signal: AbortSignal) => Promise<void>;

const SLOW = { ttftMs: 5, gapMs: 20, outputTokens: 20 };

describe('an agent killed by SIGKILL', () => {
  test.for<readonly [string, Reach]>([
    ['before it is asked for anything', async () => undefined],
    [
      'when it is ready',
      async (script: CoordinatorScript, mock: Mock) => void (await script.prepare(requestTo(mock.url))),
    ],
    [
      'while it prepares',
      async (script: CoordinatorScript, mock: Mock, signal: AbortSignal) => {
        await script.requestPrepare(requestTo(mock.url, { warmupRequests: 4 }));
        await until(() => mock.log().requests > 0, signal);
        expect(script.received.map(({ kind }) => kind)).not.toContain('ready');
      },
    ],
    [
      'while it loads',
      async (script: CoordinatorScript, mock: Mock) => {
        await script.prepare(requestTo(mock.url, { samplesMax: 1_000 }));
        await script.start();
        await script.next('live');
      },
    ],
    [
      'when its load is over',
      async (script: CoordinatorScript, mock: Mock) => {
        await script.prepare(requestTo(mock.url));
        await script.start();
        await script.next('ended');
      },
    ],
    [
      'while it sends its samples',
      async (script: CoordinatorScript, mock: Mock) => {
        await script.prepare(requestTo(mock.url));
        await script.start();
        await script.next('ended');
        await script.send({ kind: 'collect' });
      },
    ],
  ])('%s is known to be lost, and sends nothing more', async ([phase, reach], { signal, skip }) => {
    if (!isLongRun && phase !== 'while it loads') skip(LONG);
    using folder = temporaryDirectory();
    await using mock = await startMock(SLOW);
    await using agent = await startAgent(folder.path, mock.url);
    await using script = await dial(agent);
    await script.next('hello');
    await reach(script, mock, signal);
    process.kill(agent.pid, 'SIGKILL');
    expect(await script.channel.closed).toMatchObject({ reason: 'lost', by: 'other end' });
    await agent.exited;
  });
});

describe('an agent attacked from its network', () => {
  test('serves its coordinator next to slow strangers, half-open connections and garbage', async ({
    signal,
    skip,
  }) => {
    if (!isLongRun) skip(LONG);
    using folder = temporaryDirectory();
    await using mock = await startMock(SLOW);
    await using agent = await startAgent(folder.path, mock.url);
    const strangers = Array.from({ length: 10 }, () => {
      const socket = connect({ host: '127.0.0.1', port: agent.port });
      socket.on('error', () => undefined);
      return socket;
    });
    await Promise.all(strangers.map(socket => once(socket, 'connect')));
    // A client hello that never ends, a byte at a time; ends that are half closed; noise.
    const dripping = setInterval(() => strangers[0]?.write(Buffer.of(0x16)), 20);
    strangers[1]?.end();
    strangers[2]?.write(Buffer.alloc(65_536, 0x16));
    strangers[3]?.write('GET / HTTP/1.1\r\n\r\n');
    await using script = await dial(agent);
    await script.prepare(requestTo(mock.url));
    await script.start();
    expect(await script.next('ended')).toMatchObject({ state: 'complete' });
    await script.collect();
    await script.send({ kind: 'done' });
    await until(() => strangers.every(socket => socket.closed), signal);
    clearInterval(dripping);
    await agent.exited;
  });
});
