// What a calibration depends on of this machine, and where it is kept.

import { availableParallelism, cpus, loadavg, release } from 'node:os';
import { join } from 'node:path';
import { type CalibratedMachine, type Calibration, calibrationNotice } from '../../core/run/calibration.ts';
import { unknown } from '../../core/unknown.ts';
import { readInputTextSync } from '../../process/input-file.ts';
import { calibrationFromJson } from '../../wire/calibration-schema.ts';

export const calibratedMachine = ({
  nodeVersion,
  platform,
}: {
  readonly nodeVersion: string;
  readonly platform: string;
}): CalibratedMachine => ({
  kernel: `${platform} ${release()}`,
  node: nodeVersion,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  governor: readText(GOVERNOR)?.trim() ?? unknown('not reported by the system'),
  load: platform === 'win32' ? unknown('Windows has no load average') : (loadavg()[0] ?? 0),
});

export const calibrationFile = (home: string): string => join(home, 'calibration.json');

/** undefined where there is none, or none of this version. */
const readCalibration = (home: string): Calibration | undefined => {
  const json = readText(calibrationFile(home));
  return json === undefined ? undefined : calibrationFromJson(json);
};

/** For the notices of a run; empty without a calibration. */
export const citedCalibration = (
  home: string,
  machine: { readonly nodeVersion: string; readonly platform: string },
): readonly string[] => {
  const kept = readCalibration(home);
  return kept === undefined ? [] : [calibrationNotice(kept, calibratedMachine(machine))];
};

const readText = (path: string): string | undefined => {
  try {
    return readInputTextSync(path, 'homeFile');
  } catch {
    // Not there: then it is not known, or never was calibrated.
    return undefined;
  }
};

const GOVERNOR = '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor';
