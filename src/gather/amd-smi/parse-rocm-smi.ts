// `rocm-smi … --json`, the older tool: one object per card, all values are texts, and labels differ between
// generations. Only what sysfs lacks is taken from it.

import { type AmdToolDevice, amdFigure, amdText, valueAt } from './tool-json.ts';

export const parseRocmSmi = (document: unknown): readonly AmdToolDevice[] => {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return [];
  return Object.keys(document)
    .filter(key => /^card\d{1,4}$/.test(key))
    .map(key => cardOf(valueAt(document, key)));
};

const cardOf = (card: unknown): AmdToolDevice => ({
  address: amdText(valueAt(card, 'PCI Bus'))?.toLowerCase(),
  name: firstText(card, ['Card Series', 'Card series', 'Device Name']),
  architecture: amdText(valueAt(card, 'GFX Version')),
  computeUnits: undefined,
  powerLimitWatts: positive(amdFigure(valueAt(card, 'Max Graphics Package Power (W)'))),
  memoryTotalBytes: positive(amdFigure(valueAt(card, 'VRAM Total Memory (B)'))),
  computePartition: amdText(valueAt(card, 'Compute Partition')),
  isPartition: false,
});

/** Some releases print the id, "0x744c", when they lack the name. */
const firstText = (card: unknown, keys: readonly string[]): string | undefined =>
  keys
    .map(key => amdText(valueAt(card, key)))
    .find(value => value !== undefined && !/^0x[0-9a-f]+$/i.test(value));

const positive = (value: number | undefined): number | undefined =>
  value === undefined || value <= 0 ? undefined : value;
