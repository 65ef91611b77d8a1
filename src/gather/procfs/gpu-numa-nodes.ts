// Memory of GPUs that the kernel lists as NUMA nodes: IBM AC922 (V100 over NVLink), GH200, GB200 and GB300. /proc/meminfo
// counts it as the machine's, and the driver of the GPU counts it as the GPU's: here it is found, to be counted once.

import { knownOr } from '../../core/unknown.ts';
import { digitsIn, isUnreadable, type KeptFile, type MachineFiles, textOr } from '../machine-files.ts';
import { meminfoBytes } from './parse-meminfo.ts';

export interface GpuNodeMemory {
  readonly totalBytes: number;
  /** Of those, what MemAvailable counts as available: free pages, the page cache and what the kernel can reclaim. */
  readonly availableBytes: number;
}

/** Which nodes they are is looked up again now and then: a driver brings its memory online when it is loaded. */
export class GpuNumaNodes implements Disposable {
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
