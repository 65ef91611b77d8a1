// The NVIDIA devices of this machine from `nvidia-smi -q -x`: at start, slowly from then on, and at once when the load
// stream shows other devices than before.

import type { Reading } from '../../core/node/reading.ts';
import { runTool } from '../../process/child.ts';
import type { Gatherer, GatherSession } from '../gatherer.ts';
import type { GpuSettings } from '../gpu-options.ts';
import type { DeviceWatch } from './device-watch.ts';
import { endingReason, nvidiaTool, nvidiaTrace, readToolMessage } from './nvidia-tool.ts';
import { parseInventory } from './parse-inventory.ts';

export const nvidiaInventoryGatherer = (settings: GpuSettings, watch: DeviceWatch): Gatherer => ({
  name: 'nvidia-inventory',
  tells: [KIND],
  intervalMs: settings.inventoryIntervalMs,
  gather: async session => {
    const tool = await nvidiaTool(settings.root);
    while (!session.signal.aborted) {
      const reading = await readInventory(tool, settings, session);
      if (reading === undefined) return;
      session.emit(SOURCE, reading);
      await watch.wait(session.clock, settings.inventoryIntervalMs, session.signal);
    }
  },
});

/** Undefined when this machine has nothing of NVIDIA. @throws Error with the reason when it cannot be read. */
const readInventory = async (
  tool: string,
  settings: GpuSettings,
  session: GatherSession,
): Promise<Reading | undefined> => {
  const result = await runTool(tool, ['-q', '-x'], {
    env: settings.env,
    signal: session.signal,
    timeoutMs: settings.toolTimeoutMs,
    outputBytesMax: OUTPUT_BYTES_MAX,
  });
  if (result.kind === 'missing') {
    const trace = await nvidiaTrace(settings.root);
    if (trace !== undefined) throw new Error(trace);
    session.absent(KIND, SOURCE, 'no NVIDIA GPU');
    return undefined;
  }
  if (result.kind !== 'exited') throw new Error(result.reason);
  const inventory = parseInventory(result.stdout);
  if (inventory.kind === 'answered') return { kind: 'gpus', value: inventory.value };
  const said = `${result.stdout}\n${result.stderr}`;
  if (readToolMessage(said)?.kind === 'no-devices') {
    return { kind: 'gpus', value: { vendor: 'nvidia', devices: [] } };
  }
  if (result.code === 0) throw new Error(inventory.reason);
  throw new Error(endingReason(said, `nvidia-smi exited with code ${result.code}`));
};

const SOURCE = 'nvidia-smi';
const KIND = { reading: 'gpus', vendor: 'nvidia' } as const;
/** Every process on every device is in it. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
