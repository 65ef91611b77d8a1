import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { isUnknown } from '../../../src/core/unknown.ts';
import { findCublasLt } from '../../../src/native/cublas-search.ts';
import { cudaEngine } from '../../../src/probe/gpu/cuda/cuda-engine.ts';
import type { ProbeDevice } from '../../../src/probe/probe.ts';
import type { Env } from '../../../src/process/child.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import { buildStubDriver, NO_COMPILER, type StubDriver } from './stub-driver.ts';

const DEVICE: ProbeDevice = {
  deviceId: 'GPU-00010203-0405-0607-0809-0a0b0c0d0e0f',
  deviceName: 'Stub 100 GB',
  vendor: 'nvidia',
};

let folders: readonly TemporaryDirectory[] = [];
let whole: StubDriver | undefined;
let withoutCublas: StubDriver | undefined;

beforeAll(() => {
  const [first, second] = [temporaryDirectory(), temporaryDirectory()];
  folders = [first, second];
  whole = buildStubDriver(first.path);
  withoutCublas = buildStubDriver(second.path, { cublas: false });
});
afterAll(() => {
  for (const folder of folders) folder[Symbol.dispose]();
});

interface Trial {
  readonly env?: Env;
  readonly stub?: StubDriver | undefined;
  readonly device?: ProbeDevice;
  readonly deadlineMs?: number;
}

const measure = async (
  context: TestContext,
  { env = {}, stub = whole, device = DEVICE, deadlineMs = 25_000 }: Trial = {},
) => {
  if (stub === undefined) context.skip(NO_COMPILER);
  const engine = cudaEngine({
    // As little as is measured at all: the stand-in copies with the processor.
    env: { ...stub?.env, STUB_FREE_MIB: '288', ...env },
    nodePath: process.execPath,
    deadlineMs,
    request: deviceId => ({
      deviceId,
      productSizes: [128],
      gemvBytes: 4 * 1024 ** 2,
      batches: { warmUpMs: 3, batchMs: 2, batches: 2 },
    }),
  });
  return await engine.measure(device, new AbortController().signal);
};

const reasonOf = async (context: TestContext, trial: Trial): Promise<string> => {
  const outcome = await measure(context, trial);
  if (outcome.kind === 'measured') throw new Error('it was measured');
  return outcome.reason;
};

/** Counted by the stand-in: each launch, copy and product takes a millisecond. */
const PATTERN = 256 * 16_384;
const BUFFER = 9 * PATTERN; // an eighth of 288 MiB in whole patterns, an odd number of them

/** Found, and given up before anything is measured. */
const NO_MEMORY = { STUB_FAIL: 'cuMemAlloc_v2=2' };

describe('a device of NVIDIA', () => {
  test('is measured by driver and cuBLAS, in figures that follow from bytes, operations and time, and gives back all it took but its context', async context => {
    const log = join(folders[0]?.path ?? '', 'calls');
    const outcome = await measure(context, { env: { STUB_LOG: log } });
    expect(outcome).toEqual({
      kind: 'measured',
      measurement: {
        deviceId: DEVICE.deviceId,
        deviceName: 'Stub 100 GB',
        deviceKind: 'gpu',
        engine: 'cuda',
        fp16FlopsPerSecond: 2 * 128 ** 3 * 1_000,
        fp32FlopsPerSecond: { kind: 'unknown', reason: 'measured in half precision' },
        memoryReadBytesPerSecond: BUFFER * 1_000,
        memoryCopyBytesPerSecond: 2 * BUFFER * 1_000,
        memoryGemvBytesPerSecond: 4 * 1024 ** 2 * 1_000,
        int8OperationsPerSecond: 2 * 128 ** 3 * 1_000,
        fp8FlopsPerSecond: 2 * 128 ** 3 * 1_000,
        isLowerBound: false,
        method:
          'product: cuBLASLt 130101, FP16 with FP32 sums, 128×128, best of 2 batches; product: cuBLASLt 130101, INT8 with INT32 sums, 128×128, best of 2 batches; product: cuBLASLt 130101, FP8 (E4M3) with FP32 sums, 128×128, best of 2 batches; memory: read by a PTX kernel, copy by cuMemcpyDtoD (read plus written), 36 MiB each, best of 2 batches; GEMV: cuBLASLt, FP16, 256×8192',
      },
    });
    // The context ends with the child.
    const calls = readFileSync(log, 'utf8').trim().split('\n');
    const count = (name: string) => calls.filter(call => call === name).length;
    expect(count('cuMemAlloc_v2')).toBe(19);
    expect(count('cuMemFree_v2')).toBe(19);
    expect(count('cuEventCreate')).toBe(count('cuEventDestroy_v2'));
    expect(calls.slice(0, 2)).toEqual(['cuInit', 'cuDriverGetVersion']);
  });

  test('is found by its PCI address as nvidia-smi writes it', async context => {
    const device = { ...DEVICE, deviceId: '00000000:c1:00.0' };
    expect(await reasonOf(context, { device, env: NO_MEMORY })).toContain('too little device memory is free');
  });

  test('without an address of its own is the only one there is', async context => {
    const device = { ...DEVICE, deviceId: 'tegra-0' };
    expect(await reasonOf(context, { device, env: NO_MEMORY })).toContain('too little device memory is free');
  });

  test('that the driver does not list is not mistaken for another', async context => {
    const reason = await reasonOf(context, { device: { ...DEVICE, deviceId: '0000:01:00.0' } });
    expect(reason).toContain('the driver has no device 0000:01:00.0; it has: GPU-00010203');
  });

  test('without FP8 units has every other figure, and reports why not this one', async context => {
    const outcome = await measure(context, { env: { STUB_WITHOUT_FP8: '1' } });
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    const { fp8FlopsPerSecond: fp8, int8OperationsPerSecond: int8 } = outcome.measurement;
    expect(int8).toBe(2 * 128 ** 3 * 1_000);
    expect(isUnknown(fp8) && fp8.reason).toContain('this cuBLAS does not support the product');
  });

  test('without cuBLAS has its memory measured, and the profile reports what to install', async context => {
    const { candidates } = findCublasLt({
      env: { PATH: '/usr/bin:/bin' },
      userId: undefined,
      driverVersion: 13_000,
      root: '/',
    });
    if (candidates.some(({ library }) => library.includes('/'))) context.skip('a real cuBLAS is installed');
    const outcome = await measure(context, { stub: withoutCublas });
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    const { fp16FlopsPerSecond: flops, memoryReadBytesPerSecond: read } = outcome.measurement;
    expect(read).toBe(BUFFER * 1_000);
    expect(isUnknown(flops) && flops.reason).toBe(
      'no cuBLAS is on this machine: install cuBLAS: pip install nvidia-cublas in the Python on PATH, or the CUDA toolkit',
    );
  });

  test.for<readonly [string, string]>([
    ['cuInit=100', 'cuInit: the driver sees no device; in a container, give it one (CUDA_ERROR_NO_DEVICE)'],
    ['cuInit=34', "take the toolkit's stubs folder off the library path"],
    ['cuInit=999', 'reload nvidia_uvm'],
    ['cuInit=803', 'reboot after the driver update'],
    ['cuInit=802', 'start the fabric manager'],
    ['cuDevicePrimaryCtxRetain=46', 'the device is busy or not available to this process'],
    [
      'cuMemAlloc_v2=2',
      'too little device memory is free; another program uses it (CUDA_ERROR_OUT_OF_MEMORY)',
    ],
    ['cuEventSynchronize=719', 'the kernel failed on the device and the process cannot continue'],
  ])('that answers %s fails with words of its own', async ([fail, reason], context) => {
    expect(await reasonOf(context, { env: { STUB_FAIL: fail } })).toContain(reason);
  });

  test('whose driver cannot compile is copied on all the same', async context => {
    const outcome = await measure(context, { env: { STUB_FAIL: 'cuModuleLoadDataEx=222' } });
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    const { memoryReadBytesPerSecond: read, memoryCopyBytesPerSecond: copy } = outcome.measurement;
    expect(copy).toBe(2 * BUFFER * 1_000);
    expect(isUnknown(read) && read.reason).toBe(
      'cuModuleLoadDataEx: the driver is older than our kernel: update it (CUDA_ERROR_OF_THE_STUB): ptxas fatal: a made-up complaint',
    );
  });

  test('whose cuBLAS refuses reports it next to the figures of its memory', async context => {
    const outcome = await measure(context, { env: { STUB_FAIL: 'cublasLtCreate=1' } });
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    const { fp16FlopsPerSecond: flops } = outcome.measurement;
    expect(isUnknown(flops) && flops.reason).toContain('cublasLtCreate: cuBLAS could not start');
  });

  test.for([
    ['read', ['memoryReadBytesPerSecond'], 'the read kernel did not read every byte once'],
    [
      'product',
      ['fp16FlopsPerSecond', 'int8OperationsPerSecond', 'fp8FlopsPerSecond', 'memoryGemvBytesPerSecond'],
      'the result is wrong at 0, 0',
    ],
  ] as const)('that makes a wrong %s has no figure for it', async ([lie, figures, reason], context) => {
    const outcome = await measure(context, { env: { STUB_LIE: lie } });
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    for (const figure of figures) {
      const value = outcome.measurement[figure];
      expect(isUnknown(value) && value.reason).toContain(reason);
    }
  });

  test('in a prohibited compute mode reports how to leave it', async context => {
    expect(await reasonOf(context, { env: { STUB_COMPUTE_MODE: '2' } })).toContain('nvidia-smi -c 0');
  });

  test('that is nearly full is not measured, and reports how little was free', async context => {
    expect(await reasonOf(context, { env: { STUB_FREE_MIB: '20' } })).toContain(
      'only 20 MiB of device memory are free',
    );
  });

  test('whose driver hangs is given up at the deadline', async context => {
    expect(await reasonOf(context, { env: { STUB_HANG: 'cuInit' }, deadlineMs: 1_500 })).toBe(
      'cuda gave no answer in 1.5 s',
    );
  });

  test('whose driver crashes the process is reported with the signal', async context => {
    expect(await reasonOf(context, { env: { STUB_CRASH: 'cuMemAlloc_v2' } })).toContain(
      'cuda was killed by SIGSEGV',
    );
  });

  test('cannot be measured without foreign calls, and reports it', async context => {
    expect(await reasonOf(context, { env: { PLIMSOLL_FFI: 'off' } })).toBe('PLIMSOLL_FFI=off');
  });

  test('of a machine without the driver library fails with its name', async context => {
    const reason = await reasonOf(context, { env: { LD_LIBRARY_PATH: undefined } });
    expect(reason).toContain('the NVIDIA driver library libcuda.so.1 cannot be loaded');
  });
});
