// The NVIDIA devices of this machine and their health from `nvidia-smi -q -x`: at start, slowly from then on, and at once when the load
// stream shows other devices than before.

import type { NodeGpus } from '../../core/node/gpu.ts';
import type { GpuHealth } from '../../core/node/gpu-health.ts';
import { runTool } from '../../process/child.ts';
import { type Gatherer, type GatherSession, sourceFailed } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { HintedPoll } from '../poll.ts';
import { endingCode } from '../tool-output.ts';
import { LatestProcesses } from './latest-processes.ts';
import { nvidiaLoadGatherer } from './nvidia-load-gatherer.ts';
import { endingError, nvidiaTool, nvidiaTrace, readToolMessage } from './nvidia-tool.ts';
import { NvlinkReader } from './nvlink-reader.ts';
import { parseHealth } from './parse-health.ts';
import { parseInventory } from './parse-inventory.ts';
import { parseProcesses } from './parse-processes.ts';

/** In parallel, so a slow reply to one never delays the other. */
export const nvidiaGatherers = (
  machine: MachineAccess,
): { readonly inventory: Gatherer; readonly loads: Gatherer } => {
  const intervalMs = machine.intervals.identityMs;
  // After at least a sixth of it: a device that comes and goes must not start a process each time.
  const polling = new HintedPoll({ intervalMs, pauseMs: intervalMs / 6 });
  const processes = new LatestProcesses(PROCESSES_INTERVALS * intervalMs);
  return {
    inventory: nvidiaInventoryGatherer(machine, polling, processes),
    loads: nvidiaLoadGatherer(machine, { processes, onOtherDevices: () => polling.hint() }),
  };
};

const nvidiaInventoryGatherer = (
  machine: MachineAccess,
  polling: HintedPoll,
  processes: LatestProcesses,
): Gatherer => ({
  name: 'nvidia-inventory',
  tells: [INVENTORY, HEALTH],
  intervalMs: machine.intervals.identityMs,
  gather: async session => {
    const tool = await nvidiaTool(machine.root);
    const nvlink = new NvlinkReader(machine);
    const ending = new AbortController();
    const signal = AbortSignal.any([session.signal, ending.signal]);
    await polling.run({ ...session, signal }, async () => {
      const found = await readInventory(tool, { machine, session, processes });
      if (found === undefined) return ending.abort();
      const { inventory, health } = found;
      session.emit(SOURCE, { kind: 'gpus', value: inventory });
      // The tool is asked again for links: nobody waits for that to see the devices.
      const devices = await nvlink.addLinks(tool, health, session.signal);
      session.emit(SOURCE, { kind: 'gpuHealths', value: { vendor: 'nvidia', devices } });
    });
  },
});

interface Found {
  readonly inventory: NodeGpus;
  /** Without links. */
  readonly health: readonly GpuHealth[];
}

/** Undefined if this machine has nothing from NVIDIA. @throws Error with the reason when it cannot be read. */
const readInventory = async (
  tool: string,
  {
    machine,
    session,
    processes,
  }: {
    readonly machine: MachineAccess;
    readonly session: GatherSession;
    readonly processes: LatestProcesses;
  },
): Promise<Found | undefined> => {
  const result = await runTool(tool, ['-q', '-x'], {
    env: machine.env,
    signal: session.signal,
    timeoutMs: machine.timeouts.gpuToolMs,
    outputBytesMax: OUTPUT_BYTES_MAX,
  });
  if (result.kind === 'missing') {
    const trace = await nvidiaTrace(machine.root);
    if (trace !== undefined) throw sourceFailed(trace, 'tool-missing');
    for (const kind of [INVENTORY, HEALTH]) session.absent(kind, SOURCE, 'no NVIDIA GPU');
    return undefined;
  }
  if (result.kind !== 'exited') throw sourceFailed(result.reason, endingCode(result));
  const inventory = parseInventory(result.stdout);
  if (inventory.kind === 'answered') processes.hear(parseProcesses(result.stdout), session.clock.nowMs());
  if (inventory.kind === 'answered')
    return { inventory: inventory.value, health: parseHealth(result.stdout) };
  const said = `${result.stdout}\n${result.stderr}`;
  if (readToolMessage(said)?.kind === 'no-devices') {
    return { inventory: { vendor: 'nvidia', devices: [] }, health: [] };
  }
  if (result.code === 0) throw new Error(inventory.reason);
  throw endingError(said, `nvidia-smi exited with code ${result.code}`);
};

/** Longer than that no inventory came: it fails. */
const PROCESSES_INTERVALS = 3;
const SOURCE = 'nvidia-smi';
const INVENTORY = { reading: 'gpus', vendor: 'nvidia' } as const;
const HEALTH = { reading: 'gpuHealths', vendor: 'nvidia' } as const;
/** It lists every process on every device. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
