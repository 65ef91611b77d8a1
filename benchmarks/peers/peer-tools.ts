// The tools of this field as commands for one load, and where each writes its own figures. They are other people's programs: named
// by the environment, never fetched, and started with nothing but a URL on loopback.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

interface PeerLoad {
  readonly url: string;
  readonly model: string;
  readonly concurrency: number;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Empty folder for its output. */
  readonly folder: string;
  /** Folder of the model's tokenizer; undefined: one that is made up. */
  readonly tokenizer?: string;
}

/** By the tool's own account and definitions. */
export interface PeerFigures {
  readonly completed: number;
  readonly ttftMs: number;
  /** Per output token without the first, under any name in the tool's report. */
  readonly tpotMs: number;
  readonly outputTokensPerSecond: number;
}

export interface PeerTool {
  readonly name: string;
  command(load: PeerLoad): readonly string[];
  /** What `plimsoll why` reads of it. */
  result(folder: string): string;
  figures(load: PeerLoad): PeerFigures;
}

type FoundPeer =
  | { readonly kind: 'found'; readonly tool: PeerTool; readonly version: string }
  | { readonly kind: 'missing'; readonly name: string; readonly reason: string };

export const findPeers = (): readonly FoundPeer[] => [
  { kind: 'found', tool: PLIMSOLL, version: 'this build' },
  vllmBench(),
  vllmItself(),
  ofPython('AIPerf', 'aiperf', aiperf),
  ofPython('GuideLLM', 'guidellm', guidellm),
];

const vllmBench = (): FoundPeer => {
  const path = process.env['PLIMSOLL_VLLM_BENCH'];
  if (path === undefined) return missing('vllm-bench', 'PLIMSOLL_VLLM_BENCH names no binary of it');
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (status !== 0) return missing('vllm-bench', `${path} --version does not answer`);
  return { kind: 'found', version: stdout.trim().split('\n').at(-1) ?? '', tool: vllm('vllm-bench', [path]) };
};

const vllmItself = (): FoundPeer => {
  const path = process.env['PLIMSOLL_VLLM'];
  return path === undefined
    ? missing('vLLM', 'PLIMSOLL_VLLM names no vllm, whose `bench serve` it is')
    : { kind: 'found', version: path, tool: vllm('vLLM', [path, 'bench', 'serve']) };
};

const ofPython = (name: string, distribution: string, tool: (path: string) => PeerTool): FoundPeer => {
  const python = process.env['PLIMSOLL_PEERS_PYTHON'];
  if (python === undefined) return missing(name, 'PLIMSOLL_PEERS_PYTHON names no Python that has it');
  const { status, stdout } = spawnSync(
    python,
    ['-c', `import importlib.metadata; print(importlib.metadata.version("${distribution}"))`],
    { encoding: 'utf8' },
  );
  const path = join(dirname(python), distribution);
  if (status !== 0 || !existsSync(path)) return missing(name, `${python} has no ${distribution}`);
  return { kind: 'found', version: stdout.trim(), tool: tool(path) };
};

const missing = (name: string, reason: string): FoundPeer => ({ kind: 'missing', name, reason });

const PLIMSOLL: PeerTool = {
  name: 'Plimsoll',
  result: folder => join(folder, 'run'),
  command: ({ url, model, concurrency, requests, inputTokens, outputTokens, folder, tokenizer }) => [
    process.execPath,
    fileURLToPath(new URL('../../bin/plimsoll.js', import.meta.url)),
    'bench',
    url,
    ...['--model', model, '--concurrency', String(concurrency), '--requests', String(requests)],
    ...['--input-tokens', String(inputTokens), '--output-tokens', String(outputTokens)],
    // A real server is warmed up: it counts what words cost in its tokens.
    ...(tokenizer === undefined ? ['--no-warmup'] : []),
    ...['--home', join(folder, 'home'), '--out', join(folder, 'run'), '--quiet'],
  ],
  figures: ({ folder }) => {
    const { counts, series, outputTokensPerSecond } = read(
      join(folder, 'run', 'report.json'),
      PLIMSOLL_REPORT,
    );
    return {
      completed: counts.completed,
      ttftMs: series.ttftNs.mean / 1e6,
      tpotMs: series.tpotNs.mean / 1e6,
      outputTokensPerSecond,
    };
  },
};

const vllm = (name: string, command: readonly string[]): PeerTool => ({
  name,
  result: folder => join(folder, 'vllm.json'),
  command: ({ url, model, concurrency, requests, inputTokens, outputTokens, folder, tokenizer }) => [
    ...command,
    ...[
      '--backend',
      'openai-chat',
      '--base-url',
      url,
      '--endpoint',
      '/v1/chat/completions',
      '--model',
      model,
    ],
    ...[
      '--tokenizer',
      tokenizer ?? tokenizerIn(folder),
      '--dataset-name',
      'random',
      '--random-input-len',
      String(inputTokens),
    ],
    ...['--random-output-len', String(outputTokens), '--num-prompts', String(requests)],
    ...['--max-concurrency', String(concurrency), '--ignore-eos', '--disable-tqdm'],
    // Each request is kept, as Plimsoll keeps it.
    ...['--save-result', '--save-detailed', '--result-dir', folder, '--result-filename', 'vllm.json'],
  ],
  figures: ({ folder }) => {
    const reported = read(join(folder, 'vllm.json'), VLLM_RESULT);
    return {
      completed: reported.completed,
      ttftMs: reported.mean_ttft_ms,
      tpotMs: reported.mean_tpot_ms,
      outputTokensPerSecond: reported.output_throughput,
    };
  },
});

const aiperf = (path: string): PeerTool => ({
  name: 'AIPerf',
  result: folder => join(folder, 'profile_export.jsonl'),
  command: ({ url, model, concurrency, requests, inputTokens, outputTokens, folder, tokenizer }) => [
    path,
    'profile',
    ...['--url', url, '--model', model, '--endpoint-type', 'chat', '--streaming'],
    ...['--concurrency', String(concurrency), '--request-count', String(requests)],
    ...['--isl', String(inputTokens), '--osl', String(outputTokens)],
    ...['--tokenizer', tokenizer ?? tokenizerIn(folder)],
    ...['--extra-inputs', 'ignore_eos:true', '--use-server-token-count'],
    ...['--ui', 'none', '--no-gpu-telemetry', '--no-server-metrics', '--output-artifact-dir', folder],
  ],
  figures: ({ folder }) => {
    const reported = read(join(folder, 'profile_export_aiperf.json'), AIPERF_SUMMARY);
    return {
      completed: reported.request_count.avg,
      ttftMs: reported.time_to_first_token.avg,
      tpotMs: reported.inter_token_latency.avg,
      outputTokensPerSecond: reported.output_token_throughput.avg,
    };
  },
});

const guidellm = (path: string): PeerTool => ({
  name: 'GuideLLM',
  result: folder => join(folder, 'benchmarks.json'),
  command: ({ url, model, concurrency, requests, inputTokens, outputTokens, folder, tokenizer }) => [
    path,
    'run',
    ...['--backend', `kind=openai_http,target=${url},model=${model}`],
    ...['--profile', `kind=concurrent,streams=${concurrency}`],
    ...['--constraint', `kind=max_requests,count=${requests}`],
    ...['--tokenizer', `kind=huggingface_auto,model=${tokenizer ?? tokenizerIn(folder)}`],
    ...['--data', `kind=synthetic_text,prompt_tokens=${inputTokens},output_tokens=${outputTokens}`],
    ...['--output', `kind=json,path=${join(folder, 'benchmarks.json')}`, '--disable-console'],
  ],
  figures: ({ folder }) => {
    const [{ metrics }] = read(join(folder, 'benchmarks.json'), GUIDELLM_REPORT).benchmarks;
    return {
      completed: metrics.request_totals.successful,
      ttftMs: metrics.time_to_first_token_ms.successful.mean,
      tpotMs: metrics.inter_token_latency_ms.successful.mean,
      outputTokensPerSecond: metrics.output_tokens_per_second.successful.mean,
    };
  },
});

/** Words of two syllables, a token each: the tools want one on disk, and none is fetched. */
const tokenizerIn = (folder: string): string => {
  const path = join(folder, 'tokenizer');
  mkdirSync(path, { recursive: true });
  const syllables = [
    'ba',
    'ce',
    'di',
    'fo',
    'gu',
    'ha',
    'ke',
    'li',
    'mo',
    'nu',
    'pa',
    're',
    'si',
    'to',
    'vu',
  ];
  const words = [
    '<unk>',
    '<s>',
    '</s>',
    ...syllables.flatMap(one => syllables.map(other => `${one}${other}`)),
  ];
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'WhitespaceSplit' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(words.map((word, index) => [word, index])),
      unk_token: '<unk>',
    },
  };
  const config = {
    tokenizer_class: 'PreTrainedTokenizerFast',
    unk_token: '<unk>',
    bos_token: '<s>',
    eos_token: '</s>',
    model_max_length: 131_072,
  };
  writeFileSync(join(path, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(path, 'tokenizer_config.json'), JSON.stringify(config));
  return path;
};

const read = <T>(path: string, schema: v.GenericSchema<unknown, T>): T =>
  v.parse(schema, JSON.parse(readFileSync(path, 'utf8')));

const average = v.looseObject({ avg: v.number() });
const successful = v.looseObject({ successful: v.looseObject({ mean: v.number() }) });
const PLIMSOLL_REPORT = v.looseObject({
  counts: v.looseObject({ completed: v.number() }),
  series: v.looseObject({
    ttftNs: v.looseObject({ mean: v.number() }),
    tpotNs: v.looseObject({ mean: v.number() }),
  }),
  outputTokensPerSecond: v.number(),
});
const VLLM_RESULT = v.looseObject({
  completed: v.number(),
  mean_ttft_ms: v.number(),
  mean_tpot_ms: v.number(),
  output_throughput: v.number(),
});
const AIPERF_SUMMARY = v.looseObject({
  request_count: average,
  time_to_first_token: average,
  inter_token_latency: average,
  output_token_throughput: average,
});
const GUIDELLM_REPORT = v.looseObject({
  benchmarks: v.tuple([
    v.looseObject({
      metrics: v.looseObject({
        request_totals: v.looseObject({ successful: v.number() }),
        time_to_first_token_ms: successful,
        inter_token_latency_ms: successful,
        output_tokens_per_second: successful,
      }),
    }),
  ]),
});
