import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import type { BenchRequest } from '../../../src/bench/run/bench-request.ts';
import { benchExit } from '../../../src/cli/commands/bench.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { renderReport } from '../../../src/render/run/text-report.ts';
import { partsHere, requestHere } from '../../bench/run-here.ts';
import { isLongRun, longCases } from '../../support/counts.ts';
import { type StubReply, stubServer } from '../../support/stub-server.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-failed-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The text of a run up to its settings: a line for each sentence, however the terminal breaks it, and without the times. */
const topOf = (report: Report): string => {
  const lines = renderReport(report, { isUnicode: true, isFull: false });
  return lines
    .slice(
      0,
      lines.findIndex(line => line.startsWith('Run ')),
    )
    .join(' ')
    .replace(/\s+/gu, ' ')
    .replace(/(?:at )?\d:\d\d(?: to (?:\d:\d\d|the end))?/gu, 'TIME')
    .replace(/ (?=\d+ × |→ |CLIENT-BOUND)/gu, '\n')
    .trimEnd();
};

const ranAgainst = async (
  reply: (index: number) => StubReply,
  changes: Partial<BenchRequest> = {},
): Promise<{ readonly exit: string; readonly top: string; readonly report: Report }> => {
  await using server = await stubServer(reply);
  const request = requestHere(server.url, {
    pattern: { kind: 'concurrency', concurrency: 2 },
    samplesMax: 8,
    model: 'tiny',
    ...changes,
  });
  const { report, diskProblems } = await runBench(request, partsHere(folder));
  const exit = benchExit(report, { maxFailures: 0, needsTrustworthy: false, diskProblems });
  return { exit, top: topOf(report), report };
};

const json = (status: number, body: unknown): StubReply => ({ kind: 'json', status, body });

describe('a run of which every request failed', () => {
  test('reports of a wrong key what the server reported, and how to provide one', async () => {
    const error = {
      message: 'Incorrect API key provided: sk-x. \u001b[31mRED\u001b[0m',
      code: 'invalid_api_key',
    };
    const { exit, top } = await ranAgainst(() => json(401, { error }));
    expect(exit).toBe('benchFailures');
    expect(top).toBe(`ALL 8 REQUESTS FAILED: HTTP 401, Incorrect API key provided: sk-x. RED.
8 × HTTP 401, TIME: Incorrect API key provided: sk-x. RED
→ Provide a key that the server accepts: --api-key-file FILE, or set OPENAI_API_KEY.`);
  });

  test.each(
    longCases<readonly [string, StubReply]>(
      [['an empty body', { kind: 'text', status: 503, type: 'text/plain', body: '' }]],
      [['null', json(503, null)]],
    ),
  )('reports the status once if the server answered with %s', async (_, reply) => {
    const { top } = await ranAgainst(() => reply);
    expect(top).toMatch(/^ALL 8 REQUESTS FAILED: HTTP 503\.\n8 × HTTP 503, TIME\n→ /u);
  });

  test('reports of an error in the middle of each stream that the server failed while it replied', async () => {
    const { top } = await ranAgainst(() => ({
      kind: 'stream',
      events: [{ error: { message: 'mid stream crash', code: 500 } }],
    }));
    expect(top).toBe(`ALL 8 REQUESTS FAILED: error in the reply, mid stream crash.
8 × error in the reply, TIME: mid stream crash
→ The server accepted the request and failed while it replied: its own log says why.`);
  });

  test('reports of a wrong model which models the server has', async () => {
    const message = 'The model `tinny` does not exist.';
    const { exit, top } = await ranAgainst(
      () => json(404, { object: 'error', message, type: 'NotFoundError', code: 404 }),
      {
        model: 'tinny',
        warmup: { kind: 'default' },
      },
    );
    expect(exit).toBe('benchStopped');
    expect(
      top,
    ).toBe(`STOPPED: every request would fail as the one of the warm-up did: HTTP 404, The model \`tinny\` does not exist. To send the load all the same: --keep-going.
1 × HTTP 404, TIME, in warm-up: The model \`tinny\` does not exist.
→ The server has tiny, large. Use: --model tiny`);
  });

  test('reports of a field that is rejected how to leave it out', async () => {
    const detail = [
      { type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' },
    ];
    const { top } = await ranAgainst(() => json(422, { detail }));
    expect(top).toBe(`ALL 8 REQUESTS FAILED: HTTP 422, stream_options: Extra inputs are not permitted.
8 × HTTP 422, TIME: stream_options: Extra inputs are not permitted
→ This server does not accept the field stream_options. Leave it out: --body '{"stream_options":null}'. Without it some servers report no token counts: then add --tokenizer DIR.`);
  });

  test('makes one group of a context that is too long, for any length of the prompts', async () => {
    const { top, report } = await ranAgainst(index =>
      json(400, {
        error: {
          message: `This model's maximum context length is 64 tokens. However, you requested ${300 + index} tokens.`,
          type: 'BadRequestError',
          code: 400,
        },
      }),
    );
    expect(report.failures).toMatchObject({
      groups: [
        {
          count: 8,
          statusCode: 400,
          message: "This model's maximum context length is # tokens. However, you requested # tokens.",
        },
      ],
    });
    expect(
      top,
    ).toContain(`8 × HTTP 400, TIME: This model's maximum context length is 64 tokens. However, you requested 300 tokens. (also with other numbers)
→ Ask for less with --input-tokens and --output-tokens, or give the server more room: --max-model-len (vLLM), --context-length (SGLang), -c (llama-server), num_ctx (Ollama).`);
  });

  test('reads the error of a server out of memory from the middle of its stream', async ({ skip }) => {
    if (!isLongRun) skip('one more run: in npm run test:long');
    const { top } = await ranAgainst(() => ({
      kind: 'stream',
      events: [
        { choices: [{ index: 0, delta: { content: 'a' } }] },
        { error: { message: 'CUDA out of memory. Tried to allocate 20.00 MiB', code: 500 } },
      ],
    }));
    expect(
      top,
    ).toBe(`ALL 8 REQUESTS FAILED: error in the reply, CUDA out of memory. Tried to allocate 20.00 MiB.
8 × error in the reply, TIME: CUDA out of memory. Tried to allocate 20.00 MiB
→ The server ran out of memory. Send fewer requests at a time (--concurrency) or shorter ones (--input-tokens), or give it less to store: --max-num-seqs, --max-model-len, a smaller model.`);
  });

  test('reads a page of HTML of a proxy', async () => {
    const body =
      '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>';
    const { top } = await ranAgainst(() => ({ kind: 'text', status: 502, type: 'text/html', body }));
    expect(top).toBe(`ALL 8 REQUESTS FAILED: HTTP 502, 502 Bad Gateway (nginx/1.24.0).
8 × HTTP 502, TIME: 502 Bad Gateway (nginx/1.24.0)
→ A proxy answered, and the server behind it did not: check that the server runs, and read its log.`);
  });

  test('groups what a server reports in two ways, and blames the client for nothing', async ({ skip }) => {
    if (!isLongRun) skip('one more run: in npm run test:long');
    const { top, report } = await ranAgainst(index =>
      index % 4 === 0
        ? json(500, 'Internal Server Error')
        : json(500, { error: { message: `worker ${index} died` } }),
    );
    expect(report.client.reasons).toEqual([]);
    expect(top).toBe(`ALL 8 REQUESTS FAILED: HTTP 500, worker 1 died; and 1 other reason.
6 × HTTP 500, TIME: worker 1 died (also with other numbers)
→ The server failed: its own log says why.
2 × HTTP 500, TIME: Internal Server Error
→ The server failed: its own log says why.`);
  });
});

describe('a run of which some requests failed', () => {
  test('begins with how many, and why', async () => {
    const { exit, top } = await ranAgainst(
      index => (index % 4 === 0 ? json(500, { error: 'boom' }) : { kind: 'stream', events: ANSWER }),
      { samplesMax: 40 },
    );
    expect(exit).toBe('benchFailures');
    expect(top.split('\n')[0]).toBe('25 % OF 40 REQUESTS FAILED: HTTP 500, boom.');
    expect(top).not.toMatch(/Trustworthy/);
  });

  test('reports when a server that restarts behind a proxy was down', async () => {
    const bornMs = performance.now();
    const isDown = () => {
      const ms = performance.now() - bornMs;
      return ms > 1_500 && ms < 3_000;
    };
    const { top, report } = await ranAgainst(
      () =>
        isDown()
          ? {
              kind: 'text',
              status: 502,
              type: 'text/html',
              body: '<title>502 Bad Gateway</title>',
              afterMs: 50,
            }
          : { kind: 'stream', events: ANSWER, afterMs: 30 },
      { samplesMax: undefined, durationMs: 4_000 },
    );
    expect(report.failures).toMatchObject({ outages: [{ isOver: true }] });
    expect(top).toMatch(
      /^THE SERVER WAS DOWN from TIME; [\d.]+ % of \d+ requests failed: HTTP 502, 502 Bad Gateway\./,
    );
  });

  test('reports from when on nothing succeeded, however few requests were tried since', async () => {
    const { exit, top, report } = await ranAgainst(
      index =>
        index >= 20
          ? json(500, { error: { message: 'CUDA out of memory' } })
          : { kind: 'stream', events: ANSWER, afterMs: 5 },
      { samplesMax: undefined, durationMs: 5_000 },
    );
    expect(exit).toBe('benchFailures');
    expect(top.split('\n')[0]).toMatch(
      /^NOTHING SUCCEEDED AFTER TIME; [\d.]+ % of \d+ requests failed: HTTP 500, CUDA out of memory\./,
    );
    const text = renderReport(report, { isUnicode: true, isFull: false }).join('\n');
    expect(text).toMatch(/Requests\s+[\d.]+\sreq\/s\s+over [\d.]+\sm?s, until the last success at \d:\d\d/);
  });

  test('reports when a server that was killed was down, and that it did not come back', async () => {
    await using server = await stubServer(() => ({ kind: 'stream', events: ANSWER, afterMs: 30 }), {
      port: 0,
    });
    const request = requestHere(server.url, {
      pattern: { kind: 'constant', requestsPerSecond: 20 },
      samplesMax: 60,
      model: 'tiny',
    });
    let seen = 0;
    server.onRequest(() => {
      seen += 1;
      if (seen === 20) server.kill();
    });
    const { report } = await runBench(request, partsHere(folder));
    expect(report.failures).toMatchObject({ outages: [{ isOver: false }] });
    expect(topOf(report)).toMatch(
      /^THE SERVER WAS DOWN from TIME; 6\d(?:\.\d)? % of 60 requests failed: no connection/,
    );
    expect(topOf(report)).toMatch(
      /\d+ × no connection, TIME: connection refused \(ECONNREFUSED\)\n→ The server answered other requests of this run: its own log says why it stopped\./,
    );
  });
});

const ANSWER = [
  { choices: [{ index: 0, delta: { content: 'a' } }] },
  { choices: [{ index: 0, delta: { content: 'b' }, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
];
