// A recorded trace as `plimsoll bench --trace` replays it, by the requests that the server received and the run's
// report.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readTrace } from '../../../src/bench/dataset/trace/read-trace.ts';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { decodeSampleLine } from '../../../src/wire/sample-line.ts';
import { isLongRun } from '../../support/counts.ts';
import { agenticConversations, azureLines, mooncakeLines } from '../../support/made-up-trace.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type BenchHere, benchHere, expectInvariants } from './bench-here.ts';

interface ReceivedRequest {
  readonly words: readonly string[];
  readonly maxTokens: number;
}

interface QueriedServer extends AsyncDisposable {
  readonly url: string;
  readonly requested: readonly ReceivedRequest[];
}

/** Keeps the words of each prompt, without its mark. */
const queriedServer = async (onRequested: () => void = () => undefined): Promise<QueriedServer> => {
  const requested: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    onRequested();
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    const body: { readonly messages: readonly { readonly content: string }[]; readonly max_tokens: number } =
      JSON.parse(Buffer.concat(parts).toString());
    const [message] = body.messages;
    requested.push({
      words: (message?.content ?? '').replace(/^\[[0-9a-f]{16}\] /, '').split(' '),
      maxTokens: body.max_tokens,
    });
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requested,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
};

interface Row {
  readonly timestamp: number;
  readonly input_length: number;
  readonly output_length: number;
  readonly hash_ids: readonly number[];
}

const BLOCK = 512;
const QUIET = ['--streaming', 'off', '--no-warmup', '--model', 'm', '--events', 'off'];

/** Of every prompt each of its full blocks with all before it: as many different ones as a tree of prefixes has. */
const prefixesOf = (prompts: readonly (readonly (string | number)[])[], block: number): readonly number[] => {
  const all = prompts.flatMap(prompt =>
    Array.from({ length: Math.floor(prompt.length / block) }, (_, index) =>
      prompt.slice(0, (index + 1) * block).join(' '),
    ),
  );
  return [all.length, new Set(all).size];
};

const samplesOf = (run: BenchHere): readonly EndedSample[] => {
  const samples = readFileSync(join(run.directory, 'samples.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap(line => {
      const decoded = decodeSampleLine(line);
      return decoded.kind === 'sample' ? [decoded.sample] : [];
    })
    .toSorted((a, b) => a.sampleId - b.sampleId);
  expect(samples.map(({ sampleId }) => sampleId)).toEqual([...samples.keys()]);
  return samples;
};

const intendedMs = (run: BenchHere): readonly number[] => {
  const samples = samplesOf(run);
  return samples.map(({ intendedNs }) => (intendedNs - (samples[0]?.intendedNs ?? 0)) / 1e6);
};

const sizes = (all: readonly { readonly input: number; readonly output: number }[]): readonly string[] =>
  all.map(({ input, output }) => `${input} ${output}`).sort();

describe('a replayed trace', () => {
  test('sends every request once, at its time, as long as it was, with what its prompts share', async () => {
    using folder = temporaryDirectory();
    await using server = await queriedServer();
    const lines = mooncakeLines({ seed: 3, requests: 60, inputTokens: 1_500 });
    const file = join(folder.path, 'moon.jsonl');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const run = await benchHere(folder.path, [server.url, '--trace', file, '--speed', '60', ...QUIET]);
    expect(run.exit, run.stderr).toBe('ok');
    const report = run.report();
    expectInvariants(report);
    const rows = lines.map((line): Row => JSON.parse(line));
    expect(
      sizes(server.requested.map(({ words, maxTokens }) => ({ input: words.length, output: maxTokens }))),
    ).toEqual(sizes(rows.map(row => ({ input: row.input_length, output: row.output_length }))));
    const fullBlocks = rows.map(row => row.hash_ids.slice(0, Math.floor(row.input_length / BLOCK)));
    expect(
      prefixesOf(
        server.requested.map(({ words }) => words),
        BLOCK,
      ),
    ).toEqual(prefixesOf(fullBlocks, 1));
    expect(intendedMs(run)).toEqual(
      rows.map(({ timestamp }) => Math.round(((timestamp - (rows[0]?.timestamp ?? 0)) / 60) * 1e6) / 1e6),
    );
    if (isUnknown(report.run.shape) || isUnknown(report.run.shape.trace))
      throw new Error('no trace is reported');
    expect(report.run.shape.trace).toMatchObject({ speed: 60, requests: 60, gapsCapped: 0 });
    expect(report.counts).toMatchObject({ issued: 60, completed: 60 });
    if (isUnknown(report.provenance)) throw new Error(report.provenance.reason);
    expect(report.provenance.prompts).toMatchObject({
      count: 60,
      file: { bytes: lines.join('\n').length + 1 },
    });
    expect(run.stdout).toContain('trace at 60 times its speed');
  });

  test('is not begun where a short file asks for other lengths than when it was read first, and reports it', async () => {
    using folder = temporaryDirectory();
    const file = join(folder.path, 'moon.jsonl');
    const row = (outputTokens: number): string =>
      `{"timestamp": 0, "input_length": 40, "output_length": ${outputTokens}, "hash_ids": [1]}\n`;
    writeFileSync(file, row(5));
    // It is asked what its words cost before the file is read again.
    await using server = await queriedServer(() => writeFileSync(file, row(6)));
    const options = ['--streaming', 'off', '--model', 'm', '--events', 'off'];
    const run = await benchHere(folder.path, [server.url, '--trace', file, ...options]);
    expect(run.exit, run.stderr).toBe('failure');
    expect(run.stderr).toContain('the lengths or blocks are not what they were when it was read first');
  });

  test('takes the part that was asked for, cuts its pauses, and counts what a limit left out', async context => {
    if (!isLongRun) context.skip('one whole run more: npm run test:long');
    using folder = temporaryDirectory();
    await using server = await queriedServer();
    const file = join(folder.path, 'azure.csv');
    writeFileSync(file, azureLines({ seed: 4, requests: 200, inputTokens: 40 }).join('\n'));
    const part = ['--trace-from', '10s', '--trace-until', '20s', '--gap-max', '500ms', '--requests', '12'];
    const run = await benchHere(folder.path, [
      server.url,
      '--trace',
      file,
      '--speed',
      '50',
      ...part,
      ...QUIET,
    ]);
    expect(run.exit, run.stderr).toBe('ok');
    expect(server.requested).toHaveLength(12);
    const gaps = intendedMs(run).map((atMs, index, all) => atMs - (all[index - 1] ?? 0));
    expect(Math.max(...gaps)).toBeCloseTo(10, 3);
    const text = readFileSync(join(run.directory, 'report.txt'), 'utf8').replace(/\s+/g, ' ');
    expect(text).toMatch(/from 10\.0 s, until 20\.0 s, pauses of at most 500 ms \(\d+ were longer\)/);
    expect(text).toContain('12 planned: 12 issued, 0 skipped');
    expect(text).toContain('unknown: the trace does not report which prompts share a prefix');
  });

  test('of agents has each request behind those that it waited for, its subagents next to it, and shares what they share', async () => {
    using folder = temporaryDirectory();
    await using server = await queriedServer();
    const file = join(folder.path, 'agents.jsonl');
    const conversations = agenticConversations({ seed: 6, requests: 50, inputTokens: 900 });
    writeFileSync(file, conversations.join('\n'));
    const { signal } = new AbortController();
    const part = { fromMs: undefined, untilMs: undefined, startAt: undefined };
    const trace = await readTrace({ path: file, shownPath: 'a', signal }, 'agentic', { part, seed: 42 });
    const requests = trace.sessions.flatMap(session => session.requests);
    const options = ['--speed', '500', '--gap-max', '1s', '--concurrency', '3'];
    const run = await benchHere(folder.path, [server.url, '--trace', file, ...options, ...QUIET]);
    expect(run.exit, run.stderr).toBe('ok');
    const report = run.report();
    expectInvariants(report);
    expect(report.sessions?.turns).toMatchObject({ planned: requests.length, issued: requests.length });
    expect(
      sizes(server.requested.map(({ words, maxTokens }) => ({ input: words.length, output: maxTokens }))),
    ).toEqual(sizes(requests.map(request => ({ input: request.inputTokens, output: request.outputTokens }))));
    const words = server.requested.map(prompt => prompt.words);
    expect(prefixesOf(words, 64)).toEqual(
      prefixesOf(
        requests.map(({ blocks }) => blocks),
        1,
      ),
    );
    const samples = samplesOf(run);
    const first = samples.findIndex(({ turn }) => turn?.session === 1);
    const ends = samples.slice(0, first);
    expect(ends).toHaveLength(trace.sessions[0]?.requests.length ?? 0);
    for (const [index, { after, delayMs }] of (trace.sessions[0]?.requests ?? []).entries()) {
      const last = Math.max(...after.map(before => ends[before]?.endNs ?? 0));
      if (after.length > 0)
        expect((ends[index]?.intendedNs ?? 0) - last).toBe(
          Math.round((Math.min(1_000, delayMs) / 500) * 1e6),
        );
    }
    expect(requests.some(({ agent }) => agent > 0)).toBe(true);
  });

  test('that is damaged is refused with its line, before anything is sent', async () => {
    using folder = temporaryDirectory();
    const good = mooncakeLines({ seed: 1, requests: 4, inputTokens: 600 });
    const row = (change: object): string => JSON.stringify({ ...JSON.parse(good[2] ?? ''), ...change });
    const with3 = (text: string): string => [...good.slice(0, 2), text, good[3]].join('\n');
    const cases: readonly (readonly [name: string, content: string | Buffer, states: RegExp])[] = [
      ['negative', with3(row({ timestamp: -1 })), /trace:3: "timestamp" is not a time/],
      ['NaN', with3(row({}).replace(/"timestamp":\d+/, '"timestamp":NaN')), /trace:3: this line is not JSON/],
      ['1e18', with3(row({ timestamp: 1e18 })), /trace:3: "timestamp" is not a time/],
      ['cut', with3(good[2]?.slice(0, 40) ?? ''), /trace:3: this line is not JSON/],
      ['empty', '', /is not a trace in a known format/],
      ['gzip', gzipSync(good.join('\n')).subarray(0, 80), /is not a trace in a known format/],
      ['parquet', Buffer.from('PAR1 and no more'), /is not a trace in a known format/],
    ];
    for (const [name, content, states] of cases) {
      const file = join(folder.path, 'trace');
      writeFileSync(file, content);
      const run = await benchHere(folder.path, ['http://127.0.0.1:9', '--trace', file, ...QUIET]);
      expect(run.exit, name).toBe('benchInput');
      expect(run.stderr, name).toMatch(states);
    }
  });

  test('has no options next to it that would have no effect', async () => {
    using folder = temporaryDirectory();
    const moon = join(folder.path, 'moon');
    writeFileSync(moon, mooncakeLines({ seed: 1, requests: 4, inputTokens: 600 }).join('\n'));
    const agents = join(folder.path, 'agents');
    writeFileSync(agents, agenticConversations({ seed: 1, requests: 4 }).join('\n'));
    for (const [option, states] of [
      [['--trace', moon, '--rate', '3'], '--rate has no effect on a trace with the time'],
      [['--trace', moon, '--start-at', '50%'], '--start-at has no effect on a trace with the time'],
      [['--trace', agents, '--requests', '3'], '--requests has no effect on a trace of conversations'],
      [
        ['--trace', agents, '--max-in-flight', '3'],
        '--max-in-flight has no effect on a trace of conversations',
      ],
      [['--trace', 'x', '--dataset', 'y'], '--trace and --dataset cannot be combined'],
      [['--speed', '3'], '--speed has no effect without --trace'],
      [['--trace-from', '3s'], '--trace-from has no effect without --trace'],
    ] as const) {
      const run = await benchHere(folder.path, ['http://127.0.0.1:9', ...option, ...QUIET]);
      expect(run.exit).toBe('usage');
      expect(run.stderr).toContain(states);
    }
  });
});
