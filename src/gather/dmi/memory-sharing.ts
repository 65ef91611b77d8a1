// Whether the processor and the GPU share one memory. Decided by the GPUs present: a card with its own memory outweighs
// an integrated one, and display chips of servers and virtual machines do not count as GPUs.

import { type Reported, unknown } from '../../core/unknown.ts';
import { type AmdMemoryEvidence, amdMemory, isOnRootBus } from '../amdgpu/amd-memory.ts';
import { type FileText, isUnreadable, type MachineFiles, textOr } from '../machine-files.ts';

type GpuMemory = 'own' | 'shared' | 'undetermined';

export const memoryIsUnified = (gpus: readonly GpuMemory[]): Reported<boolean> => {
  if (gpus.includes('own')) return false;
  if (gpus.includes('undetermined'))
    return unknown('the driver does not report whether its GPU has its own memory');
  return gpus.includes('shared');
};

/** Checks again only when a device came or went, or a driver had not answered: a query can wake a sleeping card. */
export class GpuMemories {
  readonly #files: MachineFiles;
  #devices: string | undefined;
  #memories: readonly GpuMemory[] = [];

  constructor(files: MachineFiles) {
    this.#files = files;
  }

  async read(): Promise<readonly GpuMemory[]> {
    const names = this.#files.namesNow('/sys/bus/pci/devices');
    const devices = isUnreadable(names) ? '' : names.join(' ');
    if (devices !== this.#devices || this.#memories.includes('undetermined')) {
      this.#devices = devices;
      this.#memories = await findGpuMemories(this.#files);
    }
    return this.#memories;
  }
}

export const findGpuMemories = async (files: MachineFiles): Promise<readonly GpuMemory[]> => {
  const compatible = textOr(files.textNow('/proc/device-tree/compatible'), '');
  if (/nvidia,tegra|raspberrypi|apple,arm-platform|qcom,/.test(compatible)) return ['shared'];
  const devices = files.namesNow('/sys/bus/pci/devices');
  if (isUnreadable(devices)) return [];
  const memories: GpuMemory[] = [];
  for (const address of devices) {
    const folder = `/sys/bus/pci/devices/${address}`;
    const attribute = (name: string): string => textOr(files.textNow(`${folder}/${name}`), '');
    if (!DISPLAY_CLASS.test(attribute('class'))) continue;
    const memory = pciGpuMemory({
      vendor: attribute('vendor'),
      device: attribute('device'),
      nvidiaModel: nvidiaModel(textOr(files.textNow(`/proc/driver/nvidia/gpus/${address}/information`), '')),
      isOnRootBus: isOnRootBus(address),
      amd: attribute('vendor') === '0x1002' ? await amdEvidence(files, folder) : NO_AMD_EVIDENCE,
    });
    if (memory !== undefined) memories.push(memory);
  }
  return memories;
};

interface PciGpu {
  /** "0x10de" */
  readonly vendor: string;
  readonly device: string;
  /** As the NVIDIA driver names it; '' without the driver. */
  readonly nvidiaModel: string;
  /** Integrated Intel graphics sit on the root bus, cards behind a bridge. */
  readonly isOnRootBus: boolean;
  readonly amd: Omit<AmdMemoryEvidence, 'device' | 'isOnRootBus'>;
}

/** Undefined if it is not a GPU. */
const pciGpuMemory = (gpu: PciGpu): GpuMemory | undefined => {
  switch (gpu.vendor) {
    case '0x10de':
      return UNIFIED_NVIDIA.test(gpu.nvidiaModel) || UNIFIED_NVIDIA_DEVICES.has(gpu.device)
        ? 'shared'
        : 'own';
    case '0x1002':
      return amdMemory({ ...gpu.amd, device: Number(gpu.device), isOnRootBus: gpu.isOnRootBus });
    case '0x8086':
      return gpu.isOnRootBus ? 'shared' : 'own';
    default:
      return undefined;
  }
};

/** "Model: 		 NVIDIA GB10" in /proc/driver/nvidia/gpus/<address>/information. */
const nvidiaModel = (information: string): string => /^Model:\s*(.+)$/m.exec(information)?.[1]?.trim() ?? '';

const amdEvidence = async (files: MachineFiles, folder: string): Promise<PciGpu['amd']> => {
  const isAsleep = textOr(files.textNow(`${folder}/power/runtime_status`), '') === 'suspended';
  const names = files.namesNow(folder);
  const monitors = files.namesNow(`${folder}/hwmon`);
  return {
    // Off this thread: the driver queries the card's own processor, which may hang.
    metricsFormat: isAsleep ? undefined : metricsFormat(await files.text(`${folder}/gpu_metrics`)),
    hasNorthBridge:
      !isUnreadable(monitors) &&
      monitors.some(name => textOr(files.textNow(`${folder}/hwmon/${name}/in1_label`), '') === 'vddnb'),
    hasReplayCount: !isUnreadable(names) && names.includes('pcie_replay_count'),
    isRadeon: /^DRIVER=radeon$/m.test(textOr(files.textNow(`${folder}/uevent`), '')),
    isAsleep,
  };
};

/** Binary: a 16-bit size, then the format as one byte, which is below 0x80 and so survives decoding. */
const metricsFormat = (metrics: FileText): number | undefined => {
  const format = isUnreadable(metrics) ? Number.NaN : metrics.charCodeAt(2);
  return Number.isNaN(format) ? undefined : format;
};

const NO_AMD_EVIDENCE: PciGpu['amd'] = {
  metricsFormat: undefined,
  hasNorthBridge: false,
  hasReplayCount: false,
  isRadeon: false,
  isAsleep: false,
};
/** Base class 03 is display, 12 is processing accelerators (PCI code and ID assignment specification). */
const DISPLAY_CLASS = /^0x(?:03|12)[0-9a-f]{4}$/;
/** GB10 (DGX Spark), Orin, Xavier and Thor. GH200, GB200 and GB300 are coherent but have two memories. */
const UNIFIED_NVIDIA = /\bGB10\b|\bOrin\b|\bXavier\b|\bThor\b/;
const UNIFIED_NVIDIA_DEVICES: ReadonlySet<string> = new Set(['0x2e12']);
