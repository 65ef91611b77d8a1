// The options of `plimsoll compare`: those of a benchmark that define the requests to both sides, and those of the comparison.

import { UNITS_MAX } from '../../core/comparison/comparison-document.ts';
import { COMPARISON_METRICS } from '../../core/comparison/comparison-metrics.ts';
import { PAIRS_MIN } from '../../core/comparison/judge-effect.ts';
import { exactPercent, type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { excludes, nonEmpty, type Option, optionsIn, wholeText } from '../../core/option/option.ts';
import { duration, wholeNumberFrom } from '../../core/option/option-values.ts';
import { COMPARED_SERIES, RUN_SERIES } from '../../core/run/run-series.ts';
import { nearest } from '../../core/text/nearest.ts';
import { BENCH, benchOptionsWithout } from '../bench/bench-options.ts';
import { CANCEL } from '../bench/cancel-options.ts';
import { CHECKS } from '../bench/check-options.ts';
import { DEPTH } from '../bench/depth-options.ts';
import { IMAGES } from '../bench/image-options.ts';
import { NAMES } from '../bench/name-options.ts';
import { REPLAY } from '../bench/replay-options.ts';
import { SESSIONS } from '../bench/session-options.ts';
import { notCounted } from '../bench/tokenizer-option.ts';
import { OR_NAMED } from '../command.ts';
import { seriesForm } from '../report/form-options.ts';
import { GATE_OPTIONS } from './gate-options.ts';

/** By the name of a metric. */
type Margins = Readonly<Record<string, number>>;

const { choice, flag, repeated, value, valueOr } = optionsIn('Comparison');

const SERIES_NAMES: readonly string[] = COMPARED_SERIES.map(key => RUN_SERIES[key].compared);
const METRIC_NAMES: readonly string[] = COMPARISON_METRICS.map(({ name }) => name);
const RATE_NAMES = METRIC_NAMES.filter(name => name.endsWith('.rate')).join(', ');

const url = (side: 'A' | 'B'): Option<string | undefined> =>
  value({
    name: side.toLowerCase(),
    isCommon: true,
    valueName: 'URL|RUN',
    target: 'also',
    meaning: `The server of ${side}, its /v1, or the endpoint; or finished runs: an id, a directory, runs:tag=before. ${OR_NAMED}`,
    reads: text => (text.includes('://') || !/[\\/]/.test(text) ? undefined : text),
    parse: nonEmpty,
  });

const label = (side: 'A' | 'B'): Option<string | undefined> =>
  value({
    name: `${side.toLowerCase()}-label`,
    valueName: 'TEXT',
    meaning: `What ${side} is called. Default: its URL.`,
    parse: text =>
      NAMES.name.read([text]).kind === 'ok'
        ? parsed(text)
        : wrong('the label is empty, too long or not one line', 'Write up to 100 characters.'),
  });

const start = (side: 'A' | 'B'): Option<string | undefined> =>
  value({
    name: `${side.toLowerCase()}-start`,
    startsProgram: true,
    valueName: 'CMD',
    meaning: `Start the server of ${side} with this shell command, wait until it answers, and stop it afterwards.`,
    parse: nonEmpty,
  });

/** In the order of --help. Times are milliseconds. */
export const COMPARE = {
  a: url('A'),
  b: url('B'),
  baseline: value({
    name: 'baseline',
    rules: [excludes(['a'], { advice: 'The baseline takes the place of A.' })],
    valueName: 'NAME',
    meaning: 'In place of --a: a baseline of plimsoll baseline save.',
    parse: nonEmpty,
  }),
  aLabel: label('A'),
  bLabel: label('B'),
  aStart: start('A'),
  bStart: start('B'),
  bFacts: value({
    name: 'b-facts',
    reads: wholeText,
    valueName: 'MODEL',
    meaning: 'As --facts, for B alone, if it serves another model.',
    parse: nonEmpty,
  }),
  startTimeout: valueOr({
    name: 'start-timeout',
    fallback: '10m',
    valueName: 'D',
    meaning: 'How long to wait for a started server to answer.',
    parse: duration(1_000, 86_400_000),
  }),
  oneAtATime: flag(
    'one-at-a-time',
    'Stop one server before the other is started, if both do not fit; needs --a-start and --b-start.',
  ),
  pairs: value({
    name: 'pairs',
    isCommon: true,
    valueName: 'N',
    meaning: 'Decide once, after this many pairs. Default: after 6, 8 and 12, each time by a stricter test.',
    parse: wholeNumberFrom(PAIRS_MIN, UNITS_MAX),
  }),
  segment: value({
    name: 'segment',
    rules: [excludes(['sessions'], { advice: 'A segment ends with the last of its sessions.' })],
    valueName: 'D',
    meaning:
      'The exact duration of each segment. Default: 60s, or longer until 200 requests and 20 median latencies have passed.',
    parse: duration(1_000, 3_600_000),
  }),
  rest: valueOr({
    name: 'rest',
    fallback: '2s',
    valueName: 'D',
    meaning: 'The pause between two segments, after the last answer.',
    parse: duration(0, 3_600_000),
  }),
  primary: choice({
    name: 'primary',
    isCommon: true,
    valueName: 'METRIC',
    meaning: `The metric that decides: ${RATE_NAMES}, or a percentile of a time, such as ttft.p99. Default: ttft.p90 at a rate, else output.rate.`,
    choices: METRIC_NAMES,
  }),
  margin: repeated<Margins>({
    name: 'margin',
    isCommon: true,
    valueName: 'P%',
    meaning:
      'The difference that is too small to matter: P% for all metrics, or METRIC=P%, ttft=P%, rates=P%. Default: 2% of rates, 5% of latencies.',
    parse: text => parseMargin(text),
  }),
  anyway: flag('anyway', 'Compare even if the two are not comparable; the result lists the reasons.'),
  sameModel: flag(
    'same-model',
    'Treat models with different names as the same: engines name one model differently. One --facts for both does the same.',
  ),
  resume: value({
    name: 'resume',
    isOfOneCall: true,
    valueName: 'DIR',
    meaning:
      'Resume a comparison of two servers, by its id or directory, that was stopped or crashed; complete pairs are kept.',
    parse: nonEmpty,
  }),
};

const parseMargin = (text: string): Parsed<Margins> => {
  const [, , what = '', digits = ''] = /^((.+?)=)?(\d{1,2}(?:\.\d{1,3})?)\s*%$/.exec(text) ?? [];
  const share = exactPercent(digits);
  if (digits === '' || share <= 0)
    return wrong(
      `${JSON.stringify(text.slice(0, 40))} is not a margin`,
      'Write a percentage above 0 and below 100: --margin 2%, --margin ttft=3%',
    );
  const named = COMPARISON_METRICS.filter(
    ({ name, kind }) => what === '' || name === what || name.startsWith(`${what}.`) || kind === GROUPS[what],
  );
  if (named.length > 0) return parsed(Object.fromEntries(named.map(({ name }) => [name, share])));
  const meant = nearest(what, [...METRIC_NAMES, ...SERIES_NAMES, ...Object.keys(GROUPS)]);
  return wrong(
    `${JSON.stringify(what.slice(0, 40))} is no metric`,
    meant === undefined
      ? `Write one of ${METRIC_NAMES.join(', ')}.`
      : `Did you mean --margin ${meant}=${digits}%?`,
  );
};

const GROUPS: Readonly<Record<string, string>> = { rates: 'rate', latencies: 'latency' };

/** Segments have an end of their own; some options mean the whole comparison. */
const NOT_OF_A_COMPARISON: readonly Option<unknown>[] = [
  BENCH.scenario,
  BENCH.weights,
  BENCH.requests,
  BENCH.duration,
  BENCH.stages,
  BENCH.systemPrompt,
  BENCH.tokenizer,
  BENCH.hasRealTimeThreads,
  BENCH.probeRate,
  BENCH.facts,
  BENCH.out,
  BENCH.repeat,
  BENCH.maxFailures,
  BENCH.requireTrustworthy,
  BENCH.like,
  BENCH.save,
  BENCH.as,
  BENCH.to,
  BENCH.otlp,
  BENCH.webhook,
  BENCH.price,
  BENCH.json,
  BENCH.quiet,
  ...Object.values<Option<unknown>>({ ...REPLAY, ...DEPTH, ...IMAGES, ...CHECKS, ...CANCEL }),
];

/** In the order of --help. */
export const COMPARE_OPTIONS: readonly Option<unknown>[] = [
  ...Object.values<Option<unknown>>({ ...COMPARE }),
  ...GATE_OPTIONS,
  notCounted('compare', 'pairs are judged by what both servers reported for each answer'),
  ...benchOptionsWithout(NOT_OF_A_COMPARISON),
  {
    ...BENCH.facts,
    meaning:
      'The model that both serve, as for plimsoll headroom: each segment shows its bound. Default: what the servers report.',
  },
  ...seriesForm('pair-01-a'),
  { ...BENCH.out, meaning: 'The directory of the comparison, new or empty. Default: <home>/runs/<id>.' },
  { ...BENCH.json, meaning: 'Print comparison.json alone.' },
  { ...BENCH.quiet, meaning: 'Print the result alone: no progress, no notices.' },
];

/** Options that set how load is generated; they do not apply to finished runs. */
export const LIVE_ONLY: readonly Option<unknown>[] = [
  BENCH.noteGit,
  COMPARE.aStart,
  COMPARE.bStart,
  COMPARE.bFacts,
  BENCH.facts,
  COMPARE.startTimeout,
  COMPARE.oneAtATime,
  COMPARE.pairs,
  COMPARE.segment,
  COMPARE.rest,
  BENCH.rate,
  BENCH.concurrency,
  BENCH.maxThroughput,
  ...Object.values<Option<unknown>>(SESSIONS),
];
