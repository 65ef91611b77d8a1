// The health of simulated GPUs: what cards report that have run for years without a fault, with ECC on, and what those with a
// fault report.

import type { Fact } from '../core/event-kinds.ts';
import type { GpuError } from '../core/node/gpu-errors.ts';
import type { GpuHealth, GpuLink } from '../core/node/gpu-health.ts';
import { knownOr, unknown } from '../core/unknown.ts';
import { deviceId, pciAddressOf, simulated, workingGpus } from './durable-readings.ts';
import type { Moment } from './live-readings.ts';
import { seedOf } from './noise.ts';
import type { MachineQuirks, SimulatedGpuError } from './scenario/scenario.ts';
import type { Site } from './site.ts';

/** Of NVIDIA's cards with memory of their own. */
export const gpuHealthFacts = (site: Site): readonly Fact[] => {
  const { hardware, index, machine } = site;
  const [first] = hardware.gpus;
  if (first?.vendor !== 'nvidia' || first.memoryBytes === undefined) return [];
  const devices = workingGpus(site).map(({ gpu, at }) =>
    healthOf(deviceId(gpu, index, at), at, machine.quirks ?? {}),
  );
  return [{ kind: 'gpuHealths.gathered', payload: simulated({ vendor: 'nvidia', devices }) }];
};

/** What the kernel's log has of GPUs; none of a machine whose log has nothing. */
export const gpuErrorFacts = (site: Site, { seconds }: Moment): readonly Fact[] => {
  const logged = (site.machine.quirks?.gpuErrors ?? []).map(error => loggedError(site, error, seconds));
  const errors = [...logged, ...(gpuHealthFacts(site).length === 0 ? [] : [programFault(seconds)])];
  if (errors.length === 0) return [];
  return [{ kind: 'gpuErrors.gathered', payload: simulated({ errors }) }];
};

const loggedError = (
  { hardware }: Site,
  { gpu: at, kind, xid, text, atSeconds }: SimulatedGpuError,
  seconds: number,
): GpuError => {
  const gpu = hardware.gpus[at];
  if (gpu === undefined) throw new RangeError(`${hardware.model} has no GPU ${at}`);
  return {
    // NVIDIA's driver names a device without its function.
    address: knownOr(pciAddressOf(gpu, at), '').replace(gpu.vendor === 'nvidia' ? /\.0$/ : /^$/, ''),
    xid,
    kind,
    count: 1,
    newestAgeMs: Math.round(Math.max(0, seconds - atSeconds) * 1_000),
    text,
  };
};

/** What every machine has that somebody writes programs on. */
const programFault = (seconds: number): GpuError => ({
  address: '0000:01:00',
  xid: 31,
  kind: 'xid',
  count: 1,
  newestAgeMs: Math.round((10_800 + Math.max(0, seconds)) * 1_000),
  text: 'pid=4242, name=python3, Ch 00000008, MMU Fault',
});

const healthOf = (id: string, at: number, { gpuHealths, gpuLinkCount }: MachineQuirks): GpuHealth => {
  const fault = gpuHealths?.find(({ gpu }) => gpu === at);
  return {
    deviceId: id,
    eccVolatile: { corrected: 0, uncorrected: fault?.uncorrectedErrors ?? 0 },
    eccAggregate: { corrected: seedOf(11, id) % 3, uncorrected: fault?.uncorrectedErrors ?? 0 },
    repair: {
      rowsAfterCorrected: 0,
      rowsAfterUncorrected: 0,
      retiredPages: unknown('not available on this device', 'not-offered'),
      isPending: fault?.isRepairPending ?? false,
      hasFailed: fault?.hasRepairFailed ?? false,
    },
    pcieReplays: 0,
    recoveryAction: fault?.recoveryAction ?? '',
    links:
      gpuLinkCount === undefined ? unknown('not simulated') : linksOf(gpuLinkCount, fault?.linksDown ?? 0),
    fabric: fault?.fabricFaults ?? unknown('not simulated'),
  };
};

const linksOf = (count: number, downCount: number): readonly GpuLink[] =>
  Array.from({ length: count }, (_, number): GpuLink => {
    const isUp = number < count - downCount;
    return {
      number,
      isUp,
      bytesPerSecond: isUp ? NVLINK_BYTES_PER_SECOND : unknown('the link is down'),
      sentBytes: unknown('not simulated'),
      receivedBytes: unknown('not simulated'),
      replays: 0,
      recoveries: 0,
      crcErrors: 0,
    };
  });

/** Of one link of an H100, as `nvidia-smi nvlink --status` prints it. */
const NVLINK_BYTES_PER_SECOND = 26.562e9;
