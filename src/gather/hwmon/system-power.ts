// Power of the whole machine, if one sensor is known to measure it: a server's ACPI power meter, the input rail of a
// Jetson, the total of an Apple system controller, or a battery while the machine runs on it.

import { isKnown, type Reported, unknown } from '../../core/unknown.ts';
import { digitsIn, isUnreadable, type MachineFiles, notRead, textOr } from '../machine-files.ts';
import { hardwareMonitors } from './cpu-temperature.ts';

export type PowerSource =
  | { readonly kind: 'power'; readonly path: string; readonly name: string }
  | {
      readonly kind: 'rail';
      readonly millivolts: string;
      readonly milliamperes: string;
      readonly name: string;
    }
  | { readonly kind: 'battery'; readonly folder: string; readonly name: string };

export const findSystemPower = (files: MachineFiles): PowerSource | undefined =>
  findMonitor(files) ?? findBattery(files);

export const readSystemPower = async (
  files: MachineFiles,
  source: PowerSource | undefined,
): Promise<Reported<number>> => {
  if (source === undefined) return unknown('no sensor for the whole machine');
  switch (source.kind) {
    case 'power':
      return await wattsIn(files, source.path, MICRO);
    case 'rail':
      return await productIn(files, source.millivolts, source.milliamperes, MILLI * MILLI);
    case 'battery': {
      const status = textOr(await files.text(`${source.folder}/status`), '');
      if (status !== 'Discharging') return unknown('on AC power, which is not measured');
      const watts = await wattsIn(files, `${source.folder}/power_now`, MICRO);
      if (isKnown(watts)) return watts;
      return await productIn(
        files,
        `${source.folder}/voltage_now`,
        `${source.folder}/current_now`,
        MICRO * MICRO,
      );
    }
    default:
      return source satisfies never;
  }
};

const findMonitor = (files: MachineFiles): PowerSource | undefined => {
  for (const { path, name, attributes } of hardwareMonitors(files)) {
    if (name === 'power_meter') {
      const input = ['power1_average', 'power1_input'].find(attribute => attributes.includes(attribute));
      if (input !== undefined) return { kind: 'power', path: `${path}/${input}`, name };
    }
    for (const attribute of attributes) {
      const label = /^(power|in)(\d+)_label$/.exec(attribute);
      if (label === null) continue;
      const text = textOr(files.textNow(`${path}/${attribute}`), '');
      const [, quantity, number] = label;
      if (quantity === 'power' && text === 'Total System Power') {
        return { kind: 'power', path: `${path}/power${number}_input`, name: `${name} ${text}` };
      }
      if (quantity === 'in' && (text === 'VDD_IN' || text === 'POM_5V_IN')) {
        return {
          kind: 'rail',
          millivolts: `${path}/in${number}_input`,
          milliamperes: `${path}/curr${number}_input`,
          name: `${name} ${text}`,
        };
      }
    }
  }
  return undefined;
};

const findBattery = (files: MachineFiles): PowerSource | undefined => {
  const supplies = files.namesNow('/sys/class/power_supply');
  if (isUnreadable(supplies)) return undefined;
  for (const supply of [...supplies].sort()) {
    const folder = `/sys/class/power_supply/${supply}`;
    if (textOr(files.textNow(`${folder}/type`), '') !== 'Battery') continue;
    // A mouse or a headset has a battery too: its scope is "Device".
    if (textOr(files.textNow(`${folder}/scope`), 'System') !== 'System') continue;
    return { kind: 'battery', folder, name: `battery ${supply}` };
  }
  return undefined;
};

const wattsIn = async (files: MachineFiles, path: string, unit: number): Promise<Reported<number>> => {
  const text = await files.text(path);
  if (isUnreadable(text)) return notRead(text);
  const value = digitsIn(text.trim());
  return value === undefined ? unknown(`${path} is not a number`) : value * unit;
};

const productIn = async (
  files: MachineFiles,
  pathA: string,
  pathB: string,
  unit: number,
): Promise<Reported<number>> => {
  const [a, b] = await Promise.all([wattsIn(files, pathA, 1), wattsIn(files, pathB, 1)]);
  return !isKnown(a) ? a : !isKnown(b) ? b : a * b * unit;
};

const MILLI = 1e-3;
const MICRO = 1e-6;
