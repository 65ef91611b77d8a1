// `sysctl name …` prints "name: value" lines and leaves out, with -i, what this machine does not have.

import { type Reported, unknown } from '../../core/unknown.ts';
import { toolLines } from '../tool-lines.ts';

export type SysctlValues = ReadonlyMap<string, string>;

export const parseSysctl = (text: string): SysctlValues => {
  const values = new Map<string, string>();
  for (const line of toolLines(text)) {
    const colon = line.indexOf(': ');
    if (colon > 0)
      values.set(
        line.slice(0, colon).trim(),
        line
          .slice(colon + 2)
          .trim()
          .slice(0, VALUE_LENGTH_MAX),
      );
  }
  return values;
};

/** A whole number as most names give it. */
export const sysctlNumber = (values: SysctlValues, name: string): number | undefined => {
  const text = values.get(name);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
};

export interface SwapUsage {
  readonly totalBytes: Reported<number>;
  readonly usedBytes: Reported<number>;
}

/** vm.swapusage: "total = 10240.00M  used = 9689.94M  free = 550.06M  (encrypted)". M is 2^20 (Apple, sysctl.c). */
export const swapUsageIn = (values: SysctlValues): SwapUsage => {
  const text = values.get('vm.swapusage') ?? '';
  return { totalBytes: swapPart(text, 'total'), usedBytes: swapPart(text, 'used') };
};

/** kern.memorystatus_vm_pressure_level: 1, 2 or 4 (Apple, sys/event.h NOTE_MEMORYSTATUS_PRESSURE_…). */
export const pressureLevelIn = (values: SysctlValues): Reported<'normal' | 'warning' | 'critical'> => {
  switch (values.get('kern.memorystatus_vm_pressure_level')) {
    case '1':
      return 'normal';
    case '2':
      return 'warning';
    case '4':
      return 'critical';
    default:
      return unknown('sysctl does not tell the pressure level');
  }
};

const swapPart = (text: string, name: 'total' | 'used'): Reported<number> => {
  // A comma is what a locale other than C prints.
  const match = new RegExp(`\\b${name} = (\\d{1,12})[.,](\\d{1,6})([KMG])`).exec(text);
  const unitBytes = UNIT_BYTES.get(match?.[3] ?? '');
  if (match === null || unitBytes === undefined) return unknown('sysctl does not tell the swap usage');
  const bytes = Math.round(Number(`${match[1]}.${match[2]}`) * unitBytes);
  return Number.isSafeInteger(bytes) ? bytes : unknown('sysctl tells more swap than a machine can have');
};

const VALUE_LENGTH_MAX = 200;
const UNIT_BYTES: ReadonlyMap<string, number> = new Map([
  ['K', 1024],
  ['M', 1024 ** 2],
  ['G', 1024 ** 3],
]);
