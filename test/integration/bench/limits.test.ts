// What bounds a run, what comes before its time zero, and what its objectives do to the code.

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { decodeSampleLine } from '../../../src/wire/sample-line.ts';
import { documentFaults } from '../../support/published-schema.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere, expectInvariants } from './bench-here.ts';

const startMock = (options: object = {}) =>
  spawnMock(
    { ttftMs: 20, gapMs: 1, outputTokens: 5, ...options },
    { nodePath: process.execPath, env: process.env },
  );

const samplesOf = (directory: string) =>
  readFileSync(join(directory, 'samples.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map(decodeSampleLine)
    .flatMap(line => (line.kind === 'sample' ? [line.sample] : []));

describe('a limit bounds what it names', { timeout: 120_000 }, () => {
  test('a duration ends the issuing, and what is in flight is followed for the timeout at most', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock();
    const run = await benchHere(folder.path, [
      ...[mock.url, '--model', 'mock-fail-silent', '--duration', '300ms', '--rate', '100', '--no-warmup'],
      ...['--timeout', '400ms', '--max-failures', '1000'],
    ]);
    expect(run.exit).toBe('ok');
    const report = run.report();
    expectInvariants(report);
    expect(report.errors).toEqual({ timeout: report.counts.issued });
    const samples = samplesOf(run.directory);
    const zeroNs = Math.min(...samples.map(({ intendedNs }) => intendedNs));
    for (const { intendedNs, sentNs, endNs } of samples) {
      expect(intendedNs - zeroNs).toBeLessThanOrEqual(300e6);
      // One coarse timer a thread: a deadline comes up to two ticks late on an idle machine, never early.
      expect(endNs - sentNs).toBeGreaterThanOrEqual(400e6);
    }
  });

  test('a number of requests is exactly that, and prompts of a file are asked in turn', async () => {
    using folder = temporaryDirectory();
    await using server = await recordingServer();
    const file = join(folder.path, 'prompts.jsonl');
    writeFileSync(file, '{"q":"one"}\n{"q":"two","max_tokens":3}\n{"q":"three"}\n');
    const run = await benchHere(folder.path, [
      ...[server.url, '--model', 'm', '--requests', '7', '--concurrency', '1', '--no-warmup', '--no-nonce'],
      ...['--dataset', file, '--prompt-column', 'q', '--streaming', 'off'],
    ]);
    expect(run.exit).toBe('ok');
    expect(run.report().run).toMatchObject({ dataset: 'prompts.jsonl: 3 prompts', hasNonce: false });
    // There was not even a request for its model before; its metrics are requested in parallel with the load.
    expect(server.lines().filter(line => !line.startsWith('GET /metrics '))).toEqual(
      Array.from({ length: 7 }, () => 'POST /v1/chat/completions HTTP/1.1'),
    );
    expect(server.bodies()).toHaveLength(7);
    expect(server.bodies().map(({ messages }) => messages[0]?.content)).toEqual([
      'one',
      'two',
      'three',
      'one',
      'two',
      'three',
      'one',
    ]);
    expect(server.bodies()[1]).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'two' }],
      max_tokens: 3,
      stream: false,
    });
  });

  test('a nonce makes every prompt another one', async () => {
    using folder = temporaryDirectory();
    await using server = await recordingServer();
    const run = await benchHere(folder.path, [
      ...[server.url, '--model', 'm', '--requests', '300', '--no-warmup', '--streaming', 'off'],
    ]);
    expect(run.exit).toBe('ok');
    expect(new Set(server.bodies().map(({ messages }) => messages[0]?.content)).size).toBe(300);
  });
});

describe('the code of a run', { timeout: 120_000 }, () => {
  test('is 0 when objectives are met, and their own when one is missed', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock();
    const args = [mock.url, '--requests', '8', '--events', 'off'];
    const met = await benchHere(folder.path, [
      ...args,
      '--slo',
      'ttft=10s,latency=20s',
      '--attainment',
      '100%',
      '--out',
      join(folder.path, 'a'),
    ]);
    expect(met.exit).toBe('ok');
    expect(JSON.parse(readFileSync(join(folder.path, 'a', 'report.json'), 'utf8'))).toMatchObject({
      objectives: [
        { name: 'ttft', metSamples: 8, samples: 8 },
        { name: 'latency', metSamples: 8, samples: 8 },
      ],
    });
    const missed = await benchHere(folder.path, [
      ...args,
      '--slo',
      'ttft=10ms',
      '--attainment',
      '100%',
      '--out',
      join(folder.path, 'b'),
    ]);
    expect(missed.exit).toBe('benchObjectives');
    expect(missed.stderr).toContain('missed: ttft=10ms for every request, 0');
  });

  test('is their own where too few requests were made to decide, with how many would do', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock();
    const run = await benchHere(folder.path, [
      ...[mock.url, '--requests', '8', '--events', 'off', '--slo', 'ttft.p95=10s', '--json'],
    ]);
    expect(run.exit).toBe('benchTooFew');
    expect(run.stderr).toMatch(
      /too few requests to decide: ttft\.p95=10s, .* about \d[\d\s]* requests would decide \(code 21\)/,
    );
    expect(run.report().objectiveAnswers).toMatchObject([
      { objective: 'ttft.p95=10s', answer: 'too-few-samples', estimate: { high: null } },
    ]);
  });

  test('is that of an interrupt also while warming up, with a report', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock();
    const run = await benchHere(folder.path, [mock.url, '--model', 'mock-fail-silent', '--requests', '5'], {
      isTerminal: true,
      during: async ({ stdout, stop }) => {
        await stdout.until(/warming up/);
        stop('SIGTERM');
      },
    });
    expect(run.exit).toBe('benchInterrupted');
    const report = run.report();
    expectInvariants(report);
    expect(report.counts.issued).toBe(0);
    expect(report.warmup).toMatchObject({ issued: 1, cancelled: 1 });
  });

  test('is that of an interrupt also before anything was sent, without a report', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock();
    const run = await benchHere(folder.path, [mock.url], { during: ({ stop }) => stop('SIGINT') });
    expect(run.exit).toBe('benchInterrupted');
    expect(run.stderr).toContain('before it started');
    expect(() => run.report()).toThrow(/ENOENT/);
  });

  test('reports what is printed: JSON alone, the report alone', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock();
    const args = [mock.url, '--requests', '4'];
    const json = await benchHere(folder.path, [...args, '--json', '--out', join(folder.path, 'a')], {
      isTerminal: true,
    });
    const document: unknown = JSON.parse(json.stdout);
    expect(document).toMatchObject({ schema: 'plimsoll.report/1', complete: true });
    expect(await documentFaults(document)).toEqual([]);
    const config: unknown = JSON.parse(readFileSync(join(folder.path, 'a', 'config.json'), 'utf8'));
    expect(await documentFaults(config)).toEqual([]);
    const quiet = await benchHere(folder.path, [...args, '--quiet', '--out', join(folder.path, 'b')], {
      isTerminal: true,
      env: { HTTP_PROXY: 'http://127.0.0.1:9' },
    });
    expect(quiet.stdout).toMatch(/^(NOT VOUCHED|CLIENT|Trustworthy|The client adds|.+ is not usable|Run )/);
    expect(quiet.stdout).not.toContain('\u001b');
    expect(quiet.stderr).toBe('');
  });
});

interface Recorded {
  readonly messages: readonly { readonly content: string }[];
}

/** Keeps every request, and answers with a whole completion. */
const recordingServer = async () => {
  const lines: string[] = [];
  const bodies: Recorded[] = [];
  const sockets = new Set<Socket>();
  const reply = JSON.stringify({
    choices: [{ message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  });
  const server = createServer(socket => {
    let text = '';
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', chunk => {
      text += chunk.toString('latin1');
      for (let head = text.indexOf('\r\n\r\n'); head !== -1; head = text.indexOf('\r\n\r\n')) {
        const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
        if (text.length < head + 4 + length) return;
        lines.push(text.split('\r\n')[0] ?? '');
        if (length > 0) bodies.push(JSON.parse(text.slice(head + 4, head + 4 + length)));
        text = text.slice(head + 4 + length);
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${reply.length}\r\n\r\n${reply}`,
        );
      }
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    lines: (): readonly string[] => lines,
    bodies: (): readonly Recorded[] => bodies,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
};
