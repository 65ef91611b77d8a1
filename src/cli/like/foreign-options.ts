// Options of other load testers that mean one or several of ours, by the names of vLLM, SGLang, AIPerf, GenAI-Perf, GuideLLM,
// wrk and hey. Those that only have another name are the aliases of our option. docs/coming-from.md lists both.

import { apiOfPath } from '../../bench/target/api/server-apis.ts';
import { hostText } from '../../core/address/host-port.ts';
import { parseAnyJson } from '../../core/json.ts';
import type { ForeignOption, GivenText, Interpretation } from '../command.ts';
import { goalObjective, IN_FLIGHT_MAX, lengthText } from './like-command.ts';

const renamed =
  (name: string) =>
  (value: string): Interpretation => ({ options: [[name, value]] });

const left = (note: string) => (): Interpretation => ({ options: [], note });

/** Changes no figure here, or is so anyway. */
const SILENT = (): Interpretation => ({ options: [] });

const inSeconds =
  (name: string) =>
  (value: string): Interpretation => ({ options: [[name, /^[\d.]+$/.test(value) ? `${value}s` : value]] });

/**
 * vLLM: lengths from (1 − ratio) to (1 + ratio) times the mean; SGLang: from ratio times the length to the length
 * (benchmarks of vLLM 0.33 and SGLang 0.5).
 */
const length =
  (name: string, deviation: readonly string[]) =>
  (value: string, given: GivenText): Interpretation => {
    const mean = Number(value);
    const ratio = Number(given('random-range-ratio') ?? 0);
    const isSglang = given('backend')?.startsWith('sglang') === true;
    if (Number.isFinite(mean) && ratio > 0 && ratio < 1) {
      const from = Math.max(1, Math.floor(mean * (isSglang ? ratio : 1 - ratio)));
      const to = isSglang ? mean : Math.ceil(mean * (1 + ratio));
      return { options: [[name, `${from}..${to}`]] };
    }
    const spread = Number(given(...deviation) ?? 0);
    return { options: [[name, (Number.isFinite(mean) ? lengthText(mean, spread) : undefined) ?? value]] };
  };

/** "ttft:500", "time_to_first_token:500", several with spaces between; numbers are milliseconds. */
const goodput = (value: string): Interpretation => ({
  options: value
    .split(/[\s,]+/)
    .filter(goal => goal !== '')
    .map(goal => ['slo', goalObjective(goal) ?? goal.replace(':', '=')]),
});

/** The path names the API more exactly than the engine does. */
const backend = (value: string, given: GivenText): Interpretation =>
  given('endpoint', 'api') === undefined ? apiOf(value) : { options: [] };

const apiOf = (value: string): Interpretation => {
  const api = API_NAMES.get(value) ?? (value.includes('/') ? apiOfPath(value)?.name : undefined);
  return { options: [['api', api ?? value]] };
};

/** "min_p:0.1"; a text that is a JSON object contains several. */
const extraInputs = (value: string): Interpretation => {
  if (value.trimStart().startsWith('{')) return { options: [['body', value]] };
  const at = value.indexOf(':');
  if (at < 1) return { options: [['body', value]] };
  const [name, text] = [value.slice(0, at), value.slice(at + 1)];
  if (name === 'ignore_eos') return { options: [], note: IGNORE_EOS };
  return { options: [['body', JSON.stringify({ [name]: parseAnyJson(text) ?? text })]] };
};

const requestRate = (value: string, given: GivenText): Interpretation => {
  if (!/^inf(inity)?$/i.test(value)) return { options: [['rate', value]] };
  if (given('max-concurrency', 'concurrency') !== undefined) return { options: [] };
  const requests = Number(given('requests', 'num-prompts', 'num-requests') ?? 1_000);
  return {
    options: [['concurrency', String(Math.min(requests, IN_FLIGHT_MAX))]],
    note: 'an infinite rate sends all requests at once: as many are kept in flight',
  };
};

/** A cap of an open loop; without a rate, the load itself. */
const maxConcurrency = (value: string, given: GivenText): Interpretation => {
  const rate = given('rate', 'request-rate', 'qps');
  const isOpen = rate !== undefined && !/^inf/i.test(rate);
  return { options: [[isOpen ? 'max-in-flight' : 'concurrency', value]] };
};

const warmups = (value: string): Interpretation =>
  value === '0'
    ? {
        options: [],
        note: 'one request per load thread is sent before the measured phase, and is not counted',
      }
    : { options: [['warmup', value]] };

const address = (value: string): Interpretation => ({
  options: [['URL', value.includes('://') ? value : `http://${value}`]],
});

const IGNORE_EOS = 'answers are as long as --output-tokens requests, which ignores the end of the sequence';
const RESULT =
  'the run directory contains every sample; the file of another tool: plimsoll report DIR --as vllm';

const API_NAMES: ReadonlyMap<string, string> = new Map([
  ['openai-chat', 'chat'],
  ['vllm-chat', 'chat'],
  ['sglang-oai-chat', 'chat'],
  ['openai', 'completions'],
  ['vllm', 'completions'],
  ['lmdeploy', 'completions'],
  ['sglang-oai', 'completions'],
  ['openai-embeddings', 'embeddings'],
]);

export const TOOL_OPTIONS: readonly ForeignOption[] = [
  {
    names: ['request-rate'],
    means: '`--rate`; `inf`: as many at a time as there are requests',
    takes: 'one',
    read: requestRate,
  },
  {
    names: ['max-concurrency'],
    means: 'with a rate `--max-in-flight`, else `--concurrency`',
    takes: 'one',
    read: maxConcurrency,
  },
  {
    names: [
      'isl',
      'input-len',
      'random-input-len',
      'random-input',
      'synthetic-input-tokens-mean',
      'prompt-input-tokens-mean',
      'input-sequence-length-mean',
    ],
    means: '`--input-tokens`, with its spread if one is given',
    takes: 'one',
    read: length('input-tokens', ['isl-stddev', 'synthetic-input-tokens-stddev']),
  },
  {
    names: [
      'osl',
      'output-len',
      'random-output-len',
      'random-output',
      'sharegpt-output-len',
      'custom-output-len',
      'output-tokens-mean',
      'prompt-output-tokens-mean',
    ],
    means: '`--output-tokens`, with its spread if one is given',
    takes: 'one',
    read: length('output-tokens', ['osl-stddev', 'output-tokens-stddev']),
  },
  // Read with the lengths that they belong to.
  ...[
    ['isl-stddev', 'synthetic-input-tokens-stddev'],
    ['osl-stddev', 'output-tokens-stddev'],
    ['random-range-ratio'],
  ].map(
    (names): ForeignOption => ({ names, means: 'the spread of the lengths', takes: 'one', read: SILENT }),
  ),
  {
    names: ['random-prefix-len', 'prefix-prompt-length'],
    means: '`--prefix-tokens`',
    takes: 'one',
    read: renamed('prefix-tokens'),
  },
  { names: ['num-prefix-prompts'], means: '`--prefixes`', takes: 'one', read: renamed('prefixes') },
  { names: ['goodput'], means: '`--slo` for each, numbers in ms', takes: 'many', read: goodput },
  { names: ['extra-inputs'], means: '`--body`', takes: 'one', read: extraInputs },
  {
    names: ['ignore-eos'],
    means: 'nothing: so with `--output-tokens`',
    takes: 'none',
    read: left(IGNORE_EOS),
  },
  {
    names: ['num-warmups', 'warmup-request-count', 'num-warmup-requests'],
    means: '`--warmup`',
    takes: 'one',
    read: warmups,
  },
  {
    names: ['max-seconds', 'benchmark-duration'],
    means: '`--duration`, in seconds',
    takes: 'one',
    read: inSeconds('duration'),
  },
  {
    names: ['request-timeout-seconds'],
    means: '`--timeout`, in seconds',
    takes: 'one',
    read: inSeconds('timeout'),
  },
  {
    names: ['arrival-pattern', 'request-rate-mode'],
    means: '`--arrival`; `gamma` is `--burstiness`',
    takes: 'one',
    // Its smoothness is another option, and 1 without it: Poisson.
    read: pattern => ({ options: pattern === 'gamma' ? [] : [['arrival', pattern]] }),
  },
  { names: ['endpoint'], means: '`--api`', takes: 'one', read: apiOf },
  {
    names: ['endpoint-type'],
    means: '`--api`',
    takes: 'one',
    read: backend,
  },
  {
    names: ['backend', 'service-kind'],
    means: '`--api`, where no endpoint is given',
    takes: 'one',
    read: (value, given) => (given('endpoint-type') === undefined ? backend(value, given) : { options: [] }),
  },
  {
    names: ['served-model-name', 'model-names'],
    means: '`--model`',
    takes: 'one',
    // vLLM's --model is then where its tokenizer is.
    read: value => ({ options: [['model', value]], replaces: 'model' }),
  },
  { names: ['dataset-path', 'input-file'], means: '`--dataset`', takes: 'one', read: renamed('dataset') },
  {
    names: ['dataset-name'],
    means: 'nothing if `random`; a data set is a file: `--dataset`',
    takes: 'one',
    read: name =>
      name === 'random' ? SILENT() : left(`the data set ${name} is a file here: --dataset FILE`)(),
  },
  { names: ['url', 'u', 'base-url', 'target'], means: 'the URL', takes: 'one', read: address },
  {
    names: ['host'],
    means: 'the URL, with `--port`',
    takes: 'one',
    read: (host, given) => address(`${hostText(host)}:${given('port') ?? '8000'}`),
  },
  {
    names: ['port'],
    means: 'the URL, with `--host`',
    takes: 'one',
    read: (port, given) => (given('host') === undefined ? address(`127.0.0.1:${port}`) : SILENT()),
  },
  {
    names: ['no-streaming', 'disable-stream'],
    means: '`--streaming off`',
    takes: 'none',
    read: () => ({ options: [['streaming', 'off']] }),
  },
  {
    names: ['save-result', 'save-detailed', 'append-result', 'plot-timeline'],
    means: 'nothing: every run is stored; `report --as`',
    takes: 'none',
    read: left(RESULT),
  },
  {
    names: [
      'result-dir',
      'result-filename',
      'output-file',
      'artifact-dir',
      'output-artifact-dir',
      'profile-export-file',
      'output-path',
    ],
    means: 'nothing: every run is stored; `report --as`',
    takes: 'one',
    read: left(RESULT),
  },
  {
    names: ['t', 'threads', 'workers-max', 'max-workers'],
    means: 'nothing: load threads follow the cores',
    takes: 'one',
    read: left('load threads are chosen by the number of cores'),
  },
  {
    names: [
      'disable-tqdm',
      'trust-remote-code',
      'tokenizer-trust-remote-code',
      'latency',
      'verbose',
      'v',
      'disable-console',
      'disable-progress',
    ],
    means: 'nothing',
    takes: 'none',
    read: SILENT,
  },
  {
    names: [
      'percentile-metrics',
      'metric-percentiles',
      'tokenizer-mode',
      'tokenizer-revision',
      'ui',
      'ui-type',
      'processor',
      'metadata',
    ],
    means: 'nothing',
    takes: 'one',
    read: SILENT,
  },
];
