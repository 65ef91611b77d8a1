import { expect, test } from 'vitest';
import {
  CALIBRATION_SCHEMA,
  type Calibration,
  calibrationNotice,
  resolvedWithin,
  staleBecause,
} from '../../../src/core/run/calibration.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { calibrationFromJson, calibrationToJson } from '../../../src/wire/calibration-schema.ts';

const step = (streams: number, ttftP99: number, gapP99: number) => ({
  streams,
  chunksPerSecond: 100 * streams,
  ttftErrorNs: { p50: 1_000, p99: ttftP99 },
  gapErrorNs: { p50: 1_000, p99: gapP99 },
  networkNs: unknown('loopback has none'),
  boundNs: 300_000,
});

const rate = (requestsPerSecond: number, achievedPerSecond: number, p99: number) => ({
  requestsPerSecond,
  achievedPerSecond,
  sendLatenessNs: { p50: 1_000, p99 },
});

const calibration: Calibration = {
  schema: CALIBRATION_SCHEMA,
  madeAt: '2026-11-23T02:00:00.000Z',
  machine: { kernel: 'linux 6.1', node: '24.1.0', cpu: 'x', cores: 2, governor: 'performance', load: 0.2 },
  target: 'loopback',
  stamps: { by: 'kernel' },
  clock: null,
  streams: [step(1, 200_000, 100_000), step(10, 300_000, 900_000), step(100, 400_000, 4_000_000)],
  rates: [rate(100, 100, 200_000), rate(1_000, 999, 900_000), rate(5_000, 3_000, 100_000)],
};

test('a calibration resolves what both errors of TTFT and gaps keep within, and rates that were reached', () => {
  expect(resolvedWithin(calibration, 300_000)).toEqual({ streams: 1, requestsPerSecond: 100 });
  expect(resolvedWithin(calibration, 1_000_000)).toEqual({ streams: 10, requestsPerSecond: 1_000 });
  expect(resolvedWithin(calibration, 50_000)).toEqual({ streams: 0, requestsPerSecond: 0 });
});

test('a calibration is stale on another kernel, Node, governor, or next to other work, and reports it where runs cite it', () => {
  const { machine } = calibration;
  expect(staleBecause(calibration, { ...machine, load: 1.1, governor: unknown('not reported') })).toEqual([]);
  expect(calibrationNotice(calibration, machine).replaceAll(/\s/g, ' ')).toBe(
    'calibrated on 2026-11-23 with timestamps by the kernel: within 1 ms at p99 up to 10 streams and 1 000 requests/s',
  );
  expect(
    staleBecause(calibration, { ...machine, kernel: 'linux 6.2', governor: 'powersave', load: 1.3 }),
  ).toEqual([
    'the kernel was linux 6.1 and is linux 6.2',
    'the frequency governor was performance and is powersave',
    'the load was 0.2 and is 1.3',
  ]);
  expect(calibrationNotice(calibration, { ...machine, node: '25.0.0' })).toContain(
    'is stale: Node was 24.1.0 and is 25.0.0; plimsoll calibrate makes a new one',
  );
});

test('a kept calibration comes back as it was, and what is none is not taken for one', () => {
  expect(calibrationFromJson(calibrationToJson(calibration))).toEqual(calibration);
  for (const json of ['', '{}', '{"schema":"plimsoll.calibration/2"}', '['.repeat(10_000)])
    expect(calibrationFromJson(json)).toBeUndefined();
});
