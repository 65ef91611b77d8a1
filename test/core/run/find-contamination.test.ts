import { describe, expect, test } from 'vitest';
import type { ContaminationSources } from '../../../src/core/run/contamination-check.ts';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { isSameModel } from '../../../src/core/run/sample-remark.ts';
import { unknown } from '../../../src/core/unknown.ts';
import {
  CLEAN,
  found,
  many,
  QUIET_MACHINE,
  REMARK,
  RUN,
  serverOf,
  streamed,
} from '../../support/spoiled-run.ts';

describe('a run', () => {
  test('whose samples are as they should be has no finding', () => {
    expect(found(CLEAN)).toEqual([]);
  });

  type Case = readonly [
    what: string,
    code: string,
    samples: readonly EndedSample[],
    more?: Partial<ContaminationSources>,
  ];
  const CASES: readonly Case[] = [
    [
      'prompts that came from a cache',
      'prefix-cache',
      [...CLEAN, streamed(1_000, { remark: { ...REMARK, cachedTokens: 900 } })],
    ],
    [
      'prompts that were sent before',
      'identical-prompts',
      [...CLEAN, streamed(400, { remark: { ...REMARK, isRepeat: true } })],
    ],
    [
      'answers that came from a cache',
      'answer-cache',
      [
        ...CLEAN,
        ...many(20, () =>
          streamed(400, { chunkGapsNs: Array(19).fill(200_000), remark: { ...REMARK, isRepeat: true } }),
        ),
      ],
    ],
    [
      'answers that came from a cache, to prompts that are only similar',
      'answer-cache',
      [
        ...many(20, at => streamed(400, { answerHash: at })),
        ...many(20, () => streamed(400, { answerHash: 7, chunkGapsNs: Array(19).fill(200_000) })),
      ],
    ],
    [
      'answers that were there before the run',
      'answer-cache',
      [
        ...CLEAN,
        ...many(20, at => streamed(1, { answerHash: at, chunkGapsNs: Array(19).fill(1), endNs: 1.5e6 })),
      ],
    ],
    [
      'a machine of the client that swapped',
      'client-swap',
      CLEAN,
      { machine: { ...QUIET_MACHINE, swappedPages: 300 } },
    ],
    ['another model', 'other-model', [...CLEAN, streamed(400, { remark: { ...REMARK, otherModel: 'n' } })]],
    [
      'an error in a reply of status 200',
      'error-in-200',
      [
        ...CLEAN,
        streamed(400, { outcome: 'failed', failure: { kind: 'error-frame', statusCode: 200, detail: '' } }),
      ],
    ],
    [
      'a refusal for too many requests',
      'rate-limited',
      [
        ...CLEAN,
        streamed(400, { outcome: 'failed', failure: { kind: 'http-status', statusCode: 429, detail: '' } }),
      ],
    ],
    ...[
      { statusCode: 529, detail: 'Overloaded' },
      { statusCode: 503, detail: 'The request queue is full.' },
    ].map(
      (failure): Case => [
        `a refusal of a busy server with status ${failure.statusCode}`,
        'overloaded',
        [
          ...CLEAN,
          streamed(400, {
            outcome: 'failed',
            failure: { kind: 'http-status', ...failure },
            remark: { ...REMARK, hasRetryAfter: true },
          }),
        ],
      ],
    ),
    [
      'a time to first token that does not grow',
      'flat-ttft',
      many(200, at =>
        streamed(50 + 4 * at, { firstByteNs: 5e6, firstContentNs: 5e6 + (at % 7), endNs: 9e9 }),
      ),
    ],
    [
      'whole answers in one chunk',
      'one-chunk',
      many(20, () => streamed(9, { chunkCount: 1, chunkGapsNs: [] })),
    ],
    [
      'all chunks at once',
      'burst-chunks',
      many(20, () => streamed(9, { chunkGapsNs: Array(19).fill(2_000) })),
    ],
    [
      'joined chunks',
      'merged-chunks',
      many(20, () => streamed(9, { chunkCount: 5, chunkGapsNs: Array(4).fill(40e6) })),
    ],
    [
      'tokens that were guessed ahead',
      'speculative-decoding',
      [...CLEAN, streamed(400, { remark: { ...REMARK, predictedTokens: 12 } })],
    ],
    [
      'requests of others at the server',
      'other-clients',
      CLEAN,
      { server: serverOf(Array(5).fill({ running: 20, waiting: 0, inFlight: 8 })) },
    ],
    [
      'preempted requests',
      'preemption',
      CLEAN,
      { server: serverOf([{ preemptions: 4 }, { preemptions: 6 }]) },
    ],
    ['swapped requests', 'swap', CLEAN, { server: serverOf([{ swapped: 2, running: 4 }]) }],
    [
      "a prefix cache that only the server's metrics report",
      'prefix-cache',
      CLEAN,
      {
        server: serverOf([
          { prefixQueried: 0, prefixHit: 0 },
          { prefixQueried: 90_000, prefixHit: 45_000 },
        ]),
      },
    ],
    [
      'drafts that only its metrics report',
      'speculative-decoding',
      CLEAN,
      {
        server: serverOf([
          { draftedTokens: 0, acceptedTokens: 0 },
          { draftedTokens: 100, acceptedTokens: 60 },
        ]),
      },
    ],
  ];

  test.each(CASES.map(([what, code, samples, more]) => ({ what, code, samples, more })))(
    'with $what is named $code',
    ({ code, samples, more }) => {
      expect(found(samples, more).map(({ code: each }) => each)).toEqual(expect.arrayContaining([code]));
      const [finding] = found(samples, more).filter(({ code: each }) => each === code);
      expect(finding?.count).toBeGreaterThan(0);
      expect(finding?.count).toBeLessThanOrEqual(finding?.of || Number.POSITIVE_INFINITY);
      expect(finding?.problem).not.toMatch(new RegExp(`\\b${finding?.count} of ${finding?.of}\\b`));
      expect(finding?.spoils.length).toBeGreaterThan(0);
    },
  );

  test('with answers that ended by themselves before the requested length has a finding', () => {
    const requested = { text: '64', mean: 64, min: 64, max: 64 };
    const requests = {
      inputTokens: unknown('as they are'),
      outputTokens: requested,
      outputSource: 'option' as const,
      lengthFields: [],
      warmupTokensMax: 16,
      shortestTokens: unknown('not counted'),
      calibration: unknown('not asked'),
      prefixes: unknown('none'),
      body: '{}',
    };
    const series = { outputTokens: { min: 20, histogram: [[19, 21, 200]] as const } };
    const codes = (stopped: number, source: 'option' | 'default') =>
      found(CLEAN, {
        run: { ...RUN, requests: { ...requests, outputSource: source } },
        stopped,
        series,
      }).map(({ code }) => code);
    expect(codes(200, 'option')).toEqual(['short-answers']);
    expect(codes(200, 'default')).toEqual([]);
  });

  test('is not accused of a cache that it shares on purpose', () => {
    const requests = {
      inputTokens: unknown('as they are'),
      outputTokens: unknown('left to the server'),
      outputSource: 'default' as const,
      lengthFields: [],
      warmupTokensMax: 16,
      shortestTokens: unknown('not counted'),
      calibration: unknown('not asked'),
      prefixes: { count: 1, tokens: 90 },
      body: '{}',
    };
    const cached = [...CLEAN, ...many(20, () => streamed(100, { remark: { ...REMARK, cachedTokens: 90 } }))];
    expect(found(cached, { run: { ...RUN, requests } })).toEqual([]);
    expect(found(cached).map(({ code }) => code)).toEqual(['prefix-cache']);
  });

  describe('of a server that counts what it finished', () => {
    const finished = (count: number) =>
      serverOf([
        { moment: 'start', finished: 40 },
        { moment: 'end', finished: 40 + count },
      ]);

    test('has other clients if more finished than it sent, by more than 2 and a twentieth', () => {
      expect(found(CLEAN, { server: finished(210) })).toEqual([]);
      const [finding] = found(CLEAN, { server: finished(211) });
      expect(finding).toMatchObject({ code: 'other-clients', count: 11, of: 211 });
      expect(finding?.problem).toBe(
        'by its own metrics the server finished 211 requests while this run sent 200',
      );
    });

    test('is not accused if the readings leave out a part of it, or the server restarted', () => {
      const within = serverOf([{ finished: 40 }, { finished: 300 }]);
      expect(found(CLEAN, { server: within })).toEqual([]);
      const restarted = serverOf([
        { moment: 'start', finished: 400 },
        { moment: 'end', finished: 300 },
      ]);
      expect(found(CLEAN, { server: restarted })).toEqual([]);
    });
  });

  describe('whose requests have nothing in common but the template of the chat', () => {
    const withTemplate = many(100, at =>
      streamed(550, { remark: { ...REMARK, cachedTokens: at < 4 ? 0 : 24 + (at % 3) } }),
    );

    test('has no finding about a prefix cache, for any count of the template', () => {
      expect(found(withTemplate)).toEqual([]);
      expect(found(withTemplate, { run: calibrated(31) })).toEqual([]);
    });

    test('is not accused of it by the metrics of its server', () => {
      const server = serverOf([
        { prefixQueried: 0, prefixHit: 0 },
        { prefixQueried: 90_000, prefixHit: 200 * 16 },
      ]);
      expect(found(CLEAN, { server })).toEqual([]);
      expect(found(CLEAN, { server, run: calibrated(20) })).toEqual([]);
    });

    test('is accused of more than the template', () => {
      const prompts = many(100, () => streamed(550, { remark: { ...REMARK, cachedTokens: 300 } }));
      expect(found(prompts).map(({ code }) => code)).toEqual(['prefix-cache']);
      expect(found(prompts, { run: calibrated(31) }).map(({ code }) => code)).toEqual(['prefix-cache']);
    });
  });

  test('of a server whose queue is as long as what is in flight has no others', () => {
    const server = serverOf(Array(9).fill({ running: 6, waiting: 3, inFlight: 8 }));
    expect(found(CLEAN, { server })).toEqual([]);
  });
});

test('a model that is named by its path or its version is the one that was asked for', () => {
  for (const [requested, answered] of [
    ['Qwen3-14B', 'Qwen/Qwen3-14B'],
    ['/models/a.gguf', 'a'],
    ['gpt-4o', 'gpt-4o-2024-08-06'],
    ['llama3', 'llama3:latest'],
  ] as const)
    expect(isSameModel(requested, answered), `${requested} ${answered}`).toBe(true);
  for (const [requested, answered] of [
    ['Qwen3-14B', 'Qwen3-8B'],
    ['gpt-4', 'gpt-4o'],
    ['gpt-4o', 'gpt-4o-mini'],
    ['llama3', 'llama3.1'],
  ] as const)
    expect(isSameModel(requested, answered), `${requested} ${answered}`).toBe(false);
});

/** Its shortest prompt was counted before the run. */
const calibrated = (shortestTokens: number): ContaminationSources['run'] => ({
  ...RUN,
  requests: {
    inputTokens: unknown('as they are'),
    outputTokens: unknown('left to the server'),
    outputSource: 'default',
    lengthFields: [],
    warmupTokensMax: 16,
    calibration: { requests: 16, requestedTokens: 550, countedTokens: 550 },
    prefixes: unknown('none'),
    shortestTokens,
    body: '{}',
  },
});
