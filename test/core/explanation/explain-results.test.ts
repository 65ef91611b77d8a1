import { describe, expect, test } from 'vitest';
import { explainResults } from '../../../src/core/explanation/explain-results.ts';
import { EXPLAINED_FIGURES, type FigureKey } from '../../../src/core/explanation/explained-figures.ts';
import type { ExplainedResult } from '../../../src/core/explanation/explained-result.ts';
import type { ResultTool } from '../../../src/core/explanation/tool-rules.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { type MadeRequest, requestsOf, resultOf } from '../../support/made-up-results.ts';

/** Times without a common divisor, and answers of different lengths. */
const VARIED = requestsOf(
  Array.from({ length: 41 }, (_, index) => ({
    ttftMs: 80 + ((index * 37) % 41),
    gapsMs: Array.from({ length: 2 + (index % 5) }, (_gap, at) => 7 + ((index * 13 + at * 5) % 11)),
    restMs: index % 3,
  })),
);
const EVEN = requestsOf(Array.from({ length: 20 }, () => ({})));

const figureOf = (a: ExplainedResult, b: ExplainedResult, key: FigureKey) => {
  const found = explainResults(a, b).figures.find(figure => figure.key === key);
  if (found === undefined) throw new Error(`there is no ${key}`);
  return found;
};

const causesOf = (a: ExplainedResult, b: ExplainedResult, key: FigureKey) => {
  const { causes, unexplained, difference, uncomputed } = figureOf(a, b, key);
  return {
    difference,
    causes: causes.map(({ code, effect }) => [code, effect]),
    unexplained,
    uncomputed: uncomputed.map(({ code }) => code),
  };
};

const near = (value: number) => expect.closeTo(value, 3);

describe('the same requests, counted by the rules of two tools', () => {
  const tools: readonly ResultTool[] = ['plimsoll', 'vllm', 'sglang', 'aiperf', 'guidellm'];
  test.for(tools.flatMap(one => tools.map(other => ({ one, other }))))(
    'of $one and $other leave nothing unexplained, and every effect is computed',
    ({ one, other }) => {
      const { figures, comparable } = explainResults(resultOf(one, VARIED), resultOf(other, VARIED));
      expect(comparable).toBe(true);
      expect(figures.map(({ key }) => key)).toEqual(EXPLAINED_FIGURES.map(({ key }) => key));
      for (const { key, unexplained, causes, uncomputed, difference, isSame } of figures) {
        if (!isSame) expect(Math.abs(unexplained), key).toBeLessThan(1e-3);
        expect(causes.every(({ basis }) => basis === 'computed')).toBe(true);
        expect(uncomputed.filter(({ code }) => code !== 'input-lengths')).toEqual([]);
        if (one === other) expect(difference).toBe(0);
      }
    },
  );

  test('show both figures under both definitions', () => {
    const { a, b } = figureOf(resultOf('plimsoll', VARIED), resultOf('guidellm', VARIED), 'tpot.mean');
    expect(a.byOther).toEqual(b.figure);
    expect(b.byOther).toEqual(a.figure);
  });
});

describe('one cause alone is found with its effect', () => {
  test('the definition of TPOT: GuideLLM has the time to the first token inside', () => {
    // (100 + 30) / 4 against 30 / 3.
    expect(causesOf(resultOf('plimsoll', EVEN), resultOf('guidellm', EVEN), 'tpot.mean')).toEqual({
      difference: 22.5e6,
      causes: [['definition', 22.5e6]],
      unexplained: 0,
      uncomputed: [],
    });
  });

  test('ITL: of each request once, or of all gaps together', () => {
    const two = requestsOf([{ gapsMs: [10] }, { gapsMs: [40, 40, 40] }]);
    expect(causesOf(resultOf('aiperf', two), resultOf('plimsoll', two), 'itl.mean').causes).toEqual([
      ['definition', 32.5e6 - 25e6],
    ]);
  });

  test('latency to the last content, or to the end of the stream', () => {
    const late = requestsOf(Array.from({ length: 10 }, () => ({ restMs: 3 })));
    expect(causesOf(resultOf('aiperf', late), resultOf('plimsoll', late), 'latency.p99')).toMatchObject({
      causes: [['definition', 3e6]],
    });
  });

  test('the percentile rule', () => {
    const ten = requestsOf(Array.from({ length: 10 }, (_, index) => ({ ttftMs: 100 + 10 * index })));
    // The lower of the two is the ninth of ten; 0.91 of the 10 ms to the last are added.
    expect(causesOf(resultOf('plimsoll', ten), resultOf('aiperf', ten), 'ttft.p99')).toEqual({
      difference: near(9.1e6),
      causes: [['percentile', near(9.1e6)]],
      unexplained: near(0),
      uncomputed: [],
    });
  });

  test('messages without content: a role that comes first, a finish reason that comes last', () => {
    const messages = EVEN.map(sample => ({
      ...sample,
      firstContentNs: sample.firstContentNs - 20e6,
      chunkGapsNs: [20e6, ...sample.chunkGapsNs, 1e6],
      chunkCount: sample.chunkCount + 2,
      endNs: sample.endNs + 1e6,
    }));
    const [ours, theirs] = [resultOf('plimsoll', EVEN), resultOf('vllm', messages)];
    expect(causesOf(ours, theirs, 'ttft.mean')).toEqual({
      difference: -20e6,
      causes: [['messages', -20e6]],
      unexplained: 0,
      uncomputed: [],
    });
    // (20 + 30 + 1) / 3 against 30 / 3.
    expect(causesOf(ours, theirs, 'tpot.mean').causes).toEqual([['messages', 7e6]]);
    expect(causesOf(theirs, ours, 'ttft.mean').causes).toEqual([['messages', 20e6]]);
  });

  test('a message more than tokens is the first or the last: that is not computed', () => {
    const messages = EVEN.map(sample => ({
      ...sample,
      chunkGapsNs: [20e6, ...sample.chunkGapsNs],
      chunkCount: sample.chunkCount + 1,
      endNs: sample.endNs + 20e6,
    }));
    expect(causesOf(resultOf('plimsoll', EVEN), resultOf('vllm', messages), 'tpot.mean')).toEqual({
      difference: near(20e6 / 3),
      causes: [],
      unexplained: near(20e6 / 3),
      uncomputed: ['messages'],
    });
  });

  test('a warm-up that one side left out', () => {
    const all = requestsOf(Array.from({ length: 20 }, (_, index) => ({ ttftMs: index < 4 ? 500 : 100 })));
    const warmed = all.map((sample, index) => (index < 4 ? { ...sample, window: -1 } : sample));
    expect(causesOf(resultOf('plimsoll', warmed), resultOf('aiperf', all), 'ttft.mean')).toEqual({
      difference: 80e6,
      causes: [['warm-up', 80e6]],
      unexplained: 0,
      uncomputed: [],
    });
    expect(causesOf(resultOf('aiperf', all), resultOf('plimsoll', warmed), 'ttft.mean').causes).toEqual([
      ['warm-up', -80e6],
    ]);
  });

  test('prompts that hit the cache', () => {
    const cached = (index: number, hits: boolean): MadeRequest => ({
      ttftMs: hits ? 20 : 100,
      more: { sampleId: index, remark: { ...NOTHING, cachedTokens: hits ? 96 : 0 } },
    });
    const none = requestsOf(Array.from({ length: 20 }, (_, index) => cached(index, false)));
    const half = requestsOf(Array.from({ length: 20 }, (_, index) => cached(index, index % 2 === 0)));
    expect(causesOf(resultOf('plimsoll', none), resultOf('plimsoll', half), 'ttft.mean')).toEqual({
      difference: -40e6,
      causes: [['cache', -40e6]],
      unexplained: 0,
      uncomputed: [],
    });
    expect(causesOf(resultOf('plimsoll', EVEN), resultOf('plimsoll', half), 'ttft.mean')).toMatchObject({
      causes: [],
      unexplained: -40e6,
      uncomputed: ['cache'],
    });
  });

  test('a cache that the report of one side finds without single requests is named', () => {
    const spoiled = resultOf('plimsoll', VARIED, { facts: { spoiledBy: 'overloaded, prefix-cache' } });
    const later = VARIED.map(sample => ({ ...sample, firstContentNs: sample.firstContentNs + 1e6 }));
    expect(causesOf(spoiled, resultOf('aiperf', later), 'ttft.mean')).toMatchObject({
      causes: [],
      uncomputed: ['cache'],
    });
  });

  test('answers of another length, at the same speed', () => {
    const long = requestsOf(Array.from({ length: 20 }, () => ({ gapsMs: [10, 10, 10, 10, 10, 10, 10] })));
    expect(causesOf(resultOf('plimsoll', EVEN), resultOf('plimsoll', long), 'latency.mean')).toEqual({
      difference: 40e6,
      causes: [['output-lengths', near(40e6)]],
      unexplained: near(0),
      uncomputed: [],
    });
    expect(
      causesOf(resultOf('plimsoll', EVEN), resultOf('plimsoll', long), 'outputTokensPerSecond').causes.map(
        ([code]) => code,
      ),
    ).toContain('output-lengths');
  });

  test('prompts of another length, by the slope that the requests show', () => {
    const prompts = (factor: number) =>
      requestsOf(
        Array.from({ length: 20 }, (_, index) => ({
          ttftMs: 10 + factor * (10 + index),
          more: { inputTokens: 10 * factor * (10 + index) },
        })),
      );
    expect(causesOf(resultOf('plimsoll', prompts(1)), resultOf('plimsoll', prompts(2)), 'ttft.p50')).toEqual({
      difference: 19e6,
      causes: [['input-lengths', near(19e6)]],
      unexplained: near(0),
      uncomputed: [],
    });
  });

  test('a slope is not taken to prompts far beyond those that were sent', () => {
    const prompts = (base: number) =>
      requestsOf(
        Array.from({ length: 20 }, (_, index) => ({
          ttftMs: base + index,
          more: { inputTokens: 10 * base + index },
        })),
      );
    const [short, long] = [resultOf('plimsoll', prompts(10)), resultOf('plimsoll', prompts(200))];
    expect(causesOf(short, long, 'ttft.mean')).toMatchObject({ causes: [], uncomputed: ['input-lengths'] });
  });

  test('answers that one counts by a tokenizer are counted by their chunks', () => {
    const fewer = EVEN.map(sample => ({ ...sample, outputTokens: 3 }));
    const [ours, theirs] = [resultOf('plimsoll', EVEN), resultOf('aiperf', fewer)];
    // 30 / 2 against 30 / 3.
    expect(causesOf(ours, theirs, 'tpot.mean')).toEqual({
      difference: 5e6,
      causes: [['token-count', 5e6]],
      unexplained: 0,
      uncomputed: [],
    });
    expect(causesOf(ours, theirs, 'outputTokensPerSecond').causes.map(([code]) => code)).toEqual([
      'token-count',
    ]);
    const blind = resultOf('aiperf', fewer, { hasChunks: false });
    const { causes, uncomputed } = causesOf(ours, blind, 'tpot.mean');
    expect({ causes, uncomputed }).toEqual({ causes: [], uncomputed: ['output-lengths'] });
  });

  test('prompts whose tokens the two count in different ways have no computed effect', () => {
    const short = EVEN.map(sample => ({ ...sample, inputTokens: 80 }));
    const slow = short.map(sample => ({ ...sample, firstContentNs: sample.firstContentNs + 5e6 }));
    expect(causesOf(resultOf('plimsoll', EVEN), resultOf('aiperf', slow), 'ttft.mean')).toMatchObject({
      causes: [],
      unexplained: 5e6,
      uncomputed: ['input-lengths'],
    });
  });

  test('another load: what it does to times is not computed, what it does to the rate is', () => {
    const at = (stepMs: number) =>
      requestsOf(Array.from({ length: 21 }, (_, index) => ({ sentMs: index * stepMs })));
    const open = (requestsPerSecond: number) =>
      ({ facts: { pattern: { kind: 'constant', requestsPerSecond } } }) as const;
    const [a, b] = [resultOf('plimsoll', at(50), open(20)), resultOf('plimsoll', at(100), open(10))];
    const { causes, unexplained } = causesOf(a, b, 'requestsPerSecond');
    expect(causes.map(([code]) => code)).toEqual(['load']);
    expect(unexplained).toBeCloseTo(0, 9);
    const slower = at(100).map(sample => ({ ...sample, firstContentNs: sample.firstContentNs + 1e6 }));
    expect(causesOf(a, resultOf('plimsoll', slower, open(10)), 'ttft.mean').uncomputed).toEqual(['load']);
  });

  test('requests in flight: pauses between the requests of a closed loop', () => {
    const lane = (pauseMs: number) =>
      requestsOf(Array.from({ length: 20 }, (_, index) => ({ sentMs: index * (130 + pauseMs) })));
    const { causes, unexplained, difference } = causesOf(
      resultOf('plimsoll', lane(0)),
      resultOf('aiperf', lane(20)),
      'requestsPerSecond',
    );
    expect(causes).toEqual([['load', near(difference)]]);
    expect(unexplained).toBeCloseTo(0, 9);
  });

  test('the window: to the last end of a completed request, or of any', () => {
    const failed = requestsOf([
      ...Array.from({ length: 20 }, () => ({})),
      { restMs: 1_000, more: { outcome: 'failed' as const } },
    ]);
    const { causes, unexplained } = causesOf(
      resultOf('plimsoll', failed),
      resultOf('guidellm', failed),
      'requestsPerSecond',
    );
    expect(causes.map(([code]) => code)).toEqual(['window']);
    expect(unexplained).toBeCloseTo(0, 9);
  });

  test("the window: a time of the tool's own clock", () => {
    // 20 requests in 1.08 s; vLLM states 2 s.
    const theirs = resultOf('vllm', EVEN, { printed: { requestsPerSecond: 10 } });
    expect(causesOf(resultOf('plimsoll', EVEN), theirs, 'requestsPerSecond')).toEqual({
      difference: near(10 - 20 / 1.08),
      causes: [['window', near(10 - 20 / 1.08)]],
      unexplained: near(0),
      uncomputed: [],
    });
  });
});

test('several causes together add up with the rest, the greatest first', () => {
  const slower = VARIED.map((sample, index) => ({
    ...sample,
    firstContentNs: sample.firstContentNs + 2e6,
    endNs: sample.endNs + 2e6,
    window: index < 5 ? -1 : 0,
  }));
  for (const tool of ['guidellm', 'aiperf', 'vllm', 'sglang'] as const)
    for (const { causes, unexplained, difference, key } of explainResults(
      resultOf('plimsoll', VARIED),
      resultOf(tool, slower),
    ).figures) {
      const sum = causes.reduce((all, { effect }) => all + effect, unexplained);
      expect(Math.abs(sum - difference), key).toBeLessThan(1e-3);
      const sizes = causes.map(({ effect }) => Math.abs(effect));
      expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
      if (key === 'ttft.mean') expect(unexplained).toBeCloseTo(2e6, 0);
    }
});

test('a result without its requests is explained by the requests of the other', () => {
  const summary = resultOf('sglang', unknown('its file has no single requests'), {
    printed: { 'ttft.p99': 120e6, 'latency.mean': 135e6 },
  });
  const ours = resultOf('plimsoll', VARIED);
  const { a, b, causes } = figureOf(ours, summary, 'ttft.p99');
  expect(causes.map(({ code, on }) => [code, on])).toEqual([['percentile', 'a']]);
  expect(b).toMatchObject({ isPrinted: true, byOther: { kind: 'unknown' } });
  expect(a.byOther).toBeGreaterThan(1e8);
  expect(explainResults(ours, summary).figures.map(({ key }) => key)).toEqual(['ttft.p99', 'latency.mean']);
});

test('a result of which no request completed has no rates and no causes that are not numbers', () => {
  const failed = requestsOf(Array.from({ length: 4 }, () => ({ more: { outcome: 'failed' } as const })));
  const none = resultOf('guidellm', failed, { printed: { requestsPerSecond: 0 } });
  const { figures } = explainResults(resultOf('vllm', EVEN), none);
  expect(figures).toMatchObject([
    { key: 'requestsPerSecond', causes: [], difference: figures[0]?.unexplained },
  ]);
});

test('without requests, more tokens for each are those of prompts or those of answers, by the totals', () => {
  const none = unknown('its file has no single requests');
  const printed = { requestsPerSecond: 2, outputTokensPerSecond: 20 };
  const a = resultOf('sglang', none, { printed: { ...printed, totalTokensPerSecond: 120 } });
  const b = resultOf('sglang', none, { printed: { ...printed, totalTokensPerSecond: 220 } });
  expect(causesOf(a, b, 'totalTokensPerSecond')).toMatchObject({
    difference: 100,
    causes: [['input-lengths', 100]],
    unexplained: 0,
  });
});

test('without the requests of either, a cause is named and not computed', () => {
  const none = unknown('its file has no single requests');
  expect(
    causesOf(
      resultOf('sglang', none, { printed: { 'tpot.p99': 12e6 } }),
      resultOf('guidellm', none, { printed: { 'tpot.p99': 30e6 } }),
      'tpot.p99',
    ),
  ).toEqual({ difference: 18e6, causes: [], unexplained: 18e6, uncomputed: ['definition', 'percentile'] });
});

test('a figure that is 0 in A is compared with that of B', () => {
  const none = unknown('its file has no single requests');
  const a = resultOf('sglang', none, { printed: { 'itl.p50': 0 } });
  const b = resultOf('sglang', none, { printed: { 'itl.p50': 5e6 } });
  expect(figureOf(a, b, 'itl.p50')).toMatchObject({ difference: 5e6, differenceShare: 1, isSame: false });
  expect(figureOf(a, a, 'itl.p50')).toMatchObject({ difference: 0, differenceShare: 0, isSame: true });
});

test('a client states by how much it may be off, next to the rest', () => {
  const ours = resultOf('plimsoll', EVEN, { bounds: { 'ttft.mean': 3e5 } });
  expect(figureOf(ours, resultOf('aiperf', EVEN), 'ttft.mean').clientBound).toBe(3e5);
  expect(figureOf(resultOf('aiperf', EVEN), resultOf('aiperf', EVEN), 'ttft.mean').clientBound).toMatchObject(
    { kind: 'unknown' },
  );
});

const NOTHING = {
  predictedTokens: -1,
  reasoningTokens: -1,
  isRepeat: false,
  hasRetryAfter: false,
  isWithoutText: false,
  doubts: [],
  finishName: '',
  otherModel: '',
} as const;
