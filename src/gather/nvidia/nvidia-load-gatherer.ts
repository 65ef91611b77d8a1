// Load of the NVIDIA devices, from one long-running nvidia-smi that prints a row per device each second. A new process
// each second would cost a driver initialisation each time.

import type { GpuLoad } from '../../core/node/gpu.ts';
import { isUnknown } from '../../core/unknown.ts';
import { ToolError } from '../../process/child.ts';
import { type Gatherer, type GatherSession, sourceFailed } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { otherGpus } from './driver-gpus.ts';
import { LOAD_FIELDS, type LoadRow, parseLoadRow, withoutField } from './load-query.ts';
import { type LostMessage, lostKey } from './lost-gpu.ts';
import {
  endingError,
  foundNoDevices,
  nvidiaIsHere,
  nvidiaTool,
  nvidiaTrace,
  readToolMessage,
} from './nvidia-tool.ts';
import type { LatestProcesses } from './parse-processes.ts';

interface LoadOptions {
  /** Called when the devices of a tick differ from those of the previous tick. */
  readonly onOtherDevices: () => void;
  readonly processes: LatestProcesses;
}

export const nvidiaLoadGatherer = (
  machine: MachineAccess,
  { onOtherDevices, processes }: LoadOptions,
): Gatherer => ({
  name: 'nvidia-loads',
  reports: [KIND],
  intervalMs: machine.intervals.gpuMs,
  gather: async session => {
    const see = watchDevices(onOtherDevices);
    const stream = { tool: await nvidiaTool(machine.root), machine, see, processes, onOtherDevices };
    let fields: readonly string[] = LOAD_FIELDS;
    let only: readonly string[] = [];
    while (!session.signal.aborted) {
      const ending = await readStream(stream, { fields, only }, session);
      switch (ending.kind) {
        case 'stopped':
          if (!(await nvidiaIsHere(machine, session))) return;
          break;
        case 'all-again':
          only = [];
          break;
        case 'invalid-field': {
          const known = withoutField(fields, ending.field);
          if (known === undefined) throw new Error(`nvidia-smi does not know the field ${ending.field}`);
          fields = known;
          break;
        }
        case 'lost':
          // Older drivers print nothing of the others unless they are named.
          if (only.length === 0) only = await otherGpus(machine.root, ending.lost);
          else throw ending.error;
          if (only.length === 0) throw ending.error;
          break;
        default:
          ending satisfies never;
      }
    }
  },
});

interface Stream {
  readonly tool: string;
  readonly machine: MachineAccess;
  readonly see: (devices: readonly GpuLoad[]) => void;
  readonly onOtherDevices: () => void;
  readonly processes: LatestProcesses;
}

interface Query {
  readonly fields: readonly string[];
  /** The addresses of these GPUs alone; of all if empty. */
  readonly only: readonly string[];
}

type StreamEnding =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'invalid-field'; readonly field: string }
  /** It was of some GPUs for long enough: others may be back. */
  | { readonly kind: 'all-again' }
  /** It ended without a row, because of these. */
  | { readonly kind: 'lost'; readonly lost: readonly LostMessage[]; readonly error: Error };

/** @throws Error with the reason when the tool exits, falls silent or prints no figures. */
const readStream = async (
  { tool, machine, see, processes, onOtherDevices }: Stream,
  { fields, only }: Query,
  session: GatherSession,
): Promise<StreamEnding> => {
  const { clock, signal } = session;
  const collector = new TickCollector();
  const reported: string[] = [];
  const lost = new Set<string>();
  const startedAtMs = clock.nowMs();
  let rowAtMs: number | undefined;
  try {
    const { tools } = machine;
    const idleTimeoutMs = machine.timeouts.gpuSilentMs;
    const args = loadArguments({ fields, only }, machine.intervals.gpuMs);
    for await (const line of tools.lines(tool, args, {
      signal,
      idleTimeoutMs,
      lineBytesMax: LINE_BYTES_MAX,
      linesPerSecondMax: LINES_PER_SECOND_MAX,
    })) {
      const nowMs = clock.nowMs();
      if (only.length > 0 && nowMs - startedAtMs > ONLY_MS) return { kind: 'all-again' };
      const row = parseLoadRow(fields, line);
      if (row !== undefined) {
        rowAtMs = nowMs;
        reported.length = 0;
        const devices = collector.add(row);
        if (devices === undefined) continue;
        see(devices);
        const loads = devices.map(load => ({ ...load, processes: processes.of(load.deviceId, nowMs) }));
        session.emit(SOURCE, { kind: 'gpuLoads', value: { vendor: 'nvidia', devices: loads } });
        continue;
      }
      reported.push(line.slice(0, 500));
      if (reported.length > OUTPUT_LINES_MAX) reported.shift();
      const message = readToolMessage(line);
      if (message?.kind === 'invalid-field') return message;
      if (message?.kind === 'lost') {
        // It comes each second, next to the rows of the others: the inventory is read at the first one.
        const before = lost.size;
        for (const gpu of message.lost) if (lost.size < DEVICES_MAX) lost.add(lostKey(gpu));
        if (lost.size > before) onOtherDevices();
      } else if (message !== undefined) {
        // The tool may continue after this: the next row corrects it, and messages without figures do not count as
        // activity.
        session.fail(KIND, SOURCE, message.reason, message.kind === 'trouble' ? message.code : undefined);
      }
      if (nowMs - (rowAtMs ?? startedAtMs) > idleTimeoutMs) {
        throw endingError(reported.join('\n'), 'nvidia-smi prints no figures');
      }
    }
    return { kind: 'stopped' };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (error.code === 'exited') {
      const printed = reported.join('\n');
      const output = `${printed}\n${error.message}`;
      const message = readToolMessage(output);
      const why = message === undefined ? printed : output;
      const ending = endingError(why, error.message, { cause: error });
      if (message?.kind !== 'lost') throw ending;
      onOtherDevices();
      if (rowAtMs === undefined && !foundNoDevices(output))
        return { kind: 'lost', lost: message.lost, error: ending };
      throw ending;
    }
    if (error.code !== 'tool-missing') throw error;
    const trace = await nvidiaTrace(machine.root);
    if (trace !== undefined) throw sourceFailed(trace, 'tool-missing', { cause: error });
    session.absent(KIND, SOURCE, 'no NVIDIA GPU');
    return { kind: 'stopped' };
  }
};

/** Compares the devices of a tick, in the tool's order and with those that failed, with those of the previous tick. */
export const watchDevices = (onOtherDevices: () => void): ((devices: readonly GpuLoad[]) => void) => {
  let known: string | undefined;
  return devices => {
    const ids = devices
      .map(({ deviceId, use }) =>
        isUnknown(use) && use.code === 'device-failed' ? `${deviceId}!` : deviceId,
      )
      .join(' ');
    if (known !== undefined && ids !== known) onOtherDevices();
    known = ids;
  };
};

const loadArguments = ({ fields, only }: Query, intervalMs: number): readonly string[] => [
  `--query-gpu=${fields.join(',')}`,
  '--format=csv,noheader,nounits',
  ...(intervalMs % 1000 === 0 ? ['-l', String(intervalMs / 1000)] : ['-lms', String(intervalMs)]),
  ...(only.length === 0 ? [] : ['-i', only.join(',')]),
];

/**
 * Assembles the rows of one tick. The tool prints one row per device each second with no separator, so a tick is complete when it
 * has as many rows as the tool reports devices, or when a device repeats: one vanished, and the tool may count it still. From
 * then on as many rows as came are enough, until another device comes.
 */
export class TickCollector {
  #loads = new Map<string, GpuLoad>();
  /** Of the last tick. */
  #known: ReadonlySet<string> = new Set();
  #expected: { readonly rows: number; readonly deviceCount: number | undefined } | undefined;

  /** The tick that this row completes, in the tool's order. */
  add({ load, deviceCount }: LoadRow): readonly GpuLoad[] | undefined {
    let complete: readonly GpuLoad[] | undefined;
    if (this.#loads.has(load.deviceId) || this.#loads.size >= DEVICES_MAX) {
      complete = this.#take();
      this.#expected = { rows: complete.length, deviceCount };
    }
    if (!this.#known.has(load.deviceId) || this.#expected?.deviceCount !== deviceCount)
      this.#expected = undefined;
    this.#loads.set(load.deviceId, load);
    return this.#loads.size === (this.#expected?.rows ?? deviceCount) ? this.#take() : complete;
  }

  #take(): readonly GpuLoad[] {
    const loads = [...this.#loads.values()];
    this.#known = new Set(this.#loads.keys());
    this.#loads = new Map();
    return loads;
  }
}

const SOURCE = 'nvidia-smi';
const KIND = { reading: 'gpuLoads', vendor: 'nvidia' } as const;
/** A stream of some GPUs is started again with all of them after so long. */
const ONLY_MS = 300_000;
const LINE_BYTES_MAX = 64 * 1024;
const OUTPUT_LINES_MAX = 20;
/** One row per device at the shortest interval; after a pause of the daemon the contents of its pipe arrive at once. */
const LINES_PER_SECOND_MAX = 5_000;
/** No machine has more; a tool that prints garbage might. */
const DEVICES_MAX = 256;
