// `rocm-smi … --json`, the older tool: one object a card, all values are texts, and labels differ between generations.
// Only what sysfs lacks is taken from it.

import type { AmdToolDevice } from './amd-tool-device.ts';
import type { Json } from './tool-json.ts';
import { at, figure, text } from './tool-json.ts';

export const parseRocmSmi = (document: Json): readonly AmdToolDevice[] => {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return [];
  return Object.keys(document)
    .filter(key => /^card\d{1,4}$/.test(key))
    .map(key => cardOf(at(document, key)));
};

const cardOf = (card: Json): AmdToolDevice => ({
  address: text(at(card, 'PCI Bus'))?.toLowerCase(),
  name: firstText(card, ['Card Series', 'Card series', 'Device Name']),
  architecture: text(at(card, 'GFX Version')),
  computeUnits: undefined,
  powerLimitWatts: positive(figure(at(card, 'Max Graphics Package Power (W)'))),
  memoryTotalBytes: positive(figure(at(card, 'VRAM Total Memory (B)'))),
  computePartition: text(at(card, 'Compute Partition')),
  isPartition: false,
});

/** Some releases print the id, "0x744c", where they lack the name. */
const firstText = (card: Json, keys: readonly string[]): string | undefined =>
  keys.map(key => text(at(card, key))).find(value => value !== undefined && !/^0x[0-9a-f]+$/i.test(value));

const positive = (value: number | undefined): number | undefined =>
  value === undefined || value <= 0 ? undefined : value;
