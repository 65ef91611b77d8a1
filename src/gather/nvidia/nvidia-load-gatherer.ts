// Load of the NVIDIA devices, from one long-running nvidia-smi that prints a row per device each second. A new process
// each second would cost a driver initialisation each time.

import type { GpuLoad } from '../../core/node/gpu.ts';
import { streamLines, ToolError } from '../../process/child.ts';
import { type Gatherer, type GatherSession, sourceFailed } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import type { LatestProcesses } from './latest-processes.ts';
import { LOAD_FIELDS, type LoadRow, parseLoadRow, withoutField } from './load-query.ts';
import { endingError, nvidiaTool, nvidiaTrace, readToolMessage } from './nvidia-tool.ts';

export interface LoadOptions {
  /** Called when the devices of a tick differ from those of the previous tick. */
  readonly onOtherDevices: () => void;
  readonly processes: LatestProcesses;
}

export const nvidiaLoadGatherer = (
  machine: MachineAccess,
  { onOtherDevices, processes }: LoadOptions,
): Gatherer => ({
  name: 'nvidia-loads',
  tells: [KIND],
  intervalMs: machine.intervals.gpuMs,
  gather: async session => {
    const see = watchDevices(onOtherDevices);
    const stream = { tool: await nvidiaTool(machine.root), machine, see, processes };
    let fields: readonly string[] | undefined = LOAD_FIELDS;
    while (fields !== undefined && !session.signal.aborted) {
      const ending = await readStream(stream, fields, session);
      if (ending.kind === 'stopped') return;
      fields = withoutField(fields, ending.field);
      if (fields === undefined) throw new Error(`nvidia-smi does not know the field ${ending.field}`);
    }
  },
});

interface Stream {
  readonly tool: string;
  readonly machine: MachineAccess;
  readonly see: (devices: readonly GpuLoad[]) => void;
  readonly processes: LatestProcesses;
}

type StreamEnding = { readonly kind: 'stopped' } | { readonly kind: 'invalid-field'; readonly field: string };

/** @throws Error with the reason when the tool exits, falls silent or prints no figures. */
const readStream = async (
  { tool, machine, see, processes }: Stream,
  fields: readonly string[],
  session: GatherSession,
): Promise<StreamEnding> => {
  const { clock, signal } = session;
  const collector = new TickCollector();
  const said: string[] = [];
  let rowAtMs = clock.nowMs();
  try {
    const { env } = machine;
    const idleTimeoutMs = machine.timeouts.gpuSilentMs;
    for await (const line of streamLines(tool, loadArguments(fields, machine.intervals.gpuMs), {
      env,
      signal,
      idleTimeoutMs,
      lineBytesMax: LINE_BYTES_MAX,
      linesPerSecondMax: LINES_PER_SECOND_MAX,
    })) {
      const row = parseLoadRow(fields, line);
      if (row !== undefined) {
        rowAtMs = clock.nowMs();
        said.length = 0;
        const devices = collector.add(row);
        if (devices === undefined) continue;
        see(devices);
        const held = devices.map(load => ({ ...load, processes: processes.of(load.deviceId, rowAtMs) }));
        session.emit(SOURCE, { kind: 'gpuLoads', value: { vendor: 'nvidia', devices: held } });
        continue;
      }
      said.push(line.slice(0, 500));
      if (said.length > SAID_LINES_MAX) said.shift();
      const message = readToolMessage(line);
      if (message?.kind === 'invalid-field') return message;
      // The tool may continue after this: the next row corrects it, and messages without figures do not count as
      // activity.
      if (message !== undefined)
        session.fail(KIND, SOURCE, message.reason, message.kind === 'trouble' ? message.code : undefined);
      if (clock.nowMs() - rowAtMs > idleTimeoutMs) {
        throw endingError(said.join('\n'), 'nvidia-smi prints no figures');
      }
    }
    return { kind: 'stopped' };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (error.code === 'exited') throw endingError(said.join('\n'), error.message, { cause: error });
    if (error.code !== 'tool-missing') throw error;
    const trace = await nvidiaTrace(machine.root);
    if (trace !== undefined) throw sourceFailed(trace, 'tool-missing', { cause: error });
    session.absent(KIND, SOURCE, 'no NVIDIA GPU');
    return { kind: 'stopped' };
  }
};

/** Compares the devices of a tick, in the tool's order, with those of the previous tick. */
export const watchDevices = (onOtherDevices: () => void): ((devices: readonly GpuLoad[]) => void) => {
  let known: string | undefined;
  return devices => {
    const ids = devices.map(device => device.deviceId).join(' ');
    if (known !== undefined && ids !== known) onOtherDevices();
    known = ids;
  };
};

const loadArguments = (fields: readonly string[], intervalMs: number): readonly string[] => [
  `--query-gpu=${fields.join(',')}`,
  '--format=csv,noheader,nounits',
  ...(intervalMs % 1000 === 0 ? ['-l', String(intervalMs / 1000)] : ['-lms', String(intervalMs)]),
];

/**
 * Assembles the rows of one tick. The tool prints one row per device each second with no separator, so a tick is
 * complete when it has as many rows as the tool reports devices, or when a device repeats (one vanished).
 */
export class TickCollector {
  #loads = new Map<string, GpuLoad>();

  /** The tick that this row completes, in the tool's order. */
  add(row: LoadRow): readonly GpuLoad[] | undefined {
    let complete: readonly GpuLoad[] | undefined;
    if (this.#loads.has(row.load.deviceId) || this.#loads.size >= DEVICES_MAX) complete = this.#take();
    this.#loads.set(row.load.deviceId, row.load);
    return this.#loads.size === row.deviceCount ? this.#take() : complete;
  }

  #take(): readonly GpuLoad[] {
    const loads = [...this.#loads.values()];
    this.#loads = new Map();
    return loads;
  }
}

const SOURCE = 'nvidia-smi';
const KIND = { reading: 'gpuLoads', vendor: 'nvidia' } as const;
const LINE_BYTES_MAX = 64 * 1024;
const SAID_LINES_MAX = 20;
/** One row per device at the shortest interval; after a pause of the daemon the contents of its pipe arrive at once. */
const LINES_PER_SECOND_MAX = 5_000;
/** No machine has more; a tool that prints garbage might. */
const DEVICES_MAX = 256;
