// What a simulated cluster consists of: machines, the cables between them, and what is wrong with some of them on purpose.

import type { FailedGpuState } from '../../core/node/failed-gpu.ts';
import type { GpuErrorKind } from '../../core/node/gpu-errors.ts';
import type { PortCounterName } from '../../core/node/port-health.ts';
import type { ReadingKind } from '../../core/node/reading.ts';
import type { Absence, Spell } from '../absence.ts';
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
  /** Quirks that it has only for a time, above those that it always has. */
  readonly changes?: readonly MachineChange[];
  /** Its location in config.toml; none for a machine on a desk. */
  readonly place?: MachinePlace;
}

interface MachineChange extends Spell {
  readonly quirks: MachineQuirks;
}

export interface MachinePlace {
  readonly site: string;
  readonly rack: string;
  readonly tags: readonly string[];
}

interface MachineLoad {
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

/** What is wrong with a GPU that still works. */
interface SimulatedGpuHealth {
  readonly gpu: number;
  readonly uncorrectedErrors?: number;
  readonly isRepairPending?: true;
  readonly hasRepairFailed?: true;
  /** In the words of its driver. */
  readonly recoveryAction?: string;
  readonly fabricFaults?: readonly string[];
  /** How many of its links to other GPUs are down. */
  readonly linksDown?: number;
}

/** A line of the kernel's log. */
export interface SimulatedGpuError {
  readonly gpu: number;
  readonly kind: GpuErrorKind;
  /** 0 for what has none. */
  readonly xid: number;
  readonly text: string;
  /** When it was logged, since the simulation began. */
  readonly atSeconds: number;
}

/** A counter of a cable or slot that grows. */
interface SimulatedPortFault {
  /** Interface, RDMA device or PCI address. */
  readonly port: string;
  readonly counter: PortCounterName;
  readonly lastHour: number;
}

/** A reading whose source fails, with a reason that its daemon would report. */
interface FailingReading {
  readonly reading: ReadingKind;
  readonly reason: string;
  readonly code: string;
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
  readonly gpuHealths?: readonly SimulatedGpuHealth[];
  readonly gpuErrors?: readonly SimulatedGpuError[];
  /** NVLink: how many links each of its GPUs has to the others. */
  readonly gpuLinkCount?: number;
  /** RDMA over Thunderbolt was never enabled. */
  readonly isRdmaOff?: true;
  /** Thunderbolt ports whose RDMA port is down though the cable is linked. */
  readonly downRdmaPorts?: readonly number[];
  /** InfiniBand ports that no subnet manager has configured. */
  readonly waitingRdmaPorts?: readonly number[];
  /** Its network adapter is at the second processor, its GPUs at the first. */
  readonly hasFarAdapter?: boolean;
  readonly portFaults?: readonly SimulatedPortFault[];
  /** Of its disk. */
  readonly diskFreeShare?: number;
  readonly failingReadings?: readonly FailingReading[];
  /** Readings whose source has stopped without a reason. */
  readonly silentReadings?: readonly ReadingKind[];
  /** Its adapter does not report what it negotiated, as in a virtual machine. */
  readonly hasNoEthernetRate?: true;
  /** It reports that it checks which nodes it reaches. */
  readonly checksOthers?: true;
  /** Two machines run from copies of its home: where each of them was seen. */
  readonly copyAddresses?: readonly [string, string];
  /** The negotiated Ethernet rate, if below its maximum. */
  readonly ethernetBitsPerSecond?: number;
  /** Of its Ethernet port, if it is not 1,500. */
  readonly ethernetMtuBytes?: number;
  /** It serves a model: its probes wait. */
  readonly servesModel?: boolean;
  /** It joins just as the simulation starts: its GPUs and links are measured for the first time. */
  readonly isUnmeasured?: boolean;
}

/** A cable between two machines, by their index in the list of machines. */
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
  /** When it carries nothing, because it is unplugged or an interface is gone. */
  readonly outages?: readonly CableOutage[];
  /** From when on it carries less, in both directions. */
  readonly slowed?: CableSlowed;
  /** The machine, one of its ends, whose firewall lets nothing in: its own connections to the other end work. */
  readonly firewallOf?: number;
  /** How much longer a round trip takes while it is full, ns. */
  readonly queueNs?: number;
}

interface CableOutage extends Spell {
  /** The end whose interface is gone meanwhile; undefined: the cable is unplugged. */
  readonly goneAt?: number;
}

export interface CableSlowed {
  readonly fromSeconds: number;
  readonly bitsPerSecond: number;
  readonly retransmits: number;
}

export type CableKind =
  | 'thunderbolt-rdma'
  | 'thunderbolt'
  | 'roce'
  | 'infiniband'
  | 'ethernet'
  /** Ethernet from one machine to another, without a switch. */
  | 'direct'
  | 'wifi'
  | 'overlay'
  /** Over an adapter whose type nothing reports. */
  | 'other';

/** A cable with the usual figures of its kind. */
export const cable = (
  a: number,
  b: number,
  kind: CableKind,
  figures: Partial<Omit<Cable, 'a' | 'b' | 'kind'>> = {},
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
  direct: { bitsPerSecond: 9.414e9, roundTripNs: 96_000 },
  wifi: { bitsPerSecond: 0.84e9, roundTripNs: 4_200_000 },
  overlay: { bitsPerSecond: 0.41e9, roundTripNs: 4_400_000 },
  other: { bitsPerSecond: 4.6e9, roundTripNs: 260_000 },
};
