// The NVIDIA devices of this machine and their health from `nvidia-smi -q -x`: at start, slowly from then on, and at once when the load
// stream shows other devices than before.

import type { GpuHealth } from '../../core/node/gpu-health.ts';
import type { ToolResult } from '../../process/child.ts';
import { type Gatherer, type GatherSession, sourceFailed } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { HintedPoll } from '../poll.ts';
import { SeenGpus } from '../seen-gpus.ts';
import { answered, endingCode, type ToolAnswer } from '../tool-output.ts';
import { otherGpus, withDriverGpus } from './driver-gpus.ts';
import { withoutLostMessages } from './lost-gpu.ts';
import { nvidiaLoadGatherer } from './nvidia-load-gatherer.ts';
import {
  endingError,
  foundNoDevices,
  nvidiaIsHere,
  nvidiaTool,
  nvidiaTrace,
  readToolMessage,
} from './nvidia-tool.ts';
import { NvlinkReader } from './nvlink-reader.ts';
import { parseHealth } from './parse-health.ts';
import { failedByMessage, type NvidiaInventory, parseInventory } from './parse-inventory.ts';
import { LatestProcesses, parseProcesses } from './parse-processes.ts';

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
  seen: SeenGpus = new SeenGpus(machine.root),
): Gatherer => ({
  name: 'nvidia-inventory',
  reports: [INVENTORY, HEALTH],
  intervalMs: machine.intervals.identityMs,
  gather: async session => {
    const nvlink = new NvlinkReader(machine);
    while (!session.signal.aborted) {
      const tool = await nvidiaTool(machine.root);
      const ending = new AbortController();
      const signal = AbortSignal.any([session.signal, ending.signal]);
      await polling.run({ ...session, signal }, async () => {
        const found = await readInventory(tool, { machine, session, processes });
        if (found === undefined) return ending.abort();
        const { health } = found;
        const { devices: listed, failed } = await withDriverGpus(machine.root, found.inventory);
        const inventory: NvidiaInventory = {
          vendor: 'nvidia',
          devices: listed,
          failed: await seen.complete({ devices: listed, failed }, session.clock.nowMs()),
        };
        session.emit(SOURCE, { kind: 'gpus', value: inventory });
        // The tool is asked again for links: nobody waits for that to see the devices.
        const devices = await nvlink.addLinks(tool, health, session.signal);
        session.emit(SOURCE, { kind: 'gpuHealths', value: { vendor: 'nvidia', devices } });
      });
      if (!(await nvidiaIsHere(machine, session))) return;
    }
  },
});

interface Found {
  readonly inventory: NvidiaInventory;
  /** Without links. */
  readonly health: readonly GpuHealth[];
}

interface Reader {
  readonly machine: MachineAccess;
  readonly session: GatherSession;
  readonly processes: LatestProcesses;
}

/** Undefined if this machine has nothing from NVIDIA. @throws Error with the reason when it cannot be read. */
const readInventory = async (tool: string, reader: Reader): Promise<Found | undefined> => {
  const { machine, session } = reader;
  const result = await queryAll(tool, reader);
  if (result.kind === 'missing') {
    const trace = await nvidiaTrace(machine.root);
    if (trace !== undefined) throw sourceFailed(trace, 'tool-missing');
    for (const kind of [INVENTORY, HEALTH]) session.absent(kind, SOURCE, 'no NVIDIA GPU');
    return undefined;
  }
  if (result.kind !== 'exited') throw sourceFailed(result.reason, endingCode(result));
  const found = foundIn(result, '', reader);
  if (found.kind === 'answered') return found.value;
  const reported = `${result.stdout}\n${result.stderr}`;
  const message = readToolMessage(reported);
  const lost = message?.kind === 'lost' ? message.lost : [];
  if (foundNoDevices(reported))
    return {
      inventory: { vendor: 'nvidia', devices: [], failed: lost.map(failedByMessage) },
      health: [],
    };
  // Older drivers print nothing of the others unless they are named.
  const others = lost.length === 0 ? [] : await otherGpus(machine.root, lost);
  if (others.length > 0) {
    const again = await queryAll(tool, reader, others);
    const foundAgain = again.kind === 'exited' ? foundIn(again, reported, reader) : undefined;
    if (foundAgain?.kind === 'answered') return foundAgain.value;
  }
  if (result.code === 0 && lost.length === 0) throw new Error(found.reason);
  throw endingError(reported, `nvidia-smi exited with code ${result.code}`);
};

/** Of all GPUs, or of those at these addresses alone. */
const queryAll = (
  tool: string,
  { machine, session }: Reader,
  only: readonly string[] = [],
): Promise<ToolResult> =>
  machine.tools.run(tool, ['-q', '-x', ...(only.length === 0 ? [] : ['-i', only.join(',')])], {
    signal: session.signal,
    timeoutMs: machine.timeouts.gpuToolMs,
    outputBytesMax: OUTPUT_BYTES_MAX,
  });

/** @param before what an earlier run printed of the GPUs that this one leaves out. */
const foundIn = (
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
  before: string,
  { session, processes }: Reader,
): ToolAnswer<Found> => {
  const inventory = parseInventory(stdout, `${stderr}\n${before}`);
  if (inventory.kind !== 'answered') return inventory;
  const printed = withoutLostMessages(stdout);
  processes.receive(parseProcesses(printed), session.clock.nowMs());
  return answered({ inventory: inventory.value, health: parseHealth(printed) });
};

/** Longer than that no inventory came: it fails. */
const PROCESSES_INTERVALS = 3;
const SOURCE = 'nvidia-smi';
const INVENTORY = { reading: 'gpus', vendor: 'nvidia' } as const;
const HEALTH = { reading: 'gpuHealths', vendor: 'nvidia' } as const;
/** It lists every process on every device. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
