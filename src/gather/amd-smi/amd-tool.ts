// Asks amd-smi, or the older rocm-smi, what sysfs lacks (names above all). Both start a Python interpreter, so they run
// when the cards have changed and otherwise every ten minutes, not each time.

import type { Clock } from '../../clock/clock.ts';
import type { MachineAccess } from '../machine-access.ts';
import { parseAmdSmiStatic } from './parse-amd-smi.ts';
import { type AmdToolDevice, amdFigure, amdText, jsonDocuments, valueAt } from './tool-json.ts';

// `rocm-smi … --json`, the older tool: one object per card, all values are texts, and labels differ between
// generations. Only what sysfs lacks is taken from it.
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

export class AmdTool {
  readonly #machine: MachineAccess;
  #devices: readonly AmdToolDevice[] = [];
  #cards: string | undefined;
  #requestedAtMs = 0;

  constructor(machine: MachineAccess) {
    this.#machine = machine;
  }

  /** The last result, without running the tool. */
  get known(): readonly AmdToolDevice[] {
    return this.#devices;
  }

  /** `cards` names what sysfs shows now. Empty if no tool is installed or none answers. */
  async devices(cards: string, clock: Clock, signal: AbortSignal): Promise<readonly AmdToolDevice[]> {
    const isFresh = clock.nowMs() - this.#requestedAtMs < REQUEST_AGAIN_MS;
    if (cards === this.#cards && isFresh) return this.#devices;
    this.#cards = cards;
    this.#requestedAtMs = clock.nowMs();
    this.#devices = await this.#listDevices(signal);
    return this.#devices;
  }

  async #listDevices(signal: AbortSignal): Promise<readonly AmdToolDevice[]> {
    const { tools, timeouts } = this.#machine;
    for (const { command, args, parse } of TOOLS) {
      const result = await tools.run(command, args, { signal, timeoutMs: timeouts.gpuToolMs });
      // Some cards may be printed before an error: those count. The names are an extra; sysfs has the rest.
      if (result.kind !== 'exited') continue;
      const devices = jsonDocuments(result.stdout).flatMap(parse);
      if (devices.length > 0) return devices.filter(device => !device.isPartition);
    }
    return [];
  }
}

const TOOLS = [
  { command: 'amd-smi', args: ['static', '--json'], parse: parseAmdSmiStatic },
  {
    command: 'rocm-smi',
    args: ['--showproductname', '--showbus', '--showmaxpower', '--json'],
    parse: parseRocmSmi,
  },
];
const REQUEST_AGAIN_MS = 600_000;
