// The sensors of a device: /sys/class/hwmon below it. Each figure is a numbered file with a label file next to it.

import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { below, type MachinePath } from '../machine-path.ts';
import { sysfsNames, sysfsNumber, sysfsText } from './sysfs-file.ts';

export interface Hwmon {
  readonly path: MachinePath;
  /** File stem ("temp1") by kind and label: "temp junction". Unlabelled ones are found by their stem. */
  readonly stems: ReadonlyMap<string, string>;
}

/** The first sensor folder of a device whose name is one of `names`; undefined if it has none. */
export const findHwmon = async (
  devicePath: MachinePath,
  names: readonly string[],
): Promise<Hwmon | undefined> => {
  const folder = below(devicePath, 'hwmon');
  for (const entry of await sysfsNames(folder)) {
    const path = below(folder, entry);
    const name = await sysfsText(below(path, 'name'));
    if (isUnknown(name) || !names.includes(name)) continue;
    const stems = new Map<string, string>();
    for (const file of await sysfsNames(path)) {
      const label = /^(([a-z]+)\d+)_label$/.exec(file);
      if (label === null) continue;
      const text = await sysfsText(below(path, file));
      if (!isUnknown(text)) stems.set(`${label[2]} ${text}`, label[1] ?? '');
    }
    return { path, stems };
  }
  return undefined;
};

/** A figure of a labelled sensor: `labelled(hwmon, 'temp', 'edge', 'input')`. */
export const labelled = (
  hwmon: Hwmon | undefined,
  kind: string,
  label: string,
  figure: string,
): Promise<Reported<number>> => {
  const stem = hwmon?.stems.get(`${kind} ${label}`);
  return stem === undefined ? Promise.resolve(NO_SENSOR) : numbered(hwmon, `${stem}_${figure}`);
};

/** A figure by its file: "power1_average". */
export const numbered = (hwmon: Hwmon | undefined, file: string): Promise<Reported<number>> =>
  hwmon === undefined ? Promise.resolve(NO_SENSOR) : sysfsNumber(below(hwmon.path, file));

const NO_SENSOR = unknown('no sensor', 'no-sensor');
