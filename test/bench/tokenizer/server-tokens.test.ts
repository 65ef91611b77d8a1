// The server as its own tokenizer, with stand-ins of the shapes that vLLM, SGLang and llama.cpp have.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { serverTokenizer } from '../../../src/bench/tokenizer/server-tokens.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';

const NEVER = new AbortController().signal;

/** One token a word, under this kind of server's field. */
const tokenizing = (field: 'prompt' | 'content') => (text: string) => {
  const body: Record<string, unknown> = JSON.parse(text);
  const words = String(body[field] ?? '').match(/\S+/g) ?? [];
  return JSON.stringify({ count: words.length, tokens: words.map((_, at) => at) });
};

/** Answers /tokenize itself, and passes everything else on. */
const startServer = async (
  tokenize: ((text: string) => string) | undefined,
  behind = 'http://127.0.0.1:9',
) => {
  const server: Server = createServer(async (request, response) => {
    if (request.url !== '/tokenize') {
      const onward = httpRequest(behind + request.url, { method: request.method, headers: request.headers });
      onward.on('response', (reply: IncomingMessage) => {
        response.writeHead(reply.statusCode ?? 0, reply.headers);
        reply.pipe(response);
      });
      request.pipe(onward);
      return;
    }
    const text = (await request.setEncoding('utf8').toArray()).join('');
    if (tokenize === undefined) response.writeHead(404).end();
    else response.end(tokenize(text));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const requested = (url: string) => ({
  target: requestHere(url).target,
  api: requestHere(url).api,
  headers: [],
  model: undefined,
});

describe('the tokens of answers by the server that wrote them', () => {
  test.each([
    ['prompt', 'vLLM and SGLang'],
    ['content', 'llama.cpp'],
  ] as const)('are counted where it takes a %s, as %s do', async (field, servers) => {
    using folder = temporaryDirectory();
    await using server = await startServer(tokenizing(field));
    const answers = join(folder.path, 'answers.tmp');
    writeFileSync(answers, '[7,"one two three"]\n[8,""]\n[9,"four"]\n[10,"cut o');
    const { facts, count } = await serverTokenizer(requested(server.url), NEVER);
    expect(facts.name).toContain(servers);
    expect([...(await count(answers, NEVER)).tokens].toSorted(([a], [b]) => a - b)).toEqual([
      [7, 3],
      [8, 0],
      [9, 1],
    ]);
  });

  test('complete a run whose server reports no usage, and the report states the tokenizer', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock({ ttftMs: 1, gapMs: 0, outputTokens: 6, usage: 'never' });
    await using server = await startServer(tokenizing('prompt'), mock.url);
    const { report } = await runBench(
      requestHere(server.url, { samplesMax: 4, tokenizer: { kind: 'server' } }),
      partsHere(folder.path),
    );
    if (report.tokenizer === undefined || isUnknown(report.tokenizer)) throw new Error('not counted');
    expect(report.tokenizer).toMatchObject({ answers: 4, filled: 4, sha256: { kind: 'unknown' } });
    expect(report.series['outputTokens']).toMatchObject({ count: 4, total: String(report.tokenizer.tokens) });
    expect(report.notices.join('\n')).toContain('output tokens of 4 answers are counted by POST /tokenize');
  });

  test('are refused before the run where it has no such question, or answers something else', async () => {
    using folder = temporaryDirectory();
    await using none = await startServer(undefined);
    const running = runBench(
      requestHere(none.url, { samplesMax: 1, tokenizer: { kind: 'server' } }),
      partsHere(folder.path),
    );
    await expect(running).rejects.toThrow('does not count tokens: POST /tokenize: status 404');
    await using strange = await startServer(() => '{"tokens":"many"}');
    await expect(serverTokenizer(requested(strange.url), NEVER)).rejects.toThrow('its answer has no tokens');
  });
});
