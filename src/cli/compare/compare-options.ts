// The options of `plimsoll compare`: those of a benchmark that define the requests to both sides, and those of the comparison.

import { UNITS_MAX } from '../../core/comparison/comparison-document.ts';
import { COMPARISON_METRICS } from '../../core/comparison/comparison-metrics.ts';
import { PAIRS_MIN } from '../../core/comparison/judge-effect.ts';
import { exactPercent, type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { COMPARED_SERIES, RUN_SERIES } from '../../core/run/run-series.ts';
import { nearest } from '../../core/text/nearest.ts';
import { BENCH } from '../bench/bench-options.ts';
import { NAMES } from '../bench/name-options.ts';
import { duration, oneOf, wholeNumberFrom } from '../bench/option-values.ts';
import { REQUEST_OPTIONS } from '../bench/request-options.ts';
import { SHAPE } from '../bench/shape-options.ts';
import { notCounted } from '../bench/tokenizer-option.ts';
import { flag, nonEmpty, type Option, repeated, value } from '../command.ts';
import { GATE_OPTIONS } from './gate-options.ts';

/** By the name of a metric. */
type Margins = Readonly<Record<string, number>>;

const SERIES_NAMES: readonly string[] = COMPARED_SERIES.map(key => RUN_SERIES[key].compared);
const METRIC_NAMES: readonly string[] = COMPARISON_METRICS.map(({ name }) => name);
const RATE_NAMES = METRIC_NAMES.filter(name => name.endsWith('.rate')).join(', ');

const url = (side: 'A' | 'B'): Option<string | undefined> =>
  value({
    name: side.toLowerCase(),
    valueName: 'URL|RUN',
    meaning: `The server of ${side}, its /v1, or the endpoint; or finished runs: an id, a directory, runs:tag=before.`,
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
    valueName: 'MODEL',
    meaning: 'As --facts, for B alone, if it serves another model.',
    parse: nonEmpty,
  }),
  startTimeout: value({
    name: 'start-timeout',
    valueName: 'D',
    meaning: 'How long to wait for a started server to answer. Default: 10m.',
    parse: duration(1_000, 86_400_000),
  }),
  oneAtATime: flag(
    'one-at-a-time',
    'Stop one server before the other is started, if both do not fit; needs --a-start and --b-start.',
  ),
  pairs: value({
    name: 'pairs',
    valueName: 'N',
    meaning: 'Decide once, after this many pairs. Default: after 6, 8 and 12, each time by a stricter test.',
    parse: wholeNumberFrom(PAIRS_MIN, UNITS_MAX),
  }),
  segment: value({
    name: 'segment',
    valueName: 'D',
    meaning:
      'The exact duration of each segment. Default: 60s, or longer until 200 requests and 20 median latencies have passed.',
    parse: duration(1_000, 3_600_000),
  }),
  rest: value({
    name: 'rest',
    valueName: 'D',
    meaning: 'The pause between two segments, after the last answer. Default: 2s.',
    parse: duration(0, 3_600_000),
  }),
  primary: value({
    name: 'primary',
    valueName: 'METRIC',
    meaning: `The metric that decides: ${RATE_NAMES}, or a percentile of a time, such as ttft.p99. Default: ttft.p90 at a rate, else output.rate.`,
    parse: oneOf(...METRIC_NAMES),
  }),
  margin: repeated<Margins>({
    name: 'margin',
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

/** In the order of --help. */
export const COMPARE_OPTIONS: readonly Option<unknown>[] = [
  ...Object.values<Option<unknown>>({ ...COMPARE }),
  ...GATE_OPTIONS,
  BENCH.rate,
  BENCH.arrival,
  BENCH.concurrency,
  BENCH.maxThroughput,
  SHAPE.ramp,
  SHAPE.warmupDuration,
  SHAPE.maxInFlight,
  BENCH.api,
  BENCH.model,
  BENCH.dataset,
  BENCH.promptColumn,
  BENCH.noNonce,
  BENCH.noGuard,
  ...Object.values<Option<unknown>>({ ...REQUEST_OPTIONS }),
  notCounted('compare', 'pairs are judged by what both servers reported for each answer'),
  BENCH.streaming,
  BENCH.timeout,
  BENCH.grace,
  BENCH.stopWhen,
  BENCH.keepGoing,
  BENCH.timeoutConnect,
  BENCH.timeoutFirstByte,
  BENCH.timeoutIdle,
  BENCH.warmup,
  BENCH.noWarmup,
  BENCH.from,
  BENCH.agents,
  {
    ...BENCH.facts,
    meaning:
      'The model that both serve, as for plimsoll headroom: each segment shows its bound. Default: what the servers report.',
  },
  NAMES.name,
  NAMES.tag,
  { ...BENCH.out, meaning: 'The directory of the comparison, new or empty. Default: <home>/runs/<id>.' },
  BENCH.seed,
  BENCH.header,
  BENCH.headerFile,
  BENCH.apiKeyFile,
  BENCH.events,
  BENCH.slo,
  BENCH.attainment,
  BENCH.noteGit,
  { ...BENCH.json, meaning: 'Print comparison.json alone.' },
  { ...BENCH.quiet, meaning: 'Print the result alone: no progress, no notices.' },
  BENCH.home,
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
];
