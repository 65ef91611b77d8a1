// Asks nvidia-smi for the links between GPUs: three processes each half minute where there are links, one for each set of devices
// where there are none.

import type { GpuHealth } from '../../core/node/gpu-health.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';
import type { MachineAccess } from '../machine-access.ts';
import { hasNoNvlink, NO_NVLINK, parseNvlink } from './parse-nvlink.ts';

export class NvlinkReader {
  readonly #machine: MachineAccess;
  /** Devices of which none has a link. */
  #without = '';

  constructor(machine: MachineAccess) {
    this.#machine = machine;
  }

  /** The same with their links. */
  async addLinks(
    tool: string,
    healths: readonly GpuHealth[],
    signal: AbortSignal,
  ): Promise<readonly GpuHealth[]> {
    const devices = healths.map(({ deviceId }) => deviceId).join(' ');
    if (devices === this.#without) return withoutLinks(healths, NO_NVLINK);
    const state = await this.#run(tool, ['-s'], signal);
    if (state === undefined) return withoutLinks(healths, NO_ANSWER);
    const hasLinks = /^\s+Link \d/m.test(state);
    const [errors = '', bytes = ''] = hasLinks
      ? await Promise.all([this.#run(tool, ['-e'], signal), this.#run(tool, ['-gt', 'd'], signal)])
      : [];
    const links = parseNvlink({ state, errors, bytes });
    // An empty output is that of older drivers on machines without links.
    const unlisted = state.trim() === '' ? NO_NVLINK : NOT_LISTED;
    const read = healths.map(health => ({ ...health, links: links.get(health.deviceId) ?? unlisted }));
    // Not so of a card in MIG mode, nor of links that are inactive or cannot be read now.
    if (read.every(health => hasNoNvlink(health.links))) this.#without = devices;
    return read;
  }

  async #run(tool: string, args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    const { tools, timeouts } = this.#machine;
    const result = await tools.run(tool, ['nvlink', ...args], {
      signal,
      timeoutMs: timeouts.gpuToolMs,
      outputBytesMax: OUTPUT_BYTES_MAX,
    });
    return result.kind === 'exited' && result.code === 0 ? result.stdout : undefined;
  }
}

const withoutLinks = (healths: readonly GpuHealth[], links: Unknown): readonly GpuHealth[] =>
  healths.map(health => ({ ...health, links }));

const NOT_LISTED = unknown('nvidia-smi nvlink does not list the device');
const NO_ANSWER = unknown('nvidia-smi nvlink gave no answer');
const OUTPUT_BYTES_MAX = 1024 * 1024;
