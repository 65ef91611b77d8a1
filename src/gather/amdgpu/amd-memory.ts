// Whose memory a GPU of AMD uses: its own, or the host's, as graphics in a processor do (APU). One rule for the identity of
// the machine and for the inventory, which read the same files in different ways.

import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';

export interface AmdMemoryEvidence {
  /** PCI device id. */
  readonly device: number;
  /** Third byte of gpu_metrics: format 1 is a card, 2 and 3 are processors with graphics (kgd_pp_interface.h). */
  readonly metricsFormat: number | undefined;
  /** A voltage sensor "vddnb": of the north bridge, which only processors have. */
  readonly hasNorthBridge: boolean;
  /** The file pcie_replay_count: newer kernels leave it out for processors. */
  readonly hasReplayCount: boolean;
  /** The older driver radeon, which has none of these files; of its time only graphics in a processor were on the root bus. */
  readonly isRadeon: boolean;
  readonly isOnRootBus: boolean;
  /** Suspended by the kernel: graphics in a processor are not, and reading gpu_metrics would wake the card. */
  readonly isAsleep: boolean;
}

export const amdMemory = (evidence: AmdMemoryEvidence): 'own' | 'shared' | 'undetermined' => {
  // It has the format of a card, and shares its memory all the same.
  if (evidence.device === MI300A) return 'shared';
  if (evidence.isAsleep) return 'own';
  if (evidence.isRadeon) return evidence.isOnRootBus ? 'shared' : 'own';
  const { metricsFormat } = evidence;
  if (metricsFormat !== undefined && metricsFormat >= 1 && metricsFormat <= 9)
    return metricsFormat === 1 ? 'own' : 'shared';
  if (evidence.hasNorthBridge) return 'shared';
  return evidence.hasReplayCount ? 'own' : 'undetermined';
};

/** "0000:00:01.0": not behind a bridge. */
export const isOnRootBus = (address: string): boolean => /^0000:00:/.test(address);

export interface SharedMemory {
  /** All that the GPU can use: what programs that need memory for a model get. */
  readonly totalBytes: Reported<number>;
  /** Set aside by the firmware, and not part of the host's memory. */
  readonly reservedBytes: Reported<number>;
  /** The reserved part is all of it: the GPU does not use the host's memory for models. */
  readonly isReservedOnly: boolean;
}

interface SharedParts {
  readonly reservedBytes: Reported<number>;
  readonly gttBytes: Reported<number>;
  /** The share of the host's memory that is this GPU's: of several in one machine each can have no more. */
  readonly hostBytes: Reported<number>;
}

/**
 * `gttBytes` is how much of the host's memory the driver lets the GPU use (GTT), which a person may set above what the
 * host has: "amdgpu.gttsize", "ttm.pages_limit". amdgpu takes memory of programs from there if it is more than the
 * reserved part, else from the reserved part (`apu_prefer_gtt`, amdgpu_ttm.c); graphics use both.
 */
export const sharedMemory = ({ reservedBytes, gttBytes, hostBytes }: SharedParts): SharedMemory => {
  if (isUnknown(reservedBytes) || isUnknown(gttBytes))
    return { totalBytes: unknown('unified memory'), reservedBytes, isReservedOnly: false };
  const fromHostBytes = isUnknown(hostBytes) ? gttBytes : Math.min(gttBytes, hostBytes);
  const isReservedOnly = reservedBytes >= fromHostBytes;
  return {
    totalBytes: isReservedOnly ? reservedBytes : reservedBytes + fromHostBytes,
    reservedBytes,
    isReservedOnly,
  };
};

const MI300A = 0x74a0;
