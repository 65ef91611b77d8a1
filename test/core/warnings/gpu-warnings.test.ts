import { describe, expect, it } from 'vitest';
import { applyAll } from '../../../src/core/apply.ts';
import type { Event } from '../../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../../src/core/event-kinds.ts';
import { nodeId } from '../../../src/core/ids.ts';
import type { GpuDevice } from '../../../src/core/node/gpu.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { clusterWarnings } from '../../../src/core/warnings/cluster-warnings.ts';
import type { Warning } from '../../../src/core/warnings/warning.ts';

const ATLAS = nodeId('a'.repeat(26));

const warned = (...facts: readonly Fact[]): readonly Warning[] => {
  const events = [GPUS, ...facts].map((fact, at): Event => {
    const head = { origin: ATLAS, epoch: 1, class: eventClass(fact.kind), key: factKey(fact) };
    return { ...head, ...fact, seq: at + 1, ageMs: 0, receivedAtMs: 0 };
  });
  const state = applyAll(EMPTY_STATE, events);
  return clusterWarnings({ state, views: [nodeView(state, ATLAS, 100)], nowMs: 100 });
};

describe('a GPU', () => {
  it('that measures far less than in the last week is warned of, with what it usually does', () => {
    expect(warned(profile(600e9), baseline(1_000e9, 9), loads([]))).toMatchObject([
      {
        id: `week ${ATLAS} gpu-0`,
        level: 'caution',
        title: 'aaaaaaaa: memory bandwidth of GPU 0 is 40% below its median of the last week',
        why: expect.stringContaining('9 measurements'),
        command: 'nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE',
      },
    ]);
  });

  it('that varies a little, has no history or could not be measured is not', () => {
    expect(warned(profile(800e9), baseline(1_000e9, 9), loads([]))).toEqual([]);
    expect(warned(profile(600e9), baseline(1_000e9, 3), loads([]))).toEqual([]);
    expect(warned(profile(600e9, true), baseline(1_000e9, 9), loads([]))).toEqual([]);
  });

  it('that is throttled is warned of once: the clock is the reason', () => {
    const ids = warned(profile(600e9), baseline(1_000e9, 9), loads(['hot'])).map(({ id }) => id);
    expect(ids).toEqual([`throttled ${ATLAS} gpu-0`]);
  });

  it("that draws all of its maker's power limit is not throttled; one whose limit was lowered is", () => {
    const ids = (powerLimitWatts: number) =>
      warned(limited(powerLimitWatts), loads(['SW power cap'])).map(({ id }) => id);
    expect(ids(450)).toEqual([]);
    expect(ids(300)).toEqual([`throttled ${ATLAS} gpu-0`]);
    expect(warned(loads(['SW power cap'])).map(({ id }) => id)).toEqual([`throttled ${ATLAS} gpu-0`]);
  });

  it('whose driver asks for a reset is warned of until it asks for nothing any more', () => {
    const requested = (text: string) => warned(loads([]), logged(154, `GPU recovery action changed ${text}`));
    expect(requested('from 0x0 (None) to 0x1 (GPU Reset Required)')).toMatchObject([
      { id: `gpu xid ${ATLAS} 0000:1b:00 154`, level: 'danger' },
    ]);
    expect(requested('from 0x1 (GPU Reset Required) to 0x0 (None)')).toEqual([]);
  });

  it('that is lost is warned of once, with what the kernel logged of it; errors of other GPUs keep theirs', () => {
    const found = warned(lost('0000:1b:00.0'), logged(79, 'GPU has fallen off the bus.'));
    expect(found).toMatchObject([
      {
        id: `gpu lost ${ATLAS} gpu-1`,
        why: expect.stringContaining('Logged of it: Xid 79: the GPU has fallen off the bus.'),
      },
    ]);
    expect(warned(lost('0000:1b:00.0'), logged(31, 'MMU Fault'))[0]?.why).not.toContain('Logged');
    const ids = warned(lost('0000:1b:01.0'), logged(79, '')).map(({ id }) => id);
    expect(ids).toEqual([`gpu lost ${ATLAS} gpu-1`, `gpu xid ${ATLAS} 0000:1b:00 79`]);
  });
});

const lost = (pciAddress: string): Fact => ({
  kind: 'gpus.gathered',
  payload: {
    source: 'test',
    intervalMs: 30_000,
    value: {
      vendor: 'nvidia',
      devices: [GPU],
      failed: [
        { deviceId: 'gpu-1', name: 'Test GPU', index: 1, pciAddress, state: 'lost', reason: 'Unknown Error' },
      ],
    },
  },
});

const logged = (xid: number, text: string): Fact => ({
  kind: 'gpuErrors.gathered',
  payload: {
    source: 'test',
    intervalMs: 10_000,
    value: { errors: [{ address: '0000:1b:00', xid, count: 1, newestAgeMs: 0, text }] },
  },
});

const GPU = {
  deviceId: 'gpu-0',
  index: 0,
  name: 'Test GPU',
  memoryTotalBytes: 24e9,
  memoryIsUnified: false,
  driver: '1',
  runtime: unknown('not set'),
  architecture: unknown('not set'),
  coreCount: unknown('not set'),
  pcieMax: unknown('not set'),
  powerLimitWatts: 450,
  partitions: [],
} as const;

const gpus = (more: Partial<GpuDevice> = {}): Fact => ({
  kind: 'gpus.gathered',
  payload: {
    source: 'test',
    intervalMs: 30_000,
    value: { vendor: 'nvidia', devices: [{ ...GPU, ...more }] },
  },
});

const GPUS: Fact = gpus();

const limited = (powerLimitWatts: number): Fact => gpus({ powerLimitWatts, powerLimitDefaultWatts: 450 });

const loads = (throttleReasons: readonly string[]): Fact => ({
  kind: 'gpuLoads.gathered',
  payload: {
    source: 'test',
    intervalMs: 1_000,
    value: {
      vendor: 'nvidia',
      devices: [
        {
          deviceId: 'gpu-0',
          use: 0.9,
          memoryUsedBytes: 1e9,
          temperatureCelsius: 60,
          powerWatts: 300,
          clockMhz: 2_400,
          pcieNow: unknown('not set'),
          throttleReasons,
        },
      ],
    },
  },
});

const profile = (memoryReadBytesPerSecond: number, hasFailed = false): Fact => ({
  kind: 'gpu.profiled',
  payload: {
    deviceId: 'gpu-0',
    deviceName: 'Test GPU',
    deviceKind: 'gpu',
    engine: 'cuda',
    fp16FlopsPerSecond: 100e12,
    fp32FlopsPerSecond: 50e12,
    memoryReadBytesPerSecond,
    memoryCopyBytesPerSecond: unknown('not measured'),
    memoryGemvBytesPerSecond: unknown('not measured'),
    int8OperationsPerSecond: unknown('not measured'),
    fp8FlopsPerSecond: unknown('not measured'),
    isLowerBound: false,
    method: 'test',
    measuredAgeMs: 0,
    intervalMs: 3_600_000,
    failure: hasFailed ? unknown('the driver ended the kernel') : 'none',
  },
});

const baseline = (memoryReadBytesPerSecond: number, count: number): Fact => ({
  kind: 'baseline.reported',
  payload: {
    subject: { kind: 'gpu', deviceId: 'gpu-0' },
    windowMs: 7 * 86_400_000,
    spanMs: 6 * 86_400_000,
    count,
    medians: { memoryReadBytesPerSecond },
  },
});
