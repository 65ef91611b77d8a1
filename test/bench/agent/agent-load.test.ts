// What a coordinator may make of an agent beyond its requests: a plan that takes seconds, and more connections than its owner allows.

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startMock } from '../../../src/mock/mock-server.ts';
import { longCount } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { requestTo, ScriptedCoordinator } from './scripted-coordinator.ts';

const FAST = { ttftMs: 5, gapMs: 1, outputTokens: 3 };
const originOf = (url: string): string => new URL(url).origin;

describe('an agent', () => {
  test('answers while it makes a large plan', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(FAST);
    await using coordinator = new ScriptedCoordinator(folder.path, { targets: [originOf(mock.url)] });
    const request = requestTo(mock.url, { inputTokens: { kind: 'fixed', value: longCount(6_000, 20_000) } });
    await coordinator.send({ kind: 'survey', request });
    const { survey } = await coordinator.next('surveyed');
    coordinator.fallQuiet();
    const share = { index: 0, of: 1 };
    await coordinator.send({ kind: 'prepare', request, share, survey, promptsDigest: 'another' });
    const count = (kind: string): number =>
      coordinator.received.filter(message => message.kind === kind).length;
    const beganMs = performance.now();
    let [lastMs, longestMs] = [beganMs, 0];
    while (!coordinator.isOver && count('refused') === 0) {
      await coordinator.send({ kind: 'ping', id: 1 });
      await coordinator.settled('pong', count('pong') + 1);
      longestMs = Math.max(longestMs, performance.now() - lastMs);
      lastMs = performance.now();
    }
    // One thread that plans and answers is silent for nearly all of that time.
    expect(longestMs).toBeLessThan((lastMs - beganMs) / 2);
  });

  test('takes a stop while it makes a large plan, and does not finish it', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(FAST);
    const begun = Promise.withResolvers<void>();
    await using coordinator = new ScriptedCoordinator(
      folder.path,
      { targets: [originOf(mock.url)] },
      { onLoad: () => begun.resolve() },
    );
    const request = requestTo(mock.url, { inputTokens: { kind: 'fixed', value: 20_000 } });
    await coordinator.send({ kind: 'survey', request });
    const { survey } = await coordinator.next('surveyed');
    const share = { index: 0, of: 1 };
    await coordinator.send({ kind: 'prepare', request, share, survey, promptsDigest: 'another' });
    await begun.promise;
    await coordinator.send({ kind: 'stop', how: 'abort' });
    // A whole plan would have been refused for its prompts.
    expect((await coordinator.next('refused')).problem).toMatchObject({
      problem: 'the coordinator ended the run',
    });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('never has more connections open than its cap, however slow the replies to its arrivals are', async () => {
    using folder = temporaryDirectory();
    let [open, most] = [0, 0];
    const server = createServer((request, reply) => {
      request.resume();
      request.once('end', () => void setTimeout(() => reply.end('{}'), 1_500));
    }).listen(0, '127.0.0.1');
    server.on('connection', socket => {
      open += 1;
      most = Math.max(most, open);
      socket.once('close', () => {
        open -= 1;
      });
    });
    await once(server, 'listening');
    const address = server.address();
    const target = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
    await using coordinator = new ScriptedCoordinator(folder.path, { targets: [target], connectionsMax: 8 });
    await coordinator.requestPrepare(
      requestTo(target, {
        model: 'm',
        pattern: { kind: 'constant', requestsPerSecond: 8 },
        samplesMax: 20,
        warmupRequests: 0,
      }),
    );
    await coordinator.next('ready');
    await coordinator.start();
    const { report } = await coordinator.next('ended');
    expect(JSON.parse(report).counts.issued).toBe(20);
    expect(most).toBe(8);
    server.close();
    server.closeAllConnections();
  });
});
