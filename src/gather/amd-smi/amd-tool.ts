// Asks amd-smi, or the older rocm-smi, what sysfs lacks (names above all). Both start a Python interpreter, so they run
// when the cards have changed and otherwise every ten minutes, not each time.

import type { Clock } from '../../clock/clock.ts';
import { runTool } from '../../process/child.ts';
import type { MachineAccess } from '../machine-access.ts';
import { parseAmdSmiStatic } from './parse-amd-smi.ts';
import { parseRocmSmi } from './parse-rocm-smi.ts';
import { type AmdToolDevice, jsonDocuments } from './tool-json.ts';

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
    const { env, timeouts } = this.#machine;
    for (const { command, args, parse } of TOOLS) {
      const result = await runTool(command, args, { env, signal, timeoutMs: timeouts.gpuToolMs });
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
