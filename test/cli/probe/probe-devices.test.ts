import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { lockDevices } from '../../../src/probe/device-lock.ts';
import { type StandInTools, standInTools } from '../../gather/stand-in-tools.ts';
import { buildStubDriver, NO_COMPILER } from '../../probe/gpu/stub-driver.ts';
import { isLongRun } from '../../support/counts.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { documentFaults } from '../../support/published-schema.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const INVENTORY = fileURLToPath(
  new URL('../../fixtures/nvidia-smi/inventory-h100-single.xml', import.meta.url),
);
const DEVICE_ID = /<uuid>(GPU-[^<]+)</.exec(readFileSync(INVENTORY, 'utf8'))?.[1] ?? '';
/** Of a machine that other tests load. */
const PROCESSOR_MS = 120_000;

let tools: StandInTools;
beforeEach(() => {
  tools = standInTools();
});
afterEach(() => tools[Symbol.dispose]());

/** A machine with one NVIDIA GPU: its tool and its driver library are stand-ins. Undefined without a C compiler. */
const withGpu = (): Readonly<Record<string, string>> | undefined => {
  copyFileSync(INVENTORY, join(tools.folder, 'nvidia-smi.out'));
  tools.script('nvidia-smi', 'cat "$HERE/nvidia-smi.out"');
  const stub = buildStubDriver(tools.folder);
  return stub === undefined
    ? undefined
    : { PATH: `${tools.folder}:/usr/bin:/bin`, LD_LIBRARY_PATH: tools.folder };
};

const hasRealGpu = process.platform === 'darwin';

describe('plimsoll probe gpu', { timeout: PROCESSOR_MS }, () => {
  test('measures every GPU and reports figures and method', async context => {
    const env = withGpu();
    if (env === undefined) context.skip(NO_COMPILER);
    const run = madeUpProcess(['probe', 'gpu', '--device', DEVICE_ID], { env: env ?? {} });
    expect(await run.run()).toBe(EXIT_CODES.ok.code);
    expect(run.stdout.text).toContain(`Stub 100 GB (${DEVICE_ID}), by cuda`);
    // 2 × 4096³ in a millisecond of the stand-in; 60 MiB each way in one.
    expect(run.stdout.text).toMatch(/FP16 matrix product {2}137\sTFLOPS/);
    expect(run.stdout.text).toMatch(/memory, read {9}62\.9\sGB\/s/);
    expect(run.stdout.text).toMatch(/memory, copy {9}126\sGB\/s/);
    expect(run.stdout.text).toContain('product: cuBLASLt 130101, FP16 with FP32 sums, 4096×4096');
  });

  test('reports the same as JSON', async context => {
    const env = withGpu();
    if (env === undefined) context.skip(NO_COMPILER);
    const run = madeUpProcess(['probe', 'gpu', '--json'], { env: env ?? {} });
    await run.run();
    const document = JSON.parse(run.stdout.text);
    expect(await documentFaults(document)).toEqual([]);
    const { devices } = document;
    expect(devices[0]).toMatchObject({
      device: { deviceId: DEVICE_ID, vendor: 'nvidia' },
      outcome: {
        kind: 'measured',
        measurement: { engine: 'cuda', fp16FlopsPerSecond: 2 * 4096 ** 3 * 1_000 },
      },
    });
  });

  test('ends with a code of its own, and every reason, where a device cannot be measured', async context => {
    const env = withGpu();
    if (env === undefined) context.skip(NO_COMPILER);
    const run = madeUpProcess(['probe', 'gpu', '--device', DEVICE_ID], {
      env: { ...env, STUB_FAIL: 'cuInit=999', VK_DRIVER_FILES: '/nowhere', VK_ICD_FILENAMES: '/nowhere' },
    });
    expect(await run.run()).toBe(EXIT_CODES.probeFailed.code);
    expect(run.stdout.text).toMatch(/not measured: cuda: cuInit: .*reload nvidia_uvm.*; webgpu: /);
  });

  test('refuses another device, and names those it has', async context => {
    const env = withGpu();
    if (env === undefined) context.skip(NO_COMPILER);
    const run = madeUpProcess(['probe', 'gpu', '--device', 'GPU-2'], { env: env ?? {} });
    expect(await run.run()).toBe(EXIT_CODES.usage.code);
    expect(run.stderr.text).toContain('this machine has no device "GPU-2"');
    expect(run.stderr.text).toContain(`${DEVICE_ID} (`);
    expect(run.stderr.text).toContain('cpu (CPU)');
  });

  test(
    'of a machine without a GPU reports who was asked, and measures its processor',
    async context => {
      if (!isLongRun) context.skip('measures the processor: in the long run');
      if (hasRealGpu) context.skip('this machine has a GPU');
      const run = madeUpProcess(['probe', 'gpu'], { env: { PATH: '/nowhere' } });
      const code = await run.run();
      if (!run.stdout.text.startsWith('No GPU on this machine.')) context.skip('this machine has a GPU');
      expect(code).toBe(EXIT_CODES.ok.code);
      expect(run.stdout.text).toContain('nvidia: no NVIDIA GPU (nvidia-smi)');
      expect(run.stdout.text).toMatch(/\(cpu\), by cpu\n/);
      expect(run.stdout.text).toContain(
        'FP16 matrix product  unknown: processors are measured in single precision',
      );
      expect(run.stdout.text).toMatch(/FP32 matrix product {2}≥ [\d.]+\s[GT]FLOPS/);
      expect(run.stdout.text).toMatch(/memory, read {9}[\d.]+\s[GT]B\/s/);
    },
    PROCESSOR_MS,
  );
});

test.each([['gpu'], ['memory']])(
  'plimsoll probe %s does not measure while the daemon of the home does',
  async what => {
    using home = temporaryDirectory();
    const lock = lockDevices(home.path, { who: 'the daemon', pid: 4_711, what: 'NVIDIA GB10' });
    const run = madeUpProcess(['probe', what, '--home', home.path]);
    expect(await run.run()).toBe(EXIT_CODES.probeFailed.code);
    expect(run.stdout.text).toBe('');
    expect(run.stderr.text).toContain(
      'NVIDIA GB10 is being measured by the daemon (process 4711): two at once would measure each other',
    );
    if (lock.kind === 'held') lock.lock[Symbol.dispose]();
  },
);

describe('plimsoll probe memory', () => {
  test(
    'reports read and copy of all processors with every round',
    async context => {
      if (!isLongRun) context.skip('only in npm run test:long: the probe is tested by itself');
      const run = madeUpProcess(['probe', 'memory', '--json']);
      expect(await run.run()).toBe(EXIT_CODES.ok.code);
      const reported = JSON.parse(run.stdout.text);
      expect(await documentFaults(reported)).toEqual([]);
      expect(reported.readRounds).toHaveLength(5);
      expect(reported.copyRounds).toHaveLength(5);
      // Between the slowest machine that runs Node and the fastest memory there is.
      expect(reported.readBytesPerSecond).toBeGreaterThan(1e8);
      expect(reported.readBytesPerSecond).toBeLessThan(1e13);
    },
    PROCESSOR_MS,
  );
});
