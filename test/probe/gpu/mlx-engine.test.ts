import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isUnknown, unknown } from '../../../src/core/unknown.ts';
import { mlxEngine, pythonsOf } from '../../../src/probe/gpu/mlx-engine.ts';
import type { ProbeDevice } from '../../../src/probe/probe.ts';
import type { Env } from '../../../src/process/child.ts';
import { type StandInTools, standInTools } from '../../gather/stand-in-tools.ts';

const DEVICE: ProbeDevice = { deviceId: 'apple-0', deviceName: 'Apple M9', vendor: 'apple' };
const SETTINGS = {
  size: 64,
  turns: 2,
  streamTurns: 2,
  readBytes: 1024 ** 2,
  warmUpSeconds: 0.001,
  passes: 2,
};

let tools: StandInTools;
beforeEach(() => {
  tools = standInTools();
});
afterEach(() => tools[Symbol.dispose]());

interface Trial {
  readonly env?: Env;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** Only the folder of stand-ins has a python3: `/usr/bin` is left out of PATH, and its programs are called by full path. */
const measure = ({ env, deadlineMs, signal = new AbortController().signal }: Trial = {}) =>
  mlxEngine({
    env: { PATH: tools.folder, HOME: tools.folder, ...env },
    nodePath: process.execPath,
    settings: SETTINGS,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  }).measure(DEVICE, signal);

const reasonOf = async (trial: Trial = {}): Promise<string> => {
  const outcome = await measure(trial);
  if (outcome.kind === 'measured') throw new Error('it was measured');
  return outcome.reason;
};

const ANSWER = {
  kind: 'measured',
  deviceName: '',
  version: '0.31.0',
  flopsPerSecond: 23.6e12,
  readBytesPerSecond: 661e9,
  copyBytesPerSecond: { kind: 'unknown', reason: 'RuntimeError: too much' },
  gemvBytesPerSecond: 640e9,
};

describe('an Apple GPU', () => {
  test('is measured by what the script reports in its last line', async () => {
    tools.script('python3', `/bin/cat >/dev/null; echo 'a warning'; echo '${JSON.stringify(ANSWER)}'`);
    expect(await measure()).toEqual({
      kind: 'measured',
      measurement: {
        deviceId: 'apple-0',
        deviceName: 'Apple M9',
        deviceKind: 'gpu',
        engine: 'mlx',
        fp16FlopsPerSecond: 23.6e12,
        fp32FlopsPerSecond: { kind: 'unknown', reason: 'measured in half precision' },
        memoryReadBytesPerSecond: 661e9,
        memoryCopyBytesPerSecond: { kind: 'unknown', reason: 'RuntimeError: too much' },
        memoryGemvBytesPerSecond: 640e9,
        int8OperationsPerSecond: unknown('MLX multiplies weights of 8 bits in half precision'),
        fp8FlopsPerSecond: unknown('MLX multiplies weights of 8 bits in half precision'),
        isLowerBound: false,
        method: expect.stringContaining('MLX 0.31.0: FP16 product 64×64'),
      },
    });
  });

  test('without a Python that has MLX reports what to install', async () => {
    expect(await reasonOf()).toContain('install it with: pip install mlx');
    tools.script('python3', `/bin/cat >/dev/null; echo '{"kind":"missing","reason":"No module named mlx"}'`);
    expect(await reasonOf()).toMatch(/no python3 here has MLX; install it with: pip install mlx/);
  });

  test('is measured by a later Python when the first one is broken', async () => {
    tools.script('python3', 'echo "pyenv: python3: command not found" >&2; exit 127');
    const venv = join(tools.folder, 'venv');
    mkdirSync(join(venv, 'bin'), { recursive: true });
    tools.script('good', `/bin/cat >/dev/null; echo '${JSON.stringify(ANSWER)}'`);
    symlinkSync(join(tools.folder, 'good'), join(venv, 'bin/python3'));
    const env = { PATH: `${tools.folder}:${join(venv, 'bin')}` };
    expect(await measure({ env })).toMatchObject({ kind: 'measured' });
  });

  test('whose Python hangs is given up at the deadline, and the Python is killed', async () => {
    tools.script('python3', 'exec /bin/sleep 600');
    expect(await reasonOf({ deadlineMs: 300 })).toContain('gave no answer in 300 ms');
  });

  test('whose Python crashes is reported with the signal', async () => {
    tools.script('python3', 'kill -SEGV $$');
    expect(await reasonOf()).toContain('was killed by SIGSEGV');
  });

  test.for([
    ['words', 'echo "hello there"'],
    ['nothing', 'true'],
    ['numbers that no machine has', `echo '${JSON.stringify({ ...ANSWER, flopsPerSecond: 1e30 })}'`],
    ['less than nothing', `echo '${JSON.stringify({ ...ANSWER, readBytesPerSecond: -5 })}'`],
    ['another shape', `echo '{"kind":"measured"}'`],
  ] as const)('whose Python prints %s is not believed', async ([, body]) => {
    tools.script('python3', `/bin/cat >/dev/null; ${body}`);
    expect(await reasonOf()).toMatch(/something unreadable/);
  });

  test('whose Python floods its output is stopped', async () => {
    tools.script('python3', '/bin/cat /dev/zero');
    expect(await reasonOf()).toContain('printed more than 65536 bytes');
  });

  test('whose probe is cancelled ends at once', async () => {
    tools.script('python3', 'exec /bin/sleep 600');
    const cancelled = new AbortController();
    const outcome = measure({ signal: cancelled.signal });
    cancelled.abort(new Error('no longer wanted'));
    await expect(outcome).rejects.toThrow('no longer wanted');
  });
});

describe('the script of MLX', () => {
  const stub = fileURLToPath(new URL('./stub', import.meta.url));
  const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  const env = (fault: string): Env => ({
    PATH: `${join(python.stdout?.trim() ?? '', '..')}`,
    PYTHONPATH: stub,
    PYTHONDONTWRITEBYTECODE: '1',
    PLIMSOLL_STUB_MLX: fault,
  });

  test('runs under a real Python and measures with the stand-in module', async context => {
    if (python.status !== 0) context.skip('there is no python3');
    const outcome = await measure({ env: env('') });
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    const {
      deviceName,
      fp16FlopsPerSecond: flops,
      memoryGemvBytesPerSecond: gemv,
      method,
    } = outcome.measurement;
    expect(deviceName).toBe('Apple M9 Stub');
    expect(flops).toBeTypeOf('number');
    expect(gemv).toBeTypeOf('number');
    expect(method).toContain('MLX 0.31.0');
  });

  test('gives no figure for a product that is wrong', async context => {
    if (python.status !== 0) context.skip('there is no python3');
    const outcome = await measure({ env: env('wrong') });
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    const { fp16FlopsPerSecond: flops } = outcome.measurement;
    expect(isUnknown(flops) && flops.reason).toBe('ValueError: the product is wrong by 99.0');
  });

  test('gives the product where memory is too little for the stream', async context => {
    if (python.status !== 0) context.skip('there is no python3');
    const outcome = await measure({ env: env('memory') });
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    const { memoryReadBytesPerSecond: read } = outcome.measurement;
    expect(isUnknown(read) && read.reason).toContain('too much');
  });

  test('measures nothing on an MLX without a GPU', async context => {
    if (python.status !== 0) context.skip('there is no python3');
    expect(await reasonOf({ env: env('cpu') })).toBe('MLX has no GPU on this machine');
  });
});

describe('the Pythons that are asked', () => {
  test('are those of the environment, of PATH and of tools that bring MLX, each once', () => {
    const folders = [
      'venv/bin',
      'path',
      '.local/share/uv/tools/mlx-lm/bin',
      '.local/share/uv/tools/ruff/bin',
    ];
    for (const path of folders) {
      mkdirSync(join(tools.folder, path), { recursive: true });
      tools.script(`${path}/python3`, 'true');
    }
    const env = {
      VIRTUAL_ENV: join(tools.folder, 'venv'),
      PATH: `${join(tools.folder, 'path')}:${join(tools.folder, 'venv/bin')}:relative:`,
      HOME: tools.folder,
    };
    const ours = pythonsOf(env).filter(path => path.startsWith(tools.folder));
    expect(ours).toEqual(folders.slice(0, 3).map(path => join(tools.folder, path, 'python3')));
  });
});
