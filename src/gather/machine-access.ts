// What every gatherer gets from the machine it reads: its files and tools, intervals and deadlines, and the settings.

import type { Env } from '../process/child.ts';
import { directoryFiles } from './directory-files.ts';
import { filesBefore } from './host-files.ts';
import type { MachineFiles } from './machine-files.ts';
import { type MacosHost, nodeHost } from './macos-host.ts';

export interface MachineAccess {
  /** Prefix of every path: "/" on a real machine, a tree of fixtures in tests. */
  readonly root: string;
  /** Those below the root. */
  readonly files: MachineFiles;
  /** For the PATH on which tools are looked up. */
  readonly env: Env;
  readonly host: MacosHost;
  readonly plimsollVersion: string;
  /** Called at each reading, so a reload of the configuration takes effect at the next one. */
  readonly settings: () => GatherSettings;
  readonly intervals: GatherIntervals;
  readonly timeouts: GatherTimeouts;
}

/** Settings that change what gatherers report. */
export interface GatherSettings {
  /** Replaces the machine's own name. */
  readonly name: string | undefined;
  /** Interfaces to ignore, by their exact names. */
  readonly ignoredInterfaces: readonly string[];
}

/** ms */
export interface GatherIntervals {
  readonly memoryMs: number;
  /** Also of everything from macmon. */
  readonly systemMs: number;
  readonly gpuMs: number;
  readonly thunderboltMs: number;
  readonly networkMs: number;
  /** What interfaces carry; where each reading is a process, twice that. */
  readonly trafficMs: number;
  readonly rdmaMs: number;
  readonly diskMs: number;
  /** Also of the inventory of GPUs. */
  readonly identityMs: number;
  /** The bridge that macOS creates from its Thunderbolt ports. */
  readonly bridgeMs: number;
  /** Pressure and swap of macOS. */
  readonly memoryGaugeMs: number;
}

/** ms */
export interface GatherTimeouts {
  /** Of a tool that is run to its end. */
  readonly toolMs: number;
  /** Of GPU tools: a driver without persistence mode takes seconds. */
  readonly gpuToolMs: number;
  /** Of calls that only ask the kernel: `ip`, and one query of a volume. */
  readonly kernelMs: number;
  /** A streaming tool silent for longer is killed, reported and started again. */
  readonly silentMs: number;
  readonly gpuSilentMs: number;
}

export interface MachineAccessOptions extends Partial<Omit<MachineAccess, 'intervals' | 'timeouts'>> {
  readonly env: Env;
  readonly plimsollVersion: string;
  readonly intervals?: Partial<GatherIntervals>;
  readonly timeouts?: Partial<GatherTimeouts>;
}

export const machineAccess = (options: MachineAccessOptions): MachineAccess => {
  const { root = '/' } = options;
  return {
    files: filesOf(root, options.env),
    host: nodeHost,
    settings: () => ({ name: undefined, ignoredInterfaces: [] }),
    ...options,
    root,
    intervals: { ...INTERVALS, ...options.intervals },
    timeouts: { ...TIMEOUTS, ...options.timeouts },
  };
};

/** In a container the machine's own /proc and /sys may be mounted below another folder, which the environment names. */
const filesOf = (root: string, env: Env): MachineFiles => {
  const host = env['PLIMSOLL_HOST_FILES'] ?? '';
  const own = directoryFiles(root);
  return host === '' ? own : filesBefore(own, directoryFiles(root === '/' ? host : root + host));
};

/** DESIGN §3.4. */
const INTERVALS: GatherIntervals = {
  memoryMs: 500,
  systemMs: 1_000,
  gpuMs: 1_000,
  thunderboltMs: 5_000,
  networkMs: 10_000,
  trafficMs: 1_000,
  rdmaMs: 10_000,
  diskMs: 30_000,
  identityMs: 30_000,
  bridgeMs: 30_000,
  memoryGaugeMs: 5_000,
};

const TIMEOUTS: GatherTimeouts = {
  toolMs: 20_000,
  gpuToolMs: 30_000,
  kernelMs: 2_000,
  silentMs: 10_000,
  gpuSilentMs: 15_000,
};
