import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, type TestContext, test } from 'vitest';
import { webgpuEngine } from '../../../src/probe/gpu/webgpu/webgpu-engine.ts';
import { COPY_SHADER, GEMV_SHADER, READ_SHADER } from '../../../src/probe/gpu/webgpu/webgpu-memory.ts';
import { productShader } from '../../../src/probe/gpu/webgpu/webgpu-product.ts';
import type { ProbeDevice } from '../../../src/probe/probe.ts';
import type { Env } from '../../../src/process/child.ts';
import { childEnv } from '../../support/child-env.ts';
import { isLongRun } from '../../support/counts.ts';

const DEVICE: ProbeDevice = { deviceId: '0000:c1:00.0', deviceName: 'AMD Radeon RX 7900 XTX', vendor: 'amd' };

/** Debian's Chromium brings a Vulkan that computes on the processor, and a loader for it. */
const CHROMIUM = '/usr/lib/chromium';
const ICD = `${CHROMIUM}/vk_swiftshader_icd.json`;
const SOFTWARE: Env = { LD_LIBRARY_PATH: CHROMIUM, VK_ICD_FILENAMES: ICD, VK_DRIVER_FILES: ICD };

const requirePackage = (context: TestContext): void => {
  try {
    createRequire(import.meta.url).resolve('webgpu');
  } catch {
    context.skip('the package webgpu is not installed for this platform');
  }
};

const measure = (env: Env, allowsSoftware: boolean) =>
  webgpuEngine({
    env: { ...childEnv, ...env },
    nodePath: process.execPath,
    settings: {
      allowsSoftware,
      productSizes: [128],
      bufferBytesMax: 32 * 1024 ** 2,
      gemvBytesMax: 1024 ** 2,
      warmUpMs: 1,
      batchMs: 1,
      batches: 1,
    },
  }).measure(DEVICE, new AbortController().signal);

describe('a GPU with Vulkan, Metal or D3D12', () => {
  test('is measured by shaders whose results are checked', async context => {
    if (!isLongRun) context.skip('a GPU that is computed on the processor: in npm run test:long');
    requirePackage(context);
    if (!existsSync(ICD)) context.skip(`there is no ${ICD}: Debian's chromium brings it`);
    const outcome = await measure(SOFTWARE, true);
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    expect(outcome.measurement).toMatchObject({
      deviceId: DEVICE.deviceId,
      deviceKind: 'gpu',
      engine: 'webgpu',
      isLowerBound: true,
      fp16FlopsPerSecond: { kind: 'unknown', reason: 'this adapter has no half precision (shader-f16)' },
      fp32FlopsPerSecond: expect.any(Number),
      memoryReadBytesPerSecond: expect.any(Number),
      memoryCopyBytesPerSecond: expect.any(Number),
      memoryGemvBytesPerSecond: expect.any(Number),
    });
    expect(outcome.measurement.method).toContain('product by WGSL in f32 with f32 sums, 128×128');
    expect(outcome.measurement.method).toContain('32 MiB each');
  });

  test('is never mistaken for a software adapter, whose figures are those of the processor', async context => {
    requirePackage(context);
    if (!existsSync(ICD)) context.skip(`there is no ${ICD}: Debian's chromium brings it`);
    expect(await measure(SOFTWARE, false)).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^WebGPU finds no adapter of amd; it finds: .*\(software\)$/),
    });
  });

  test('without a driver fails with what is missing', async context => {
    requirePackage(context);
    if (existsSync('/dev/dri/renderD128') || process.platform !== 'linux')
      context.skip('there is a GPU here');
    const outcome = await measure({ VK_ICD_FILENAMES: '/nowhere', VK_DRIVER_FILES: '/nowhere' }, false);
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(
        /^WebGPU finds no adapter: its driver \(Vulkan, Metal or D3D12\) is not installed/,
      ),
    });
  });
});

describe('the shaders', () => {
  test('are valid WGSL', async context => {
    requirePackage(context);
    const entry = fileURLToPath(new URL('./validate-shader-process.ts', import.meta.url));
    const shaders = {
      'product in half precision': productShader('f16', 4_096).code,
      'product in single precision': productShader('f32', 4_096).code,
      read: READ_SHADER,
      copy: COPY_SHADER,
      'product with a vector': GEMV_SHADER,
      'none at all': 'nonsense',
    };
    const { stdout } = await promisify(execFile)(process.execPath, [entry, JSON.stringify(shaders)]);
    expect(JSON.parse(stdout)).toEqual({
      ...Object.fromEntries(Object.keys(shaders).map(name => [name, 'valid'])),
      'none at all': expect.stringContaining('error'),
    });
  });
});
