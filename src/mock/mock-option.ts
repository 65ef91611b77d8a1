// What one option of `plimsoll mock` is, and how its value is read.

import { type Parsed, parseBytes, parsed, wrong } from '../core/figure/parse-figure.ts';
import type { MockSettings } from './mock-settings.ts';

export interface MockOption {
  /** Without dashes. */
  readonly name: string;
  /** undefined for a flag. */
  readonly valueName: string | undefined;
  readonly meaning: string;
  readonly key: keyof MockSettings;
  /** Checked further by the settings' schema. A flag gets ''. */
  readonly read: (text: string) => Parsed<unknown>;
}

export const readText = (value: string): Parsed<unknown> => parsed(value);

export const readNumber = (value: string): Parsed<unknown> =>
  /^\d{1,40}(\.\d{1,6})?$/.test(value)
    ? parsed(Number(value))
    : wrong(`${JSON.stringify(value)} is not a number`, 'Write a number such as 8.');

export const readSize = (value: string): Parsed<unknown> =>
  /^\d{1,9}$/.test(value) ? parsed(Number(value)) : parseBytes(value);

export const readTokens = (value: string): Parsed<unknown> => {
  const [, min, max] = /^(\d{1,40})\.\.(\d{1,40})$/.exec(value) ?? [];
  if (min !== undefined && max !== undefined) return parsed({ min: Number(min), max: Number(max) });
  return /^\d{1,40}$/.test(value)
    ? parsed(Number(value))
    : wrong(
        `${JSON.stringify(value)} is not a number of tokens`,
        'Write a number, or a range such as 50..200.',
      );
};

export const readList = (value: string): Parsed<unknown> => parsed(value.split(',').map(part => part.trim()));
export const readNumbers = (value: string): Parsed<unknown> => parsed(value.split(',').map(Number));

export const readOn = (): Parsed<unknown> => parsed(true);
export const readOff = (): Parsed<unknown> => parsed(false);

export const mockOption = (
  name: string,
  valueName: string,
  key: keyof MockSettings,
  read: MockOption['read'],
  meaning: string,
): MockOption => ({ name, valueName, key, read, meaning });

export const mockFlag = (
  name: string,
  key: keyof MockSettings,
  read: MockOption['read'],
  meaning: string,
): MockOption => ({
  name,
  valueName: undefined,
  key,
  read,
  meaning,
});
