// Real inference servers for a benchmark: llama-server and the server of llama-cpp-python, both from the sources in
// that package's source distribution, built once and stored under .cache, with a tiny model of random weights. The
// build takes about ten minutes at low priority; if something is missing it prints what, and nothing is judged.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../probe-against.ts';

type RealServerBuild =
  | { readonly kind: 'built'; readonly cache: string }
  | { readonly kind: 'skipped'; readonly reason: string };

export interface RealServer extends AsyncDisposable {
  readonly url: string;
  /** Where everything that it prints goes. */
  readonly log: string;
}

/** Each step is skipped where what it makes is there. */
export const buildRealServer = (): RealServerBuild => {
  for (const tool of ['python3', 'cmake', 'c++', 'tar'])
    if (spawnSync(tool, ['--version'], { stdio: 'ignore' }).status !== 0)
      return skipped(`there is no ${tool}`);
  const cache =
    process.env['PLIMSOLL_REAL_SERVER_CACHE'] ??
    fileURLToPath(new URL('../../.cache/real-server', import.meta.url));
  mkdirSync(cache, { recursive: true });
  for (const { name, makes, command } of stepsIn(cache)) {
    if (existsSync(makes)) continue;
    process.stderr.write(`  ${name} …\n`);
    const log = join(cache, 'build.log');
    const output = openSync(log, 'a');
    const { status } = spawnSync('nice', ['-n', '19', ...command], {
      cwd: cache,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    if (status !== 0) return skipped(`${name} failed; see ${log}`);
    if (makes.endsWith(DONE_MARK)) writeFileSync(makes, '');
  }
  const libraries = join(cache, PACKAGE, 'llama_cpp', 'lib');
  if (!existsSync(libraries)) {
    mkdirSync(libraries);
    const built = join(cache, 'build', 'bin');
    for (const name of readdirSync(built).filter(file => file.startsWith('lib')))
      copyFileSync(join(built, name), join(libraries, name));
  }
  return { kind: 'built', cache };
};

/** Four replies at a time. */
export const startLlamaServer = (cache: string): Promise<RealServer> =>
  startIn(cache, 'llama-server', port => ({
    command: join(cache, 'build', 'bin', 'llama-server'),
    args: [
      '-m',
      modelIn(cache),
      '--host',
      HOST,
      '--port',
      port,
      '--parallel',
      '4',
      '-c',
      '32768',
      '--threads',
      '1',
    ],
    folder: cache,
  }));

/** Of a model that was written with `sizedModel`, one reply at a time. */
export const startSizedServer = (cache: string, model: string): Promise<RealServer> =>
  startIn(cache, 'sized-server', port => ({
    command: join(cache, 'build', 'bin', 'llama-server'),
    args: [
      ...['-m', model, '--host', HOST, '--port', port, '--parallel', '1', '-c', '8192'],
      ...['--threads', SIZED_THREADS, '-fa', 'off'],
    ],
    folder: cache,
  }));

/** llama.cpp's own account of the same, as JSON. Undefined where it fails. */
export const llamaBench = (cache: string, model: string, args: readonly string[]): string | undefined => {
  const ran = spawnSync(
    join(cache, 'build', 'bin', 'llama-bench'),
    ['-m', model, '-t', SIZED_THREADS, '-fa', '0', '-o', 'json', ...args],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 16 * 1024 * 1024 },
  );
  return ran.status === 0 ? ran.stdout : undefined;
};

/** Builds llama-bench also. */
export const buildLlamaBench = (cache: string): RealServerBuild => {
  const made = join(cache, 'build', 'bin', 'llama-bench');
  if (!existsSync(made)) {
    process.stderr.write('  building llama-bench …\n');
    const command = ['cmake', '--build', join(cache, 'build'), '-j', '2', '--target', 'llama-bench'];
    const { status } = spawnSync('nice', ['-n', '19', ...command], { stdio: 'ignore' });
    if (status !== 0) return skipped('building llama-bench failed');
  }
  return { kind: 'built', cache };
};

/** A model of random weights in 16 bits; undefined where it cannot be written. */
export const sizedModel = (cache: string, layers: number, width: number): string | undefined => {
  const path = join(cache, `model-${layers}x${width}.gguf`);
  if (existsSync(path)) return path;
  const script = fileURLToPath(new URL('./write-model.py', import.meta.url));
  const { status } = spawnSync(pythonIn(cache), [script, path, String(layers), String(width)], {
    stdio: 'ignore',
  });
  return status === 0 ? path : undefined;
};

/** One reply at a time: the next request ends the one before it. */
export const startPythonServer = (cache: string): Promise<RealServer> =>
  startIn(cache, 'python-server', port => ({
    command: pythonIn(cache),
    args: [
      '-m',
      'llama_cpp.server',
      '--model',
      modelIn(cache),
      '--host',
      HOST,
      '--port',
      port,
      '--n_ctx',
      '2048',
      '--n_threads',
      '1',
    ],
    folder: join(cache, PACKAGE),
  }));

interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
}

const startIn = async (
  cache: string,
  name: string,
  startAt: (port: string) => Start,
): Promise<RealServer> => {
  const port = await freePort();
  const { command, args, folder } = startAt(String(port));
  const log = join(cache, `${name}.log`);
  writeFileSync(log, '');
  const output = openSync(log, 'a');
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, PYTHONPATH: folder, PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const url = `http://${HOST}:${port}`;
  const server = { url, log, [Symbol.asyncDispose]: () => ended(child) };
  try {
    await answers(url, child);
  } catch (error) {
    await ended(child);
    throw new Error(`${name} did not start; see ${log}`, { cause: error });
  }
  return server;
};

const answers = async (url: string, child: ChildProcess): Promise<void> => {
  const untilMs = performance.now() + START_MS_MAX;
  while (performance.now() < untilMs && child.exitCode === null) {
    const reply = await fetch(`${url}/v1/models`).catch(() => undefined);
    await reply?.arrayBuffer();
    if (reply?.status === 200) return;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  throw new Error(child.exitCode === null ? 'it does not answer' : `it ended with ${child.exitCode}`);
};

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
};

interface Step {
  readonly name: string;
  readonly makes: string;
  readonly command: readonly string[];
}

const stepsIn = (cache: string): readonly Step[] => {
  const pip = [pythonIn(cache), '-m', 'pip', '--disable-pip-version-check'];
  const archive = join(cache, 'sdist', `${PACKAGE}.tar.gz`);
  const build = join(cache, 'build');
  return [
    {
      name: 'making a Python environment',
      makes: pythonIn(cache),
      command: ['python3', '-m', 'venv', join(cache, 'venv')],
    },
    {
      name: 'installing Python packages',
      makes: join(cache, `packages${DONE_MARK}`),
      command: [...pip, 'install', ...PYTHON_PACKAGES],
    },
    {
      name: 'fetching the sources of llama-cpp-python',
      makes: archive,
      command: [
        ...pip,
        ...['download', '--no-deps', '--no-binary', 'llama-cpp-python', '-d', join(cache, 'sdist')],
        `llama-cpp-python==${VERSION}`,
      ],
    },
    {
      name: 'unpacking them',
      makes: join(cache, `sources${DONE_MARK}`),
      command: ['tar', '-xzf', archive, '-C', cache],
    },
    {
      name: 'configuring llama-server',
      makes: join(cache, `configured${DONE_MARK}`),
      command: ['cmake', '-S', join(cache, PACKAGE, 'vendor', 'llama.cpp'), '-B', build, ...CMAKE_OPTIONS],
    },
    {
      name: 'building llama-server, about ten minutes',
      makes: join(build, 'bin', 'llama-server'),
      command: ['cmake', '--build', build, '-j', '2', '--target', 'llama-server'],
    },
    {
      name: 'writing a model',
      makes: modelIn(cache),
      command: [pythonIn(cache), fileURLToPath(new URL('./write-model.py', import.meta.url)), modelIn(cache)],
    },
  ];
};

const skipped = (reason: string): RealServerBuild => ({ kind: 'skipped', reason });
const pythonIn = (cache: string): string => join(cache, 'venv', 'bin', 'python');
const modelIn = (cache: string): string => join(cache, 'model.gguf');

const VERSION = '0.3.36';
const PACKAGE = `llama_cpp_python-${VERSION}`;
const PYTHON_PACKAGES: readonly string[] = [
  ...['gguf==0.19.0', 'numpy', 'jinja2', 'diskcache', 'typing-extensions', 'PyYAML'],
  ...['fastapi', 'uvicorn', 'pydantic-settings', 'sse-starlette', 'starlette-context<0.4'],
];
const CMAKE_OPTIONS: readonly string[] = [
  '-DCMAKE_BUILD_TYPE=Release',
  '-DBUILD_SHARED_LIBS=ON',
  ...['CURL', 'OPENSSL', 'BUILD_TESTS', 'BUILD_EXAMPLES', 'BUILD_UI', 'USE_PREBUILT_UI'].map(
    name => `-DLLAMA_${name}=OFF`,
  ),
  '-DGGML_OPENMP=OFF',
];
/** Of steps that leave half of what they make behind when they are stopped. */
const DONE_MARK = '.done';
const HOST = '127.0.0.1';
/** Of both, so that they can be compared; one processor is the client's. */
const SIZED_THREADS = '1';
const START_MS_MAX = 60_000;
