// The GPU of a Jetson, which shares chip and memory with the processor: its identity from the device tree, its load
// from one long-running `tegrastats`. nvidia-smi is missing there before JetPack 6, and reports almost nothing in
// JetPack 6. Written from NVIDIA's documentation; not verified on hardware.

import type { GpuDevice } from '../../core/node/gpu.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { ToolError } from '../../process/child.ts';
import { PCI_VENDORS } from '../drm/drm-cards.ts';
import { findPciDisplays } from '../drm/pci-bus.ts';
import { type Gatherer, type GatherSession, sourceFailed } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { type MachineFiles, textOr, trimmed } from '../machine-files.ts';
import { NO_PCIE_LINK, UNIFIED_MEMORY } from '../nvidia/parse-inventory.ts';
import { parseTegrastats } from './parse-tegrastats.ts';

/** Inventory and loads from one source, so both switch to another source together and their device ids match. */
export const tegrastatsGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'tegrastats',
  reports: [
    { reading: 'gpus', vendor: 'nvidia' },
    { reading: 'gpuLoads', vendor: 'nvidia' },
  ],
  intervalMs: machine.intervals.gpuMs,
  gather: async session => {
    const { files, root } = machine;
    const chip = /nvidia,tegra(\d{3})/.exec(textOr(files.textNow('/proc/device-tree/compatible'), ''))?.[1];
    if (chip === undefined) return;
    // A Jetson with a GPU on PCI (Thor, IGX with a card) has the usual driver, and nvidia-smi reports it.
    if ((await findPciDisplays(root, PCI_VENDORS.nvidia)).length > 0) return;
    await streamTegrastats(deviceOf(files, chip), machine, session);
  },
});

const streamTegrastats = async (
  device: GpuDevice,
  { tools, intervals, timeouts }: MachineAccess,
  session: GatherSession,
): Promise<void> => {
  let badInARow = 0;
  try {
    for await (const line of tools.lines('tegrastats', ['--interval', String(intervals.gpuMs)], {
      signal: session.signal,
      idleTimeoutMs: timeouts.gpuSilentMs,
      lineBytesMax: LINE_BYTES_MAX,
      linesPerSecondMax: LINES_PER_SECOND_MAX,
    })) {
      const load = parseTegrastats(line, device.deviceId);
      if (load.kind === 'unanswered') {
        if (++badInARow >= BAD_LINES_MAX) throw new Error(load.reason);
        continue;
      }
      badInARow = 0;
      session.emit('device tree', { kind: 'gpus', value: { vendor: 'nvidia', devices: [device] } });
      session.emit('tegrastats', { kind: 'gpuLoads', value: { vendor: 'nvidia', devices: [load.value] } });
    }
  } catch (error) {
    if (error instanceof ToolError && error.code === 'tool-missing')
      throw sourceFailed(MISSING, 'tool-missing', { cause: error });
    throw error;
  }
};

const deviceOf = (files: MachineFiles, chip: string): GpuDevice => {
  const model = trimmed(files.textNow('/proc/device-tree/model'));
  const release = /R(\d{1,3}) \(release\), REVISION: ([\d.]{1,10})/.exec(
    textOr(files.textNow('/etc/nv_tegra_release'), ''),
  );
  const notReported: Reported<never> = unknown('tegrastats does not report it');
  return {
    // The chip has one GPU, without an address or serial number.
    deviceId: 'tegra-0',
    index: 0,
    name: isUnknown(model) ? 'NVIDIA Jetson' : model,
    memoryTotalBytes: unknown(UNIFIED_MEMORY),
    memoryIsUnified: true,
    memoryReservedBytes: notReported,
    driver:
      release === null ? unknown('no /etc/nv_tegra_release') : `Jetson Linux ${release[1]}.${release[2]}`,
    runtime: notReported,
    architecture: ARCHITECTURES.get(chip) ?? unknown(`the chip Tegra ${chip} is not known here`),
    coreCount: notReported,
    pcieMax: unknown(NO_PCIE_LINK),
    powerLimitWatts: notReported,
    powerLimitDefaultWatts: notReported,
    partitions: [],
  };
};

const MISSING =
  'tegrastats is not on PATH: it is part of NVIDIA Jetson Linux, and missing in most containers';
/** TX1 and Nano, TX2, Xavier, Orin, as nvidia-smi names architectures. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['210', 'Maxwell'],
  ['186', 'Pascal'],
  ['194', 'Volta'],
  ['234', 'Ampere'],
]);
const BAD_LINES_MAX = 5;
const LINE_BYTES_MAX = 16 * 1024;
/** It prints one per interval, of at least 100 ms. */
const LINES_PER_SECOND_MAX = 1_000;
