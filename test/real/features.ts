// What is tested on each real server, each with what the server itself counts where it counts: a feature gives the text of its cell
// in the table of docs/verified-on.md, and throws where the client and the server differ.

import { expect } from 'vitest';
import { type BenchRun, benchRun } from './bench-run.ts';
import { type RunningServer, startRealServer } from './running-server.ts';
import type { RealServer } from './servers.ts';

interface Feature {
  readonly name: string;
  /** Undefined: this server does not have it. */
  readonly run: (server: RealServer, running: RunningServer) => Promise<string | undefined>;
}

const REQUESTS = 24;
const OUTPUT_TOKENS = 24;

/** No request before time zero, so that the server counts what the client counts. */
const plainArgs = (
  server: RealServer,
  url: string,
  { model = server.model, requests = REQUESTS }: { readonly model?: string; readonly requests?: number } = {},
): readonly string[] => [
  ...[url, '--model', model, '--no-warmup', '--requests', `${requests}`, '--concurrency', '2'],
  ...['--output-tokens', `${OUTPUT_TOKENS}`, '--input-tokens', '60'],
];

const completed = (run: BenchRun, count: number): NonNullable<BenchRun['report']> => {
  expect(run, run.text).toMatchObject({ code: 0, report: { counts: { completed: count, failed: 0 } } });
  if (run.report === undefined) throw new Error(run.text);
  return run.report;
};

const totals = async (server: RealServer, running: RunningServer) => ({
  requests: await running.total(server.counters?.requests ?? []),
  inputTokens: await running.total(server.counters?.inputTokens ?? []),
  outputTokens: await running.total(server.counters?.outputTokens ?? []),
});

const counted: Feature = {
  name: 'requests and tokens, client = server',
  run: async (server, running) => {
    if (server.counters === undefined) return undefined;
    const before = await totals(server, running);
    const report = completed(await benchRun(plainArgs(server, running.url)), REQUESTS);
    const after = await totals(server, running);
    if (server.counters.requests.length > 0) expect(after.requests - before.requests).toBe(REQUESTS);
    const output = after.outputTokens - before.outputTokens;
    const input = after.inputTokens - before.inputTokens;
    expect(report.series.outputTokens?.total).toBe(`${output}`);
    expect(report.series.inputTokens?.total).toBe(`${input}`);
    return `${REQUESTS} requests, ${input} in, ${output} out`;
  },
};

const firstToken: Feature = {
  name: "TTFT less the server's own, mean",
  run: async (server, running) => {
    const histogram = server.counters?.ttft;
    if (histogram === undefined) return undefined;
    const read = async () => ({
      seconds: await running.total([`${histogram}_sum`]),
      count: await running.total([`${histogram}_count`]),
    });
    const before = await read();
    const report = completed(await benchRun(plainArgs(server, running.url)), REQUESTS);
    const after = await read();
    expect(after.count - before.count).toBe(REQUESTS);
    const servers = (after.seconds - before.seconds) / REQUESTS;
    const added = (report.series.ttftNs?.mean ?? Number.NaN) / 1e9 - servers;
    expect(added).toBeGreaterThan(0);
    return `${(added * 1_000).toFixed(1)} of ${((servers + added) * 1_000).toFixed(1)} ms`;
  },
};

const apis: Feature = {
  name: 'APIs',
  run: async (server, running) => {
    for (const api of server.apis) {
      const report = completed(
        await benchRun([...plainArgs(server, running.url, { requests: 6 }), '--api', api]),
        6,
      );
      expect(report.series.outputTokens?.count, api).toBe(6);
      expect(report.series.ttftNs?.count, api).toBe(6);
    }
    return server.apis.join(', ');
  },
};

const wrongModel: Feature = {
  name: 'a model that it does not have',
  run: async (server, running) => {
    const run = await benchRun(plainArgs(server, running.url, { model: 'no-such-model' }));
    if (!server.checksModel) {
      completed(run, REQUESTS);
      return 'answers with its own';
    }
    return failedRun(run, /no-such-model/);
  },
};

const tooLong: Feature = {
  name: 'a prompt past its context',
  run: async (server, running) => {
    const run = await benchRun([
      ...[running.url, '--model', server.model, '--requests', '4', '--input-tokens', '3000'],
    ]);
    if (run.code === 0) return 'cuts the prompt, says nothing';
    return failedRun(run, /context|length|tokens/i);
  },
};

const wrongKey: Feature = {
  name: 'a key that is missing',
  run: async server => {
    if (server.keyArgs === undefined) return undefined;
    await using running = await startRealServer(server, server.keyArgs('secret'));
    return failedRun(await benchRun(plainArgs(server, running.url)), /401/);
  },
};

const chats: Feature = {
  name: 'chats, later turns read from its cache',
  run: async (server, running) => {
    const run = await benchRun([
      ...[running.url, '--model', server.model, '--sessions', '4', '--turns', '3', '--concurrency', '1'],
      ...['--output-tokens', `${OUTPUT_TOKENS}`, '--input-tokens', '200'],
    ]);
    const report = completed(run, 12);
    const share = report.sessions?.cachedShare;
    if (typeof share !== 'number') return 'not reported by it';
    expect(share).toBeGreaterThan(0.2);
    return `${Math.round(share * 100)} % of prompt tokens`;
  },
};

const hitRate: Feature = {
  name: '`--hit-rate 60%`: cached by its replies',
  run: async (server, running) => {
    const run = await benchRun([
      ...[running.url, '--model', server.model, '--requests', '40', '--concurrency', '2'],
      ...['--output-tokens', '4', '--input-tokens', '700', '--hit-rate', '60%'],
    ]);
    const share = completed(run, 40).prefixCache?.hitShare;
    if (typeof share !== 'number') return 'not reported by it';
    // Caches work in blocks (of 128 tokens in vLLM on a processor), and the first request of each slot finds nothing.
    expect(Math.abs(share - 0.6)).toBeLessThan(0.06);
    return `${(share * 100).toFixed(1)} % of prompt tokens`;
  },
};

const speculation: Feature = {
  name: 'drafts: tokens per step, share accepted, TPOT against that without',
  run: async server => {
    if (server.speculation === undefined) return undefined;
    const { plainArgs, drafts, isInReplies } = server.speculation;
    const plainMs = tpotMs((await speculated(server, plainArgs)).report);
    const cells: string[] = [];
    for (const { name, args, acceptance } of drafts) {
      const { report, samples, counted } = await speculated(server, args);
      const [least, most] = acceptance;
      const share = counted.accepted / counted.drafted;
      expect(share, name).toBeGreaterThanOrEqual(least);
      expect(share, name).toBeLessThanOrEqual(most);
      expect(report.speculation, name).toMatchObject({
        acceptedShare: share,
        acceptanceLength: 1 + counted.accepted / counted.drafts,
        byPosition: counted.byPosition.map((tokens, index) => ({
          position: index + 1,
          ofDrafts: tokens / counted.drafts,
        })),
      });
      if (isInReplies) {
        expect(sumOf(samples.map(({ served }) => served?.draftedTokens ?? 0))).toBe(counted.drafted);
        expect(sumOf(samples.map(({ remark }) => remark?.predictedTokens ?? 0))).toBe(counted.accepted);
      }
      const { tokensPerStep } = report.series;
      expect(tokensPerStep?.count ?? 0).toBe(isInReplies ? SPECULATED : 0);
      const ratio = tpotMs(report) / plainMs;
      if (least > 0.9) expect(ratio, 'a model that guesses all makes it faster').toBeLessThan(1);
      const steps = tokensPerStep?.mean ?? 1 + counted.accepted / counted.drafts;
      cells.push(`${name}: ${steps.toFixed(2)}, ${(share * 100).toFixed(1)} %, ${ratio.toFixed(2)} ×`);
    }
    return cells.join('; ');
  },
};

const SPECULATED = 60;

/** A run on a server of its own, with what that counts: no other client, no request before. */
const speculated = async (server: RealServer, args: readonly string[]) => {
  await using running = await startRealServer(server, args);
  const run = await benchRun([
    ...plainArgs(server, running.url, { requests: SPECULATED }),
    ...['--temperature', '0'],
  ]);
  const report = completed(run, SPECULATED);
  const count = (name: string): Promise<number> =>
    running.total(['vllm', 'llamacpp'].map(engine => `${engine}:spec_decode_num_${name}`));
  const at = [0, 1, 2, 3].map(position => count(`accepted_tokens_per_pos_total{position="${position}"}`));
  const counted = {
    drafts: await count('drafts_total'),
    drafted: await count('draft_tokens_total'),
    accepted: await count('accepted_tokens_total'),
    byPosition: await Promise.all(at),
  };
  return { report, samples: run.samples, counted };
};

const tpotMs = ({ series }: NonNullable<BenchRun['report']>): number =>
  (series.tpotNs?.mean ?? Number.NaN) / 1e6;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const ranking: Feature = {
  name: 'rankings: documents and tokens, client = server',
  run: async server => {
    if (server.rankArgs === undefined) return undefined;
    await using running = await startRealServer(server, server.rankArgs);
    const args = [...[running.url, '--model', server.model, '--no-warmup', '--requests', '12'], ...RANKED];
    const counted = completed(await benchRun([...args, '--api', 'rerank']), 12);
    const input = await running.total(server.counters?.inputTokens ?? []);
    expect(counted.series.inputTokens?.total).toBe(`${input}`);
    const uncounted = completed(await benchRun([...args, '--api', 'tei-rerank']), 12);
    for (const { series } of [counted, uncounted])
      expect(series.rankedDocuments).toMatchObject({ count: 12, total: '60' });
    return `12 requests, 60 documents, ${input} tokens; 60 documents as \`texts\``;
  },
};

const RANKED: readonly string[] = ['--documents', '5', '--input-tokens', '40', '--concurrency', '2'];

/** @throws AssertionError unless the run failed and its first lines state the reason. */
const failedRun = (run: BenchRun, reason: RegExp): string => {
  expect(run.code, run.text).not.toBe(0);
  const first = run.text.split('\n').slice(0, FIRST_LINES).join('\n');
  expect(first).toMatch(reason);
  expect(first).not.toContain('Trustworthy');
  return `exit ${String(run.code)}, said in the first lines`;
};

const FIRST_LINES = 12;

export const FEATURES: readonly Feature[] = [
  ...[counted, firstToken, apis, chats, hitRate, speculation, ranking],
  ...[wrongModel, tooLong, wrongKey],
];
