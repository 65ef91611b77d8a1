// The device probe against PyTorch, if this machine has an NVIDIA device and a Python with torch; interleaved.
// Devices of other engines print their figures for the record. Without any device there is nothing to compare, and
// one line states it.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gpuInventory } from '../src/cli/probe/probe-devices.ts';
import { isUnknown, type Reported } from '../src/core/unknown.ts';
import { deviceProber, listProbeDevices } from '../src/probe/gpu/probe-device.ts';
import type { DeviceMeasurement, ProbeDevice } from '../src/probe/probe.ts';
import { median, printRow, spread } from './bench-row.ts';

const TURNS = 5;
const { signal } = new AbortController();

const inventory = await gpuInventory({
  platform: process.platform,
  env: process.env,
  plimsollVersion: 'benchmark',
  signal,
});
const probe = deviceProber({ env: process.env, nodePath: process.execPath });
const [device] = listProbeDevices(inventory.gpus).filter(({ vendor }) => vendor !== 'cpu');

if (device === undefined) {
  process.stdout.write('skipped: this machine has no GPU\n');
} else {
  await compare(device);
}

async function compare(subject: ProbeDevice): Promise<void> {
  const ours: DeviceMeasurement[] = [];
  const theirs: TorchFigures[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const outcome = await probe(subject, signal);
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    ours.push(outcome.measurement);
    if (subject.vendor !== 'nvidia') continue;
    const torch = await torchFigures(subject);
    if (typeof torch === 'string') process.stdout.write(`no comparison: ${torch}\n`);
    else theirs.push(torch);
  }
  const name = `${subject.deviceName}, ${ours[0]?.engine}`;
  print(
    `${name}: FP16 product`,
    'FLOP/s',
    knownOf(ours, 'fp16FlopsPerSecond'),
    theirs.map(figures => figures.flopsPerSecond),
  );
  print(
    `${name}: memory copy`,
    'B/s',
    knownOf(ours, 'memoryCopyBytesPerSecond'),
    theirs.map(figures => figures.copyBytesPerSecond),
  );
  print(`${name}: memory read`, 'B/s', knownOf(ours, 'memoryReadBytesPerSecond'), []);
}

interface TorchFigures {
  readonly flopsPerSecond: number;
  readonly copyBytesPerSecond: number;
}

/** Or why there are none. */
async function torchFigures({ deviceId }: ProbeDevice): Promise<TorchFigures | string> {
  const script = fileURLToPath(new URL('./torch-device.py', import.meta.url));
  const env = { ...process.env, CUDA_VISIBLE_DEVICES: deviceId };
  const { stdout } = await promisify(execFile)('python3', [script], { env });
  const reported: { missing?: string } & TorchFigures = JSON.parse(stdout);
  return reported.missing ?? reported;
}

function knownOf(
  measurements: readonly DeviceMeasurement[],
  figure: 'fp16FlopsPerSecond' | 'memoryCopyBytesPerSecond' | 'memoryReadBytesPerSecond',
): readonly number[] {
  return measurements.flatMap(measurement => {
    const value: Reported<number> = measurement[figure];
    if (!isUnknown(value)) return [value];
    process.stdout.write(`${figure}: ${value.reason}\n`);
    return [];
  });
}

function print(what: string, unit: string, ours: readonly number[], theirs: readonly number[]): void {
  if (ours.length === 0) return;
  printRow({
    what,
    figure: median(ours),
    unit,
    reach: theirs.length === 0 ? { kind: 'none' } : { kind: 'at-least', value: 0.97 * median(theirs) },
    method: `${spread(ours, 0)}${theirs.length === 0 ? '' : `; PyTorch ${median(theirs).toPrecision(4)}, ratio ${(median(ours) / median(theirs)).toFixed(3)}`}, interleaved`,
  });
}
