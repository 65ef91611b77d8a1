import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { powerByScope } from '../../src/core/run/node-power.ts';
import { unknown } from '../../src/core/unknown.ts';
import { withPowerColumns } from '../../src/metrics/server-columns.ts';
import type { TimeSeries } from '../../src/wire/api/run-answers.ts';
import { encodePowerLines } from '../../src/wire/power-line.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const none = [null, null, null, null];
const PICTURE: TimeSeries = {
  stepMs: 1_000,
  measured: 'ttftNs',
  requestsPerSecond: none,
  outputTokensPerSecond: none,
  inFlight: none,
  failed: none,
  percentilesNs: { 1: none, 10: none, 25: none, 50: none, 75: none, 90: none, 99: none },
};
const gpu = (watts: readonly number[]) => ({
  scope: 'gpu' as const,
  name: 'a GPU',
  readings: watts.map((value, at) => ({ atMs: 1_500 + at * 1_000, watts: value })),
  use: 1,
});

test('what a node drew is read back from its file, summed over devices, and only if all of them reported', async () => {
  using folder = temporaryDirectory();
  const lines = powerByScope(
    [gpu([100, 200, 300]), gpu([1, 2]), { ...gpu([]), scope: 'machine', readings: unknown('no sensor') }],
    { fromMs: 1_000, untilMs: 9_000 },
  );
  const text = encodePowerLines(lines);
  expect(text).toBe('seconds,gpuWatts,processorWatts,machineWatts\n0.500,101.0,,\n1.500,202.0,,\n2.500,,,\n');
  const path = join(folder.path, 'power.csv');
  await writeFile(path, `${text}cut,1\n3.500,7`);
  const { power } = await withPowerColumns(path, PICTURE);
  expect(power).toEqual({ gpu: [101, 202, null, null], processor: none, machine: none });
  const fine = await withPowerColumns(path, { ...PICTURE, stepMs: 500 });
  expect(fine.power?.gpu).toEqual([101, 101, 202, 202]);
});

test('a run without such a file has its picture as it is', async () => {
  using folder = temporaryDirectory();
  expect(await withPowerColumns(join(folder.path, 'power.csv'), PICTURE)).toBe(PICTURE);
});
