// What a run asks of each request, as the server gets and counts it.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../../src/core/run/report.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type BenchHere, benchHere, expectInvariants } from './bench-here.ts';

interface Served {
  readonly outputTokens: number;
  readonly promptTokens: number;
}

const FAST = { ttftMs: 0, gapMs: 0, tokensPerChunk: 16 };

const servedBy = async (url: string): Promise<readonly Served[]> => {
  const log: { readonly entries: readonly Served[] } = JSON.parse(
    await (await fetch(`${url}/mock/log`)).text(),
  );
  return log.entries;
};

const runOf = async (folder: string, url: string, ...args: readonly string[]): Promise<BenchHere> => {
  const run = await benchHere(folder, [
    url,
    '--requests',
    '24',
    '--concurrency',
    '2',
    '--warmup',
    '2',
    ...args,
  ]);
  expectInvariants(run.report());
  return run;
};

const requestsOf = ({ run }: Report) => {
  if (isUnknown(run.requests)) throw new Error(run.requests.reason);
  return run.requests;
};

describe('the length of answers', () => {
  test('is 256 at most where nobody reports it, and 16 in the warm-up', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock({ ...FAST, outputTokens: 5_000 });
    const run = await runOf(folder.path, mock.url);
    const served = (await servedBy(mock.url)).map(({ outputTokens }) => outputTokens);
    expect(served.toSorted((a, b) => a - b)).toEqual([16, 16, ...Array(24).fill(256)]);
    expect(requestsOf(run.report())).toMatchObject({
      outputTokens: { mean: 256, min: 256, max: 256 },
      outputSource: 'default',
      lengthFields: [],
      warmupTokensMax: 16,
    });
    expect(run.stdout).toContain('requested at most 256, the default; counted 256');
  });

  test('is what was requested, independent of the length that the model prefers', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock({ ...FAST, outputTokens: { min: 1, max: 400 } });
    const run = await runOf(folder.path, mock.url, '--output-tokens', '150');
    expect(requestsOf(run.report()).lengthFields).toEqual(['min_tokens', 'ignore_eos']);
    expect(run.report().series.outputTokens).toMatchObject({ min: 150, max: 150, count: 24 });
    expect(run.stdout).toContain('requested 150; counted 150');
  });

  test('is drawn from the seed, equal in closed and open loop and for any number of warm-up requests', async () => {
    const lengths: number[][] = [];
    for (const more of [[], ['--warmup', '7', '--rate', '500', '--seed', '5']]) {
      using folder = temporaryDirectory();
      await using mock = await startMock({ ...FAST, outputTokens: 1_000 });
      const args = [mock.url, '--requests', '24', '--output-tokens', 'normal(100,30)', '--seed', '5'];
      const run = await benchHere(
        folder.path,
        more.length === 0
          ? [...args, '--concurrency', '1', '--warmup', '2']
          : [...args.slice(0, -2), ...more],
      );
      expect(run.report().incompleteReason).toBeUndefined();
      const served = await servedBy(mock.url);
      lengths.push(served.map(({ outputTokens }) => outputTokens).filter(tokens => tokens !== 16));
    }
    expect(lengths[0]).toHaveLength(24);
    expect(new Set(lengths[0]).size).toBeGreaterThan(10);
    expect(lengths[1]?.toSorted((a, b) => a - b)).toEqual(lengths[0]?.toSorted((a, b) => a - b));
  });

  test('is that of the data set, unless an option reports another', async () => {
    using folder = temporaryDirectory();
    const file = join(folder.path, 'prompts.jsonl');
    writeFileSync(file, '{"prompt":"a","max_tokens":9}\n{"prompt":"b","max_tokens":11}\n{"prompt":"c"}\n');
    await using mock = await startMock({ ...FAST, outputTokens: 5_000 });
    const run = await runOf(folder.path, mock.url, '--dataset', file);
    const served = (await servedBy(mock.url)).map(({ outputTokens }) => outputTokens);
    expect(new Set(served)).toEqual(new Set([9, 11, 256]));
    expect(requestsOf(run.report())).toMatchObject({
      outputSource: 'dataset',
      outputTokens: { min: 9, max: 256, mean: 92 },
    });
    using other = temporaryDirectory();
    const again = await runOf(other.path, mock.url, '--dataset', file, '--output-tokens', '30');
    expect(again.report().series.outputTokens).toMatchObject({ min: 30, max: 30 });
  });
});

describe('the body of each request', () => {
  test('has the sampling and the fields that were given, without those that were taken out', async () => {
    using folder = temporaryDirectory();
    await using server = await recordingServer();
    const run = await runOf(
      folder.path,
      server.url,
      ...[
        '--model',
        'm',
        '--streaming',
        'off',
        '--temperature',
        '0.5',
        '--top-p',
        '0.9',
        '--seed-sampling',
        '7',
      ],
      ...['--body', '{"top_k":40,"max_tokens":null,"max_completion_tokens":32}'],
    );
    expect(server.bodies).toHaveLength(26);
    for (const body of server.bodies) {
      expect(body).toEqual({
        model: 'm',
        messages: [expect.objectContaining({ role: 'user' })],
        stream: false,
        temperature: 0.5,
        top_p: 0.9,
        seed: 7,
        top_k: 40,
        max_completion_tokens: 32,
      });
    }
    expect(requestsOf(run.report())).toMatchObject({ outputSource: 'body' });
    expect(readFileSync(join(run.directory, 'report.txt'), 'utf8')).toContain('"top_k":40');
  });

  test('begins with one of the shared prefixes, byte for byte, and has its mark behind it', async () => {
    using folder = temporaryDirectory();
    await using server = await recordingServer();
    await runOf(
      folder.path,
      server.url,
      ...['--model', 'm', '--streaming', 'off', '--prefix-tokens', '50', '--prefixes', '3'],
    );
    // Behind those that found out what words cost.
    const sent = server.bodies.slice(-26);
    const systems = sent.map(({ messages }) => messages[0]);
    expect(new Set(systems.map(message => message?.role))).toEqual(new Set(['system']));
    expect(new Set(systems.map(message => message?.content)).size).toBe(3);
    const users = sent.map(({ messages }) => messages[1]?.content ?? '');
    expect(users.every(text => /^\[[0-9a-f]{16}\] /.test(text))).toBe(true);
    expect(new Set(users).size).toBe(26);
  });
});

interface RecordedBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** Answers each completion in one word and keeps what it was asked. */
const recordingServer = async () => {
  const bodies: RecordedBody[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'POST') bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
      const choice = { index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' };
      const usage = { prompt_tokens: 9, completion_tokens: 1 };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [choice], usage }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
