import { describe, expect, test } from 'vitest';
import type { GpuDevice, NodeGpus } from '../../../src/core/node/gpu.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { type DeviceEngine, outcomeOf } from '../../../src/probe/gpu/device-answer.ts';
import {
  CPU_DEVICE,
  deviceEngines,
  listProbeDevices,
  proberOf,
} from '../../../src/probe/gpu/probe-device.ts';
import type { DeviceMeasurement, ProbeDevice, ProbeOutcome } from '../../../src/probe/probe.ts';

const gpu = (deviceId: string, name: string): GpuDevice => ({
  deviceId,
  index: 0,
  name,
  memoryTotalBytes: 1,
  memoryIsUnified: false,
  driver: unknown('test'),
  runtime: unknown('test'),
  architecture: unknown('test'),
  coreCount: unknown('test'),
  pcieMax: unknown('test'),
  powerLimitWatts: unknown('test'),
  partitions: [],
});

const device = (vendor: ProbeDevice['vendor']): ProbeDevice => ({
  deviceId: 'GPU-1',
  deviceName: 'A device',
  vendor,
});

const MEASUREMENT: DeviceMeasurement = {
  deviceId: 'GPU-1',
  deviceName: 'A device',
  deviceKind: 'gpu',
  engine: 'second',
  fp16FlopsPerSecond: 1e12,
  fp32FlopsPerSecond: unknown('measured in half precision'),
  memoryReadBytesPerSecond: 1e11,
  memoryCopyBytesPerSecond: 1e11,
  memoryGemvBytesPerSecond: 1e11,
  int8OperationsPerSecond: unknown('not measured'),
  fp8FlopsPerSecond: unknown('not measured'),
  isLowerBound: true,
  method: 'made up',
};

const engine = (
  name: string,
  outcome: ProbeOutcome<DeviceMeasurement>,
  requested: string[],
): DeviceEngine => ({
  name,
  suits: ({ vendor }) => vendor !== 'cpu',
  measure: async () => {
    requested.push(name);
    return outcome;
  },
});

const failure = (reason: string): ProbeOutcome<DeviceMeasurement> => ({
  kind: 'failed',
  reason,
  bytesUsed: 0,
});
const { signal } = new AbortController();

describe('the devices of a node', () => {
  test('are those of every vendor', () => {
    const gpus: readonly NodeGpus[] = [
      { vendor: 'nvidia', devices: [gpu('GPU-1', 'One'), gpu('GPU-2', 'Two')] },
      { vendor: 'amd', devices: [] },
      { vendor: 'intel', devices: [gpu('0000:03:00.0', 'Arc')] },
    ];
    expect(listProbeDevices(gpus)).toEqual([
      { deviceId: 'GPU-1', deviceName: 'One', vendor: 'nvidia' },
      { deviceId: 'GPU-2', deviceName: 'Two', vendor: 'nvidia' },
      { deviceId: '0000:03:00.0', deviceName: 'Arc', vendor: 'intel' },
    ]);
  });

  test('are its processor alone where there is no GPU', () => {
    expect(listProbeDevices([])).toEqual([CPU_DEVICE]);
    expect(listProbeDevices([{ vendor: 'nvidia', devices: [] }])).toEqual([CPU_DEVICE]);
  });

  test.each([
    ['nvidia', ['cuda', 'webgpu']],
    ['apple', ['mlx', 'webgpu']],
    ['amd', ['webgpu']],
    ['intel', ['webgpu']],
    ['cpu', ['cpu']],
  ] as const)('of %s are measured by %j, in this order', (vendor, names) => {
    const engines = deviceEngines({ env: {}, nodePath: '' });
    expect(engines.filter(candidate => candidate.suits(device(vendor))).map(({ name }) => name)).toEqual(
      names,
    );
  });
});

describe('a device', () => {
  test('is measured by the first engine that can, and by no further one', async () => {
    const requested: string[] = [];
    const measured: ProbeOutcome<DeviceMeasurement> = { kind: 'measured', measurement: MEASUREMENT };
    const probe = proberOf([
      engine('first', failure('no driver'), requested),
      engine('second', measured, requested),
      engine('third', measured, requested),
    ]);
    expect(await probe(device('amd'), signal)).toBe(measured);
    expect(requested).toEqual(['first', 'second']);
  });

  test('that no engine can measure has every reason in its failure', async () => {
    const probe = proberOf([
      engine('first', failure('no driver'), []),
      engine('second', failure('too old'), []),
    ]);
    expect(await probe(device('amd'), signal)).toEqual(failure('first: no driver; second: too old'));
  });

  test('that no engine suits reports it', async () => {
    const probe = proberOf([engine('first', failure('no driver'), [])]);
    expect(await probe(device('cpu'), signal)).toMatchObject({
      reason: 'no tool here measures a device of this processor',
    });
  });
});

describe('what a child reports of a device', () => {
  const known = { deviceId: 'GPU-1', deviceKind: 'gpu', engine: 'cuda' } as const;
  const { deviceId: _, deviceKind: __, engine: ___, ...figures } = MEASUREMENT;
  const reported = (changes: object) =>
    outcomeOf({ kind: 'answered', answer: { kind: 'measured', figures: { ...figures, ...changes } } }, known);

  test('becomes a measurement with what is known of the device', () => {
    expect(reported({})).toEqual({ kind: 'measured', measurement: { ...MEASUREMENT, engine: 'cuda' } });
  });

  test.each([
    ['a figure that is not finite', { fp16FlopsPerSecond: null }],
    ['a figure below nothing', { memoryReadBytesPerSecond: -1 }],
    ['zero instead of unknown', { memoryCopyBytesPerSecond: 0 }],
    ['more than any device does', { fp16FlopsPerSecond: 1e19 }],
    ['an endless method', { method: 'x'.repeat(5_000) }],
    ['a mark that is no mark', { isLowerBound: 'yes' }],
  ])('is not believed with %s', (_name, changes) => {
    expect(reported(changes)).toEqual(failure('cuda printed something unreadable'));
  });

  test('is a failure with its reason, cut to a length that fits a profile', () => {
    const reported = outcomeOf(
      { kind: 'answered', answer: { kind: 'failed', reason: 'y'.repeat(5_000) } },
      known,
    );
    expect(reported.kind === 'failed' && reported.reason.length).toBe(900);
  });
});
