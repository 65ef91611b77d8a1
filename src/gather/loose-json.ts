// JSON of foreign tools, which may omit, mistype or cut any part of it: every access gives undefined if the value is
// not of the expected type, so one odd field loses only itself.

import { isJsonObject, type JsonObject } from '../core/json.ts';

export type LooseRecord = JsonObject;

/** Undefined when the text is not JSON. */
export const looseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const looseRecord = (value: unknown): LooseRecord | undefined =>
  isJsonObject(value) ? value : undefined;

export const looseList = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) ? value : undefined;

/** The objects of a list; everything else in it is skipped. */
export const looseRecords = (value: unknown): readonly LooseRecord[] => {
  const records: LooseRecord[] = [];
  for (const item of looseList(value) ?? []) {
    const record = looseRecord(item);
    if (record !== undefined) records.push(record);
  }
  return records;
};

/** A finite number; a number in quotes counts, because system_profiler prints most of its numbers so. */
export const looseNumber = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** A whole number that a double holds exactly. */
export const looseWhole = (value: unknown): number | undefined => {
  const number = looseNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
};

/** A text that is not blank, trimmed, and no longer than a name may be. */
export const looseText = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' ? undefined : text.slice(0, TEXT_LENGTH_MAX);
};

/** Names also come from the other end of a cable. */
const TEXT_LENGTH_MAX = 120;
