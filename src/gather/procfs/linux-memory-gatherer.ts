// Memory of a Linux machine, twice a second: a few small files that stay open, no process started.

import type { ContainerMemory, MemoryPressure, NodeMemory } from '../../core/node/memory.ts';
import { isUnknown, knownOr, type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import {
  digitsIn,
  type FileText,
  isUnreadable,
  type KeptFile,
  type MachineFiles,
  notRead,
  readFailed,
  textOr,
} from '../machine-files.ts';
import { parseMountinfo } from '../mountinfo/parse-mountinfo.ts';
import { poll } from '../poll.ts';
import {
  controlGroupFiles,
  controlGroupFolders,
  parseInactiveFileBytes,
  parseMemoryLimit,
} from './control-group.ts';
import { type MemoryInfo, meminfoBytes, parseMeminfo } from './parse-meminfo.ts';

export const linuxMemoryGatherer = ({ files, intervals }: MachineAccess): Gatherer => ({
  name: 'procfs-memory',
  reports: [MEMORY],
  intervalMs: intervals.memoryMs,
  gather: async session => {
    using meminfo = files.keepOpen('/proc/meminfo');
    using pressure = files.keepOpen('/proc/pressure/memory');
    using container = new ContainerMemorySource(files, Math.ceil(LIMIT_LOOK_UP_MS / intervals.memoryMs));
    using gpuNodes = new GpuNumaNodes(files, Math.ceil(LIMIT_LOOK_UP_MS / intervals.memoryMs));
    await poll(session, intervals.memoryMs, () => {
      const text = meminfo.readNow();
      if (isUnreadable(text)) throw readFailed(text);
      const info = hostMemory(parseMeminfo(text), gpuNodes.readNow());
      const { totalBytes, availableBytes } = info;
      if (isUnknown(totalBytes)) throw new Error(totalBytes.reason);
      const stalledShare = stalledShareOf(pressure.readNow());
      session.emit('procfs', {
        kind: 'memory',
        value: {
          ...info,
          totalBytes,
          pressure: memoryPressure({ stalledShare, totalBytes, availableBytes }),
          container: container.readNow(totalBytes),
        },
      });
    });
  },
});

/** Without the memory of GPUs that the kernel counts as the machine's: their drivers report it too. */
export const hostMemory = (
  info: MemoryInfo,
  gpuNodes: GpuNodeMemory,
): MemoryInfo & Pick<NodeMemory, 'gpuNodeBytes'> => {
  const { totalBytes, availableBytes } = info;
  if (gpuNodes.totalBytes === 0 || isUnknown(totalBytes)) return { ...info, gpuNodeBytes: 0 };
  const hostBytes = Math.max(0, totalBytes - gpuNodes.totalBytes);
  return {
    ...info,
    totalBytes: hostBytes,
    availableBytes: isUnknown(availableBytes)
      ? availableBytes
      : Math.min(hostBytes, Math.max(0, availableBytes - gpuNodes.availableBytes)),
    gpuNodeBytes: gpuNodes.totalBytes,
  };
};

/** The file is missing without CONFIG_PSI, and reads EOPNOTSUPP with psi=0 on the boot line. */
const stalledShareOf = (text: FileText): Reported<number> => {
  if (!isUnreadable(text)) return parseStalledShare(text);
  const isOff = text.code === 'ENOENT' || text.code === 'EOPNOTSUPP';
  return isOff ? unknown('this kernel does not measure pressure (PSI is off)', 'psi-off') : notRead(text);
};

const MEMORY: GatheredKind = { reading: 'memory', vendor: 'none' };
const LIMIT_LOOK_UP_MS = 10_000;

// How short of memory a machine is, in three levels. Stalls count first, because full memory that no task waits for is
// healthy; free memory counts too, because the last few percent go within seconds.
interface PressureFacts {
  readonly stalledShare: Reported<number>;
  readonly totalBytes: number;
  readonly availableBytes: Reported<number>;
}

export const memoryPressure = ({
  stalledShare,
  totalBytes,
  availableBytes,
}: PressureFacts): MemoryPressure => ({
  level: levelOf(stalledShare, totalBytes, availableBytes),
  stalledShare,
});

/** Of the last 10 s. systemd-oomd acts from 60 % over 30 s; a person needs a warning long before. */
export const STALLED_SHARE_WARNING = 0.05;

export const STALLED_SHARE_CRITICAL = 0.2;

/** Of the total. */
export const AVAILABLE_SHARE_WARNING = 0.1;

export const AVAILABLE_SHARE_CRITICAL = 0.03;

const levelOf = (
  stalledShare: Reported<number>,
  totalBytes: number,
  availableBytes: Reported<number>,
): MemoryPressure['level'] => {
  if (isUnknown(stalledShare) && isUnknown(availableBytes)) return unknown(availableBytes.reason);
  const stalled = isUnknown(stalledShare) ? 0 : stalledShare;
  const available = isUnknown(availableBytes) || totalBytes === 0 ? 1 : availableBytes / totalBytes;
  if (stalled >= STALLED_SHARE_CRITICAL || available < AVAILABLE_SHARE_CRITICAL) return 'critical';
  if (stalled >= STALLED_SHARE_WARNING || available < AVAILABLE_SHARE_WARNING) return 'warning';
  return 'normal';
};

// /proc/pressure/memory (Documentation/accounting/psi.rst): the share of time in which tasks waited for memory.

/** "some avg10" as a share, 0..1. */
export const parseStalledShare = (text: string): Reported<number> => {
  const percent = /^some avg10=(\d{1,3}(?:\.\d{1,6})?)(?:\s|$)/m.exec(text)?.[1];
  if (percent === undefined) return unknown('no "some avg10" in /proc/pressure/memory');
  return Math.min(1, Number(percent) / 100);
};

// The memory limit of this process's control group, read with every memory reading. Which groups limit it is looked up
// again now and then, because an administrator may set a limit while the daemon runs.
export class ContainerMemorySource implements Disposable {
  readonly #files: MachineFiles;
  readonly #readsBetweenLookUps: number;
  #readsUntilLookUp = 0;
  #bound: Bound | undefined;

  constructor(files: MachineFiles, readsBetweenLookUps: number) {
    this.#files = files;
    this.#readsBetweenLookUps = readsBetweenLookUps;
  }

  readNow(hostTotalBytes: number): ContainerMemory {
    if (this.#readsUntilLookUp === 0) {
      this.#lookUp();
      this.#readsUntilLookUp = this.#readsBetweenLookUps;
    }
    this.#readsUntilLookUp -= 1;
    const bound = this.#bound;
    if (bound === undefined || bound.limitBytes >= hostTotalBytes) return { kind: 'none' };
    const text = bound.used.readNow();
    const usedBytes = digitsIn(textOr(text, undefined));
    if (usedBytes === undefined) {
      const reason = isUnreadable(text) ? text.reason : 'not a number';
      return { kind: 'limited', limitBytes: bound.limitBytes, usedBytes: unknown(reason) };
    }
    const inactiveFileBytes = parseInactiveFileBytes(textOr(bound.stat.readNow(), ''));
    return {
      kind: 'limited',
      limitBytes: bound.limitBytes,
      usedBytes: Math.max(0, usedBytes - inactiveFileBytes),
    };
  }

  [Symbol.dispose](): void {
    this.#bound?.used[Symbol.dispose]();
    this.#bound?.stat[Symbol.dispose]();
    this.#bound = undefined;
  }

  /** The tightest limit; of equal ones that of the group nearest to this process, whose usage fills it. */
  #lookUp(): void {
    this[Symbol.dispose]();
    const selfCgroup = textOr(this.#files.textNow('/proc/self/cgroup'), '');
    const mounts = parseMountinfo(textOr(this.#files.textNow('/proc/self/mountinfo'), ''));
    let tightest: { readonly limitBytes: number; readonly used: string; readonly stat: string } | undefined;
    for (const folder of controlGroupFolders(selfCgroup, mounts)) {
      const { limit, used, stat } = controlGroupFiles(folder);
      const limitBytes = parseMemoryLimit(textOr(this.#files.textNow(limit), 'max'));
      if (limitBytes === undefined || limitBytes >= (tightest?.limitBytes ?? Number.POSITIVE_INFINITY))
        continue;
      tightest = { limitBytes, used, stat };
    }
    if (tightest === undefined) return;
    this.#bound = {
      limitBytes: tightest.limitBytes,
      used: this.#files.keepOpen(tightest.used),
      stat: this.#files.keepOpen(tightest.stat),
    };
  }
}

interface Bound {
  readonly limitBytes: number;
  readonly used: KeptFile;
  readonly stat: KeptFile;
}

// Memory of GPUs that the kernel lists as NUMA nodes: IBM AC922 (V100 over NVLink), GH200, GB200 and GB300. /proc/meminfo
// counts it as the machine's, and the driver of the GPU counts it as the GPU's: here it is found, to be counted once.
interface GpuNodeMemory {
  readonly totalBytes: number;
  /** Of those, what MemAvailable counts as available: free pages, the page cache and what the kernel can reclaim. */
  readonly availableBytes: number;
}

/** Which nodes they are is looked up again now and then: a driver brings its memory online when it is loaded. */
class GpuNumaNodes implements Disposable {
  readonly #files: MachineFiles;
  readonly #readsBetweenLookUps: number;
  #readsUntilLookUp = 0;
  #nodes: readonly KeptFile[] = [];

  constructor(files: MachineFiles, readsBetweenLookUps: number) {
    this.#files = files;
    this.#readsBetweenLookUps = readsBetweenLookUps;
  }

  readNow(): GpuNodeMemory {
    if (this.#readsUntilLookUp === 0) {
      this[Symbol.dispose]();
      this.#nodes = findGpuNumaNodes(this.#files).map(node =>
        this.#files.keepOpen(`${NODES}/node${node}/meminfo`),
      );
      this.#readsUntilLookUp = this.#readsBetweenLookUps;
    }
    this.#readsUntilLookUp -= 1;
    return this.#nodes.map(file => nodeMemory(textOr(file.readNow(), ''))).reduce(sumOf, NONE);
  }

  [Symbol.dispose](): void {
    for (const node of this.#nodes) node[Symbol.dispose]();
    this.#nodes = [];
  }
}

/** Numbers of nodes without processors whose memory belongs to a GPU. Memory expanders (CXL) and HBM of a processor are the host's. */
export const findGpuNumaNodes = (files: MachineFiles): readonly number[] => {
  const names = files.namesNow('/proc/driver/nvidia/gpus');
  const gpus = isUnreadable(names) ? [] : names.slice(0, GPUS_MAX);
  const text = (gpu: string, file: string): string =>
    textOr(files.textNow(`/proc/driver/nvidia/gpus/${gpu}/${file}`), '');
  const named = gpus.flatMap(gpu => numaNodeIn(text(gpu, 'numa_status')) ?? []);
  // With MIG a GPU may have several nodes, of which its file names one; in a machine of such GPUs no other memory is like it.
  const isCoherent =
    gpus.some(gpu => COHERENT.test(text(gpu, 'information'))) || (gpus.length === 0 && hasCoherentGpu(files));
  return [...new Set([...named, ...(isCoherent ? allNodes(files) : [])])]
    .filter(node => isWithoutProcessors(files, node))
    .sort((a, b) => a - b);
};

/** "Node: 250", "Status: online"; memory that is not online is not in MemTotal. */
const numaNodeIn = (status: string): number | undefined =>
  /^Status:\s*online\s*$/im.test(status) ? digitsIn(/^Node:\s*(\d{1,5})\s*$/m.exec(status)?.[1]) : undefined;

/** Where the driver's own files cannot be seen, as in most containers. */
const hasCoherentGpu = (files: MachineFiles): boolean => {
  const devices = files.namesNow('/sys/bus/pci/devices');
  return (
    !isUnreadable(devices) &&
    devices.some(
      address =>
        textOr(files.textNow(`/sys/bus/pci/devices/${address}/vendor`), '') === '0x10de' &&
        COHERENT_DEVICES.has(textOr(files.textNow(`/sys/bus/pci/devices/${address}/device`), '')),
    )
  );
};

const allNodes = (files: MachineFiles): readonly number[] => {
  const names = files.namesNow(NODES);
  return isUnreadable(names)
    ? []
    : names.slice(0, NODES_MAX).flatMap(name => digitsIn(/^node(\d{1,5})$/.exec(name)?.[1]) ?? []);
};

const isWithoutProcessors = (files: MachineFiles, node: number): boolean => {
  const processors = files.textNow(`${NODES}/node${node}/cpulist`);
  return !isUnreadable(processors) && processors.trim() === '';
};

const nodeMemory = (text: string): GpuNodeMemory => {
  const bytes = (label: string): number =>
    knownOr(meminfoBytes(text.replaceAll(/^Node \d+ /gm, ''), label), 0);
  const totalBytes = bytes('MemTotal');
  const availableBytes =
    bytes('MemFree') + bytes('Active(file)') + bytes('Inactive(file)') + bytes('SReclaimable');
  return { totalBytes, availableBytes: Math.min(totalBytes, availableBytes) };
};

const sumOf = (a: GpuNodeMemory, b: GpuNodeMemory): GpuNodeMemory => ({
  totalBytes: a.totalBytes + b.totalBytes,
  availableBytes: a.availableBytes + b.availableBytes,
});

const NONE: GpuNodeMemory = { totalBytes: 0, availableBytes: 0 };
const NODES = '/sys/devices/system/node';
/** "Model: 		 NVIDIA GH200 480GB": a Grace processor and its GPUs share one address space. */
const COHERENT = /^Model:.*\bG[HB][23]00\b/m;
/** GH200 (96 and 144 GB), GB200, GB300. */
const COHERENT_DEVICES: ReadonlySet<string> = new Set([
  '0x2342',
  '0x2345',
  '0x2348',
  '0x2941',
  '0x31c2',
  '0x31c3',
]);
const GPUS_MAX = 64;
const NODES_MAX = 1_024;
