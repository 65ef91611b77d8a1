// What every gatherer gets from the machine it reads: its files and tools, intervals and deadlines, and the settings.

import type { Env } from '../process/child.ts';
import { directoryFiles } from './directory-files.ts';
import { type FileText, isUnreadable, type KeptFile, type MachineFiles } from './machine-files.ts';
import { type MachineHost, nodeHost } from './machine-host.ts';
import { type MachinePath, OWN_TREE } from './machine-path.ts';
import { type MachineTools, ownTools } from './machine-tools.ts';

export interface MachineAccess {
  /** Above every path: "/" on a real machine, a tree of fixtures in tests. */
  readonly root: MachinePath;
  /** Those below the root. */
  readonly files: MachineFiles;
  readonly tools: MachineTools;
  /** Of this process. */
  readonly env: Env;
  readonly host: MachineHost;
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

export interface MachineAccessOptions
  extends Partial<Omit<MachineAccess, 'root' | 'intervals' | 'timeouts'>> {
  readonly root?: string;
  readonly env: Env;
  readonly plimsollVersion: string;
  readonly intervals?: Partial<GatherIntervals>;
  readonly timeouts?: Partial<GatherTimeouts>;
}

export const machineAccess = (options: MachineAccessOptions): MachineAccess => {
  const { root = '/' } = options;
  return {
    files: filesOf(root, options.env),
    tools: ownTools(options.env),
    host: nodeHost,
    settings: () => ({ name: undefined, ignoredInterfaces: [] }),
    ...options,
    root: { tree: OWN_TREE, path: root },
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

/** ms, DESIGN §3.4. config.toml has the same defaults for those that it sets. */
const INTERVALS = {
  memoryMs: 500,
  /** Also of everything from macmon. */
  systemMs: 1_000,
  gpuMs: 1_000,
  thunderboltMs: 5_000,
  networkMs: 10_000,
  /** What interfaces carry; where each reading is a process, twice that. */
  trafficMs: 1_000,
  rdmaMs: 10_000,
  diskMs: 30_000,
  /** Also of the inventory of GPUs. */
  identityMs: 30_000,
  /** The bridge that macOS creates from its Thunderbolt ports. */
  bridgeMs: 30_000,
  /** Pressure and swap of macOS. */
  memoryGaugeMs: 5_000,
};

export type GatherIntervals = Readonly<typeof INTERVALS>;

/** ms */
const TIMEOUTS = {
  /** Of a tool that is run to its end. */
  toolMs: 20_000,
  /** Of GPU tools: a driver without persistence mode takes seconds. */
  gpuToolMs: 30_000,
  /** Of calls that only ask the kernel: `ip`, and one query of a volume. */
  kernelMs: 2_000,
  /** A streaming tool silent for longer is killed, reported and started again. */
  silentMs: 10_000,
  gpuSilentMs: 15_000,
};

export type GatherTimeouts = Readonly<typeof TIMEOUTS>;

// The files of a machine seen from a container: its own /proc and /sys first, which know the container, and behind them those of
// the machine, mounted elsewhere. A runtime covers some of its own, such as /sys/firmware, in which Arm machines have their model.

/** `behind`: the machine's tree. Only what is the same for every process is asked of it. */
export const filesBefore = (own: MachineFiles, behind: MachineFiles): MachineFiles => {
  const otherwise = <T>(path: string, read: (files: MachineFiles, path: string) => T): T => {
    const first = read(own, path);
    if (!isUnreadable(first) || !isOfMachine(path)) return first;
    const second = read(behind, elsewhere(path));
    return isUnreadable(second) ? first : second;
  };
  return {
    textNow: path => otherwise(path, (files, at) => files.textNow(at)),
    text: async path => {
      const first = await own.text(path);
      if (!isUnreadable(first) || !isOfMachine(path)) return first;
      const second = await behind.text(elsewhere(path));
      return isUnreadable(second) ? first : second;
    },
    namesNow: path => otherwise(path, (files, at) => files.namesNow(at)),
    linkNow: path => otherwise(path, (files, at) => files.linkNow(at)),
    keepOpen: path =>
      isOfMachine(path)
        ? new EitherFile(own.keepOpen(path), behind.keepOpen(elsewhere(path)))
        : own.keepOpen(path),
  };
};

class EitherFile implements KeptFile {
  readonly #own: KeptFile;
  readonly #behind: KeptFile;

  constructor(own: KeptFile, behind: KeptFile) {
    this.#own = own;
    this.#behind = behind;
  }

  readNow(): FileText {
    const first = this.#own.readNow();
    if (!isUnreadable(first)) return first;
    const second = this.#behind.readNow();
    return isUnreadable(second) ? first : second;
  }

  async read(): Promise<FileText> {
    const first = await this.#own.read();
    if (!isUnreadable(first)) return first;
    const second = await this.#behind.read();
    return isUnreadable(second) ? first : second;
  }

  [Symbol.dispose](): void {
    this.#own[Symbol.dispose]();
    this.#behind[Symbol.dispose]();
  }
}

/** Not what a process has of its own: its limits and mounts, which would be another's. */
const isOfMachine = (path: string): boolean =>
  (path.startsWith('/proc/') && !/^\/proc\/(?:self|thread-self|mounts|net)\b/.test(path)) ||
  (path.startsWith('/sys/') && !path.startsWith('/sys/fs/cgroup'));

/** A link with an absolute target, which would lead back into the container's own tree. */
const elsewhere = (path: string): string =>
  path.startsWith('/proc/device-tree/')
    ? path.replace('/proc/device-tree/', '/sys/firmware/devicetree/base/')
    : path;
