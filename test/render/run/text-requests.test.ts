// What a report shows of the requested lengths, next to the server's counts.

import { expect, test } from 'vitest';
import { formatCount } from '../../../src/core/figure/figure.ts';
import type { ReportSeries } from '../../../src/core/run/report.ts';
import type { RunRequests } from '../../../src/core/run/run-requests.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { lengthRows, tokenRows } from '../../../src/render/run/text-requests.ts';

const BASE: RunRequests = {
  inputTokens: unknown('not requested: prompts have 128 words'),
  outputTokens: { text: '256', mean: 256, min: 256, max: 256 },
  outputSource: 'default',
  lengthFields: [],
  warmupTokensMax: 16,
  shortestTokens: 20,
  calibration: unknown('no prompts of a length in tokens were requested'),
  prefixes: unknown('none'),
  body: '{}',
};

const counted = (mean: number, min = mean, max = mean): ReportSeries => ({
  unit: 'tokens',
  count: 10,
  total: '1',
  min,
  max,
  mean,
  stdDev: 0,
  percentiles: {},
  histogram: [],
  isExact: true,
});

const rowsOf = (requests: Partial<RunRequests>, input = counted(150), output = counted(256)) => [
  ...tokenRows({ requests: { ...BASE, ...requests } }, { input, output }),
  ...lengthRows({ run: { requests: { ...BASE, ...requests }, shape: PLAIN_SHAPE }, counts: { issued: 0 } }),
];

test('if no length of answers was given, the default is shown', () => {
  expect(rowsOf({})).toEqual([
    ['input tokens', 'not requested: prompts have 128 words; counted 150'],
    ['output tokens', 'requested at most 256, the default; counted 256'],
  ]);
});

test('counts that differ from the request are shown with their share', () => {
  expect(
    rowsOf(
      {
        inputTokens: { text: '1024', mean: 1_024, min: 1_024, max: 1_024 },
        calibration: { requests: 16, requestedTokens: 1_024, countedTokens: 1_023 },
        outputSource: 'option',
        prefixes: { tokens: 512, count: 4 },
        body: '{"top_k":40}',
      },
      counted(1_020.5, 1_015, 1_024),
      counted(90.25, 3, 256),
    ),
  ).toEqual([
    [
      'input tokens',
      `requested ${formatCount(1_024)}; counted ${formatCount(1_021)}, ${formatCount(1_015)} to ${formatCount(1_024)} (−0.3%)`,
    ],
    ['output tokens', 'requested at most 256; counted 90.3, 3 to 256 (−64.7%)'],
    ['prefixes', '4 of 512 tokens, shared, in turn'],
    [
      'words',
      `calibrated by 16 requests: of ${formatCount(1_024)} tokens ${formatCount(1_023)} were counted`,
    ],
    [
      'answers held by',
      'nothing: this server is not known to have min_tokens or ignore_eos, so they may be shorter',
    ],
    ['body', 'each with {"top_k":40}'],
  ]);
});

test('a distribution is shown with the draws for the requests that were sent', () => {
  const [, output] = rowsOf({
    outputTokens: { text: 'normal(256,64)', mean: 249.8, min: 101, max: 420 },
    outputSource: 'option',
    lengthFields: ['min_tokens', 'ignore_eos'],
  });
  expect(output).toEqual([
    'output tokens',
    'requested normal(256,64): 249.8, 101 to 420; counted 256 (+2.5%)',
  ]);
});

test('a server that counts nothing, and a version that reported nothing, give no figures', () => {
  const none = { input: undefined, output: undefined };
  expect(tokenRows({ requests: BASE }, none)[1]).toEqual([
    'output tokens',
    'requested at most 256, the default; none counted by the server',
  ]);
  expect(tokenRows({ requests: unknown('not reported by that version') }, none)).toEqual([]);
});
