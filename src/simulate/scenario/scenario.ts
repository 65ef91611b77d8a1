// What a simulated cluster consists of: machines, the cables between them, and what is wrong with some of them on purpose.

import type { FailedGpuState } from '../../core/node/failed-gpu.ts';
import type { Absence } from '../absence.ts';
import type { HardwareName } from '../hardware.ts';

export interface Scenario {
  readonly name: string;
  readonly machines: readonly SimulatedMachine[];
  readonly cables: readonly Cable[];
  /** Machines that stop answering for a while; never the first, which shows the others. */
  readonly absences: readonly Absence[];
}

export interface SimulatedMachine {
  readonly name: string;
  readonly hardware: HardwareName;
  /** Mean load, 0..1. */
  readonly load: MachineLoad;
  /** Factor against other machines of its kind: 1 is equal. */
  readonly speed?: number;
  readonly quirks?: MachineQuirks;
  /** What its config.toml says of it; nothing on a desk. */
  readonly place?: MachinePlace;
}

export interface MachinePlace {
  readonly site: string;
  readonly rack: string;
  readonly tags: readonly string[];
}

export interface MachineLoad {
  /** Of the GPUs' own memory, or of the host's if it is unified or there is no GPU. */
  readonly memory: number;
  readonly use: number;
  readonly cpu: number;
  /** Of the host's memory if the GPUs have their own. */
  readonly hostMemory?: number;
}

export interface SimulatedGpuFailure {
  readonly gpu: number;
  readonly state: FailedGpuState;
  readonly reason: string;
}

export interface MachineQuirks {
  readonly swapUsedBytes?: number;
  readonly osBuild?: string;
  /** All Thunderbolt ports joined into one bridge that is switched on. */
  readonly hasThunderboltBridge?: boolean;
  /** Index of a GPU that is thermally throttled and sits in a slot with fewer lanes. */
  readonly throttledGpu?: number;
  /** GPUs that are lost or must be reset, by their index: listed apart from the others, without figures. */
  readonly failedGpus?: readonly SimulatedGpuFailure[];
  /** The negotiated Ethernet rate, if below its maximum. */
  readonly ethernetBitsPerSecond?: number;
  /** It serves a model: its probes wait. */
  readonly servesModel?: boolean;
  /** It joins just as the simulation starts: its GPUs and links are measured for the first time. */
  readonly isUnmeasured?: boolean;
}

/** A cable between two machines, by their place in the list of machines. */
export interface Cable {
  readonly a: number;
  readonly b: number;
  readonly kind: CableKind;
  /** Goodput of the best connection over it, bits a second. */
  readonly bitsPerSecondToA: number;
  readonly bitsPerSecondToB: number;
  readonly roundTripNs: number;
  /** It should work but does not: neither end reaches the other over it. */
  readonly isCutOff?: boolean;
  /** Why probes from a to b fail over it; the other direction works. */
  readonly failure?: string;
  /** Its rate last week, if higher than now. */
  readonly usualBitsPerSecond?: number;
  /** TCP retransmits that a probe sees. */
  readonly retransmits?: number;
}

export type CableKind =
  | 'thunderbolt-rdma'
  | 'thunderbolt'
  | 'roce'
  | 'infiniband'
  | 'ethernet'
  | 'wifi'
  | 'overlay';

/** A cable with the usual figures of its kind. */
export const cable = (
  a: number,
  b: number,
  kind: CableKind,
  figures: Partial<
    Pick<
      Cable,
      | 'bitsPerSecondToA'
      | 'bitsPerSecondToB'
      | 'usualBitsPerSecond'
      | 'roundTripNs'
      | 'failure'
      | 'retransmits'
      | 'isCutOff'
    >
  > = {},
): Cable => ({
  a,
  b,
  kind,
  bitsPerSecondToA: USUAL[kind].bitsPerSecond,
  bitsPerSecondToB: USUAL[kind].bitsPerSecond,
  roundTripNs: USUAL[kind].roundTripNs,
  ...figures,
});

const USUAL: Readonly<Record<CableKind, { readonly bitsPerSecond: number; readonly roundTripNs: number }>> = {
  'thunderbolt-rdma': { bitsPerSecond: 74.7e9, roundTripNs: 18_000 },
  thunderbolt: { bitsPerSecond: 31e9, roundTripNs: 210_000 },
  roce: { bitsPerSecond: 97e9, roundTripNs: 4_600 },
  infiniband: { bitsPerSecond: 392e9, roundTripNs: 2_300 },
  // 10 Gb/s minus the headers of 1,500-byte frames.
  ethernet: { bitsPerSecond: 9.414e9, roundTripNs: 205_000 },
  wifi: { bitsPerSecond: 0.84e9, roundTripNs: 4_200_000 },
  overlay: { bitsPerSecond: 0.41e9, roundTripNs: 4_400_000 },
};
