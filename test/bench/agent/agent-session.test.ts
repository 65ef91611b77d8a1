// An agent at work for a coordinator, against the mock server: what it refuses, what it sends back, and how it ends.

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SERVER_ENGINES } from '../../../src/core/engine/server-engines.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import type { AgentRequest } from '../../../src/wire/agent-request.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { requestTo, ScriptedCoordinator } from './scripted-coordinator.ts';

const FAST = { ttftMs: 5, gapMs: 1, outputTokens: 3 };
const SLOW = { ttftMs: 5, gapMs: 50, outputTokens: 10_000 };
const originOf = (url: string): string => new URL(url).origin;
const KEY = 'sk-very-secret-0123456789';

/** Why it is refused before it begins. */
const refusalOf = async (
  coordinator: ScriptedCoordinator,
  requested: AgentRequest,
): Promise<{ readonly code: string; readonly problem: string }> => {
  await coordinator.send({ kind: 'survey', request: requested });
  const { problem } = await coordinator.next('refused');
  return problem;
};

const LONG = 'a whole run: left to the long test';

describe('an agent', () => {
  test('loads a target that its config lists, and sends every sample back', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(FAST);
    await using coordinator = new ScriptedCoordinator(folder.path, { targets: [originOf(mock.url)] });
    const hello = await coordinator.next('hello');
    expect(hello).toMatchObject({ name: 'juno', caps: { connectionsMax: 64 } });
    const ready = await coordinator.prepare(requestTo(mock.url));
    expect(ready.connectionsOpened).toBeGreaterThan(0);
    await coordinator.start();
    const ended = await coordinator.next('ended');
    expect(ended).toMatchObject({ state: 'complete', runProblems: [] });
    const lines = (await coordinator.collect()).trim().split('\n');
    expect(lines.length).toBe(20 + 1 + 1); // the warm-up's, and the end's
    expect(JSON.parse(ended.report)).toMatchObject({ counts: { issued: 20, completed: 20 } });
    const [run] = readdirSync(folder.path).filter(name => /^[0-9a-f]{16}$/.test(name));
    expect(run).toBeDefined();
    await coordinator.send({ kind: 'done' });
    expect(await coordinator.end).toMatchObject({ kind: 'done', keptIn: undefined });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('keeps its samples where a coordinator dies before it has acknowledged them', async ({ skip }) => {
    if (!isLongRun) skip(LONG);
    using folder = temporaryDirectory();
    await using mock = await startMock(FAST);
    await using coordinator = new ScriptedCoordinator(folder.path, { targets: [originOf(mock.url)] });
    await coordinator.prepare(requestTo(mock.url));
    await coordinator.start();
    await coordinator.next('ended');
    coordinator.lines.cut();
    const { kind, keptIn = '' } = await coordinator.end;
    expect(kind).toBe('lost');
    expect(readdirSync(keptIn)).toContain('samples.jsonl');
  });

  test.each([
    ['not listed', {}, 'target-not-allowed'],
    ['not allowed at all', { isAgent: false }, 'not-allowed'],
  ])('that is %s refuses the target and sends it nothing', async (_, policy, code) => {
    using folder = temporaryDirectory();
    let connections = 0;
    const server = createServer().listen(0, '127.0.0.1');
    server.on('connection', () => {
      connections += 1;
    });
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await using coordinator = new ScriptedCoordinator(folder.path, policy);
    expect(await refusalOf(coordinator, requestTo(`http://127.0.0.1:${port}`))).toMatchObject({ code });
    expect(await coordinator.end).toMatchObject({ kind: 'refused' });
    expect(connections).toBe(0);
    server.close();
  });

  test('refuses a listed name that has come to lead to a metadata address, also between survey and prepare', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(FAST);
    const { port } = new URL(mock.url);
    const target = `http://localhost:${port}`;
    const answers = [['127.0.0.1'], ['127.0.0.1', '169.254.169.254']];
    await using coordinator = new ScriptedCoordinator(
      folder.path,
      { targets: [target] },
      { resolve: async () => answers.shift() ?? [] },
    );
    await coordinator.send({ kind: 'survey', request: requestTo(target) });
    const { survey } = await coordinator.next('surveyed');
    await coordinator.send({
      kind: 'prepare',
      request: requestTo(target),
      share: { index: 0, of: 1 },
      survey,
      promptsDigest: 'any',
    });
    expect((await coordinator.next('refused')).problem).toMatchObject({ code: 'target-not-allowed' });
  });

  test('follows no redirect', async ({ skip }) => {
    if (!isLongRun) skip(LONG);
    using folder = temporaryDirectory();
    const requested: string[] = [];
    const elsewhere = createServer((request, reply) => {
      requested.push(request.url ?? '');
      reply.end();
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const address = elsewhere.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const server = createServer((_request, reply) => {
      reply.writeHead(307, { location: `http://127.0.0.1:${port}/v1/chat/completions` }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const own = server.address();
    const target = `http://127.0.0.1:${typeof own === 'object' ? (own?.port ?? 0) : 0}`;
    await using coordinator = new ScriptedCoordinator(folder.path, { targets: [target] });
    await coordinator.prepare(requestTo(target, { model: 'm' }));
    await coordinator.start();
    expect(JSON.parse((await coordinator.next('ended')).report)).toMatchObject({
      counts: { completed: 0, failed: 20 },
    });
    expect(requested).toEqual([]);
    server.close();
    elsewhere.close();
  });

  test('uses the key that its own config names, and no frame and no file has it', async () => {
    using folder = temporaryDirectory();
    const seen: (string | undefined)[] = [];
    const server = createServer((request, reply) => {
      seen.push(request.headers.authorization);
      request.resume();
      reply.end(
        JSON.stringify({ choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }] }),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const origin = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
    await using coordinator = new ScriptedCoordinator(
      folder.path,
      { targets: [origin], keys: [{ origin, source: { kind: 'variable', name: 'LLM_KEY' } }] },
      { env: { LLM_KEY: KEY } },
    );
    await coordinator.prepare(requestTo(origin, { model: 'm', isStreaming: false }));
    await coordinator.start();
    expect(JSON.parse((await coordinator.next('ended')).report)).toMatchObject({ counts: { completed: 20 } });
    await coordinator.collect();
    expect(new Set(seen)).toEqual(new Set([`Bearer ${KEY}`]));
    const [run = ''] = readdirSync(folder.path).filter(name => /^[0-9a-f]{16}$/.test(name));
    for (const file of readdirSync(join(folder.path, run)))
      expect([file, readFileSync(join(folder.path, run, file), 'latin1').includes(KEY)]).toEqual([
        file,
        false,
      ]);
    const crossed = Buffer.concat(coordinator.frames).toString('latin1');
    expect(crossed.length).toBeGreaterThan(1_000);
    expect(crossed).not.toContain(KEY);
    expect(JSON.stringify(coordinator.received)).not.toContain(KEY);
    server.close();
    server.closeAllConnections();
  });

  test('reports of a key that it cannot use neither the key nor where it is', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(FAST);
    const origin = originOf(mock.url);
    await using coordinator = new ScriptedCoordinator(folder.path, {
      targets: [origin],
      keys: [{ origin, source: { kind: 'file', path: '/nowhere/secret-place' } }],
    });
    const problem = await refusalOf(coordinator, requestTo(mock.url));
    expect(problem).toMatchObject({ code: 'not-allowed' });
    expect(JSON.stringify(problem)).not.toContain('secret-place');
  });

  test.each([
    ['a higher rate', { pattern: { kind: 'constant', requestsPerSecond: 2_000 } }],
    ['more connections', { pattern: { kind: 'concurrency', concurrency: 65 }, samplesMax: 100 }],
    ['a longer time', { durationMs: 61_000 }],
    ['more requests', { samplesMax: 10_001, pattern: { kind: 'constant', requestsPerSecond: 1_000 } }],
  ] satisfies readonly (readonly [string, Partial<AgentRequest>])[])(
    'refuses %s than its config allows',
    async (_, changes) => {
      using folder = temporaryDirectory();
      await using mock = await startMock(FAST);
      await using coordinator = new ScriptedCoordinator(folder.path, { targets: [originOf(mock.url)] });
      const request = requestTo(mock.url, changes);
      await coordinator.send({ kind: 'survey', request: requestTo(mock.url) });
      const { survey } = await coordinator.next('surveyed');
      await coordinator.send({
        kind: 'prepare',
        request,
        share: { index: 0, of: 1 },
        survey,
        promptsDigest: 'any',
      });
      expect((await coordinator.next('refused')).problem).toMatchObject({ code: 'over-caps' });
    },
  );

  test('ends a closed loop that sends more than its rate, with what was done', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(FAST);
    const policy = { targets: [originOf(mock.url)], requestsPerSecondMax: 40 };
    await using coordinator = new ScriptedCoordinator(folder.path, policy);
    await coordinator.prepare(
      requestTo(mock.url, { pattern: { kind: 'concurrency', concurrency: 8 }, samplesMax: 9_000 }),
    );
    await coordinator.start();
    const ended = await coordinator.next('ended');
    expect(ended.state).toBe('interrupted');
    expect(ended.runProblems.join()).toContain('more than the 40 requests a second');
    expect(ended.samplesBytes).toBeGreaterThan(0);
  });

  test.each([
    ['dies', (coordinator: ScriptedCoordinator) => coordinator.lines.cut()],
    ...(isLongRun
      ? [
          ['falls silent', (coordinator: ScriptedCoordinator) => coordinator.lines.silence()] as const,
          ['says nothing more', (coordinator: ScriptedCoordinator) => coordinator.fallQuiet()] as const,
        ]
      : []),
  ] as const)('ends its load within 2 s when the coordinator %s, and leaves nothing', async (_, end) => {
    using folder = temporaryDirectory();
    await using mock = await startMock(SLOW);
    await using coordinator = new ScriptedCoordinator(folder.path, { targets: [originOf(mock.url)] });
    await coordinator.prepare(requestTo(mock.url, { samplesMax: 1_000 }));
    await coordinator.start();
    await coordinator.next('live');
    const fromMs = performance.now();
    end(coordinator);
    expect(await coordinator.end).toMatchObject({ kind: 'lost', keptIn: undefined });
    // 2 s of silence, and a second more for what is in flight to be cancelled in good order; the rest is a busy machine's.
    expect(performance.now() - fromMs).toBeLessThan(6_000);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('accuses no coordinator of a silence in which it was held up itself', async ({ signal }) => {
    using folder = temporaryDirectory();
    await using mock = await startMock(SLOW);
    await using coordinator = new ScriptedCoordinator(folder.path, { targets: [originOf(mock.url)] });
    await coordinator.prepare(requestTo(mock.url, { samplesMax: 1_000 }));
    await coordinator.start();
    await coordinator.next('live');
    // The whole process is blocked for longer than a coordinator may be silent. What arrives meanwhile stays unread.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    await coordinator.send({ kind: 'ping', id: 77 });
    await until(
      () =>
        coordinator.isOver ||
        coordinator.received.some(reported => reported.kind === 'pong' && reported.id === 77),
      signal,
    );
    coordinator.stopAgent();
    expect(await coordinator.end).toMatchObject({ kind: 'lost', detail: 'the agent was stopped' });
  });

  test('that is stopped ends its load and its session', async ({ signal, skip }) => {
    if (!isLongRun) skip(LONG);
    using folder = temporaryDirectory();
    await using mock = await startMock(SLOW);
    await using coordinator = new ScriptedCoordinator(folder.path, { targets: [originOf(mock.url)] });
    await coordinator.prepare(requestTo(mock.url, { samplesMax: 1_000 }));
    await coordinator.start();
    coordinator.stopAgent();
    expect(await coordinator.end).toMatchObject({ kind: 'lost' });
    await until(() => readdirSync(folder.path).length === 0, signal);
  });

  test.each([
    ['start', { kind: 'start', atNs: 1 }],
    ['collect', { kind: 'collect' }],
  ] as const)('breaks off with a coordinator that reports %s before it is due', async (_, message) => {
    using folder = temporaryDirectory();
    await using coordinator = new ScriptedCoordinator(folder.path, {});
    await coordinator.send(message);
    expect(await coordinator.channel.closed).toMatchObject({ reason: 'malformed', by: 'other end' });
    expect(await coordinator.end).toMatchObject({ kind: 'nothing' });
  });

  test('asks a server for its model a few times, and then no more', async () => {
    using folder = temporaryDirectory();
    let requested = 0;
    const server = createServer((_request, reply) => {
      requested += 1;
      reply.end(JSON.stringify({ object: 'list', data: [{ id: 'm' }] }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const target = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
    await using coordinator = new ScriptedCoordinator(folder.path, { targets: [target] });
    for (let survey = 1; survey <= 20 && !coordinator.isOver; survey += 1) {
      await coordinator.send({ kind: 'survey', request: requestTo(target) });
      await coordinator.settled('surveyed', survey);
    }
    expect(await coordinator.channel.closed).toMatchObject({ reason: 'malformed', by: 'other end' });
    const answered = coordinator.received.filter(({ kind }) => kind === 'surveyed').length;
    expect(answered).toBe(4);
    // A list of models, and the paths that distinguish the kinds of servers.
    const signs = SERVER_ENGINES.filter(({ sign }) => sign !== undefined);
    expect(requested).toBeLessThanOrEqual(answered * (signs.length + 1));
    server.close();
    server.closeAllConnections();
  });

  test('refuses prompts that another version would generate otherwise', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(FAST);
    await using coordinator = new ScriptedCoordinator(folder.path, { targets: [originOf(mock.url)] });
    const request = requestTo(mock.url);
    await coordinator.send({ kind: 'survey', request });
    const { survey } = await coordinator.next('surveyed');
    const share = { index: 0, of: 1 };
    await coordinator.send({ kind: 'prepare', request, share, survey, promptsDigest: 'another' });
    expect((await coordinator.next('refused')).problem).toMatchObject({ code: 'prompts-differ' });
    expect(await coordinator.end).toMatchObject({ keptIn: undefined });
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
