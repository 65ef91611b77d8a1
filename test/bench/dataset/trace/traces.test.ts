import { describe, expect, test } from 'vitest';
import { agenticEntry } from '../../../../src/bench/dataset/trace/agentic-trace.ts';
import { azureEntry, burstGptEntry } from '../../../../src/bench/dataset/trace/csv-traces.ts';
import { mooncakeEntry } from '../../../../src/bench/dataset/trace/mooncake-trace.ts';
import { chained, chainStart, type TraceEntry } from '../../../../src/bench/dataset/trace/trace.ts';
import { TraceFactCounter } from '../../../../src/bench/dataset/trace/trace-facts.ts';
import { TraceTexts } from '../../../../src/bench/dataset/trace/trace-text.ts';
import { WORDS_AS_TOKENS } from '../../../../src/bench/dataset/word-costs.ts';
import type { Parsed } from '../../../../src/core/figure/parse-figure.ts';

const taken = <T>(result: Parsed<T>): T => {
  if (result.kind === 'wrong') throw new Error(result.problem);
  return result.value;
};

const mooncake = (row: object, line = 1): TraceEntry => taken(mooncakeEntry(JSON.stringify(row), line));

const agentic = (row: object): TraceEntry => taken(agenticEntry(JSON.stringify(row), 1));

describe('a chain', () => {
  test('differs with each block, its place and its scope, and never by order alone', () => {
    const start = chainStart('a');
    const all = [
      start,
      chainStart('b'),
      chained(start, 1),
      chained(start, 2),
      chained(chained(start, 1), 2),
      chained(chained(start, 2), 1),
      chained(start, 2 ** 40 + 1),
    ];
    expect(new Set(all).size).toBe(all.length);
    for (const number of all) expect(Number.isSafeInteger(number)).toBe(true);
    const many = new Set<number>();
    for (let id = 0; id < 200_000; id += 1) many.add(chained(start, id));
    expect(many.size).toBe(200_000);
  });
});

describe('a trace of Mooncake', () => {
  test('has its times in milliseconds, and full blocks alone as prefixes', () => {
    const first = mooncake({ timestamp: 27, input_length: 1_100, output_length: 0, hash_ids: [4, 9, 2] }, 3);
    expect(first).toMatchObject({ line: 3, key: undefined, startMs: 27 });
    expect(first.requests).toMatchObject([
      { inputTokens: 1_100, outputTokens: 1, blockTokens: 512, after: [] },
    ]);
    expect(first.requests[0]?.blocks).toHaveLength(2);
    const same = mooncake({ timestamp: 0, input_length: 1_024, output_length: 3, hash_ids: [4, 9] });
    expect(same.requests[0]?.blocks).toEqual(first.requests[0]?.blocks);
    const other = mooncake({ timestamp: 0, input_length: 1_024, output_length: 3, hash_ids: [5, 9] });
    expect(other.requests[0]?.blocks[1]).not.toBe(first.requests[0]?.blocks[1]);
  });
});

describe('traces in CSV', () => {
  test('of Azure have wall times to seven decimals', () => {
    const record = { TIMESTAMP: '2023-11-16 18:15:46.6805900', ContextTokens: '374', GeneratedTokens: '44' };
    expect(taken(azureEntry(record, 2))).toMatchObject({
      startMs: Date.UTC(2023, 10, 16, 18, 15, 46) + 680.59,
      requests: [{ inputTokens: 374, outputTokens: 44, blocks: [] }],
    });
  });

  test('of BurstGPT leave out what failed, and name sessions where there are some', () => {
    const record = { Timestamp: '5', Model: 'ChatGPT', 'Request tokens': '472', 'Response tokens': '18' };
    expect(taken(burstGptEntry(record, 2))).toMatchObject({ startMs: 5_000, key: undefined });
    expect(taken(burstGptEntry({ ...record, 'Response tokens': '0' }, 2))).toBeUndefined();
    expect(taken(burstGptEntry({ ...record, 'Session ID': '7', 'Elapsed time': '2.5' }, 2))).toMatchObject({
      key: '7',
      requests: [{ tookMs: 2_500 }],
    });
  });
});

describe('a trace of agents', () => {
  const request = (t: number, ids: readonly number[], more: object = {}): object => ({
    t,
    type: 's',
    model: 'm',
    in: ids.length * 64 + 10,
    out: 20,
    hash_ids: ids,
    ...more,
  });

  test('waits for what had ended, as long as the agent thought', () => {
    const { requests } = agentic({
      id: 'a',
      block_size: 64,
      tool_tokens: 64,
      system_tokens: 70,
      requests: [
        request(0, [1, 2, 3], { api_time: 2 }),
        request(5, [1, 2, 3, 4], { api_time: 1, think_time: 3 }),
        {
          t: 6.5,
          type: 'subagent',
          agent_id: 'x',
          duration_ms: 4_000,
          tool_tokens: 64,
          system_tokens: 70,
          requests: [request(0, [1, 2, 3], { api_time: 1 }), request(2, [1, 2, 3, 4])],
        },
        request(7, [1, 2, 3, 4, 5], { api_time: 1 }),
        request(12, [1, 2, 3, 4, 5, 6], { think_time: 99 }),
      ],
    });
    expect(requests.map(({ after, delayMs, agent }) => ({ after, delayMs, agent }))).toEqual([
      { after: [], delayMs: 0, agent: 0 },
      { after: [0], delayMs: 3_000, agent: 0 },
      { after: [1], delayMs: 500, agent: 1 },
      { after: [2], delayMs: 1_000, agent: 1 },
      // The subagent is still at work: it is not waited for.
      { after: [1], delayMs: 1_000, agent: 0 },
      // Now it is over (10.5 s), and thinking counts from the later of the two ends: 8 s, and 8.5 s of its last answer.
      { after: [3, 4], delayMs: 3_500, agent: 0 },
    ]);
  });

  test('shares tools and system prompt with every conversation that has as many, and nothing else', () => {
    const one = agentic({
      id: 'a',
      block_size: 64,
      tool_tokens: 64,
      system_tokens: 70,
      requests: [request(0, [7, 8, 9])],
    });
    const other = agentic({
      id: 'b',
      block_size: 64,
      tool_tokens: 64,
      system_tokens: 70,
      requests: [request(0, [1, 2, 9])],
    });
    const [blocks = [], others = []] = [one.requests[0]?.blocks, other.requests[0]?.blocks];
    expect(others.slice(0, 2)).toEqual(blocks.slice(0, 2));
    expect(others[2]).not.toBe(blocks[2]);
  });
});

describe('what is in a trace', () => {
  test('counts a block as shared as far as the whole prefix was there before', () => {
    const counter = new TraceFactCounter();
    const row = (timestamp: number, ids: readonly number[]) =>
      mooncake({ timestamp, input_length: ids.length * 512 + 88, output_length: 10, hash_ids: ids });
    for (const entry of [row(0, [1, 2, 3]), row(30_000, [1, 2, 4]), row(120_000, [9, 2, 3])])
      counter.add(entry);
    expect(counter.facts()).toMatchObject({
      requests: 3,
      sessions: undefined,
      inputTokens: { total: 3 * 1_624, max: 1_624 },
      time: { spanMs: 120_000, requestsPerSecond: 0.025, busiestPerSecond: 2 / 60 },
      sharing: { blocks: 9, differentBlocks: 7, sharedTokens: 1_024, unkept: 0 },
    });
  });

  test('names no busiest minute of one that is shorter', () => {
    const counter = new TraceFactCounter();
    for (const timestamp of [0, 20_000])
      counter.add(mooncake({ timestamp, input_length: 8, output_length: 10, hash_ids: [1] }));
    expect(counter.facts().time).toEqual({ spanMs: 20_000, requestsPerSecond: 0.1 });
  });
});

describe('the words of a trace', () => {
  const words = (text: string): number => text.split(' ').length;

  test('are the same bytes where prefixes are the same, of the recorded length, independent of what was made before', () => {
    const first = mooncake({
      timestamp: 0,
      input_length: 1_200,
      output_length: 1,
      hash_ids: [1, 2, 3],
    }).requests;
    const second = mooncake({
      timestamp: 0,
      input_length: 1_200,
      output_length: 1,
      hash_ids: [1, 5, 6],
    }).requests;
    const textsOf = (seed: number, order: readonly number[]): readonly string[] => {
      const texts = new TraceTexts(WORDS_AS_TOKENS, seed);
      const made = new Map(
        order.map(index => [
          index,
          [...first, ...second]
            .slice(index, index + 1)
            .flatMap(each => texts.partsOf(each, index))
            .join(''),
        ]),
      );
      return [made.get(0) ?? '', made.get(1) ?? ''];
    };
    const [one = '', other = ''] = textsOf(1, [0, 1]);
    expect(textsOf(1, [1, 0])).toEqual([one, other]);
    expect(textsOf(2, [0, 1])).not.toEqual([one, other]);
    expect([words(one), words(other)]).toEqual([1_200, 1_200]);
    const common = [...one].findIndex((character, index) => character !== other[index]);
    expect(words(one.slice(0, common).trimEnd())).toBeGreaterThanOrEqual(512);
    expect(words(one.slice(0, common).trimEnd())).toBeLessThan(516);
  });
});
