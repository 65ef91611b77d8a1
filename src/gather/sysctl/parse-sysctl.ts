// `sysctl name …` prints "name: value" lines and leaves out, with -i, what this machine does not have.

import { toolLines } from '../tool-output.ts';

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

const VALUE_LENGTH_MAX = 200;
