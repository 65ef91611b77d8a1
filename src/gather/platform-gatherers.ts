// What reads a machine, by platform. Of two gatherers that report the same, the upper one is preferred, and the lower one
// replaces it when it fails (`arbitration.ts`).

import { EVENT_KINDS } from '../core/event-kinds.ts';
import { gatheredKind, NODE_READING_KINDS } from '../core/node/reading.ts';
import type { Env } from '../process/child.ts';
import { amdSmiLoadGatherer } from './amd-smi/amd-smi-load-gatherer.ts';
import { amdgpuInventoryGatherer } from './amdgpu/amdgpu-inventory-gatherer.ts';
import { amdgpuLoadGatherer } from './amdgpu/amdgpu-load-gatherer.ts';
import { macosDiskGatherer } from './df/macos-disk-gatherer.ts';
import { linuxDiskHealthGatherer } from './disk-health/linux-disk-health-gatherer.ts';
import { linuxIdentityGatherer } from './dmi/linux-identity-gatherer.ts';
import type { GatheredKind, Gatherer } from './gatherer.ts';
import { ibverbsDevices, macosRdmaGatherer } from './ibverbs/macos-rdma-gatherer.ts';
import { macosNetworkGatherer } from './ifconfig/macos-network-gatherer.ts';
import { linuxRdmaGatherer } from './infiniband/linux-rdma-gatherer.ts';
import { intelInventoryGatherer, intelLoadGatherer } from './intel/intel-gatherers.ts';
import { linuxNetworkGatherer } from './ip/linux-network-gatherer.ts';
import { linuxGpuErrorsGatherer } from './kmsg/linux-gpu-errors-gatherer.ts';
import { linuxContainerGatherer } from './kubernetes/container-gatherer.ts';
import {
  type GatherIntervals,
  type GatherSettings,
  type MachineAccess,
  machineAccess,
} from './machine-access.ts';
import { macmonGatherer } from './macmon/macmon-gatherer.ts';
import { linuxDiskGatherer } from './mountinfo/linux-disk-gatherer.ts';
import { macosTrafficGatherer } from './netstat/macos-traffic-gatherer.ts';
import { hardwarePorts } from './networksetup/parse-networksetup.ts';
import { nvidiaGatherers } from './nvidia/nvidia-inventory-gatherer.ts';
import { linuxPortHealthGatherer } from './port-health/linux-port-health-gatherer.ts';
import { linuxPressureGatherer } from './pressure/pressure-gatherer.ts';
import { linuxDiskTrafficGatherer } from './procfs/linux-disk-traffic-gatherer.ts';
import { linuxMemoryGatherer } from './procfs/linux-memory-gatherer.ts';
import { linuxSystemGatherer } from './procfs/linux-system-gatherer.ts';
import { linuxTrafficGatherer } from './procfs/linux-traffic-gatherer.ts';
import { MemoryGauges } from './sysctl/memory-gauge.ts';
import { macosIdentityGatherer } from './system-profiler/macos-identity-gatherer.ts';
import { macosThunderboltGatherer } from './system-profiler/macos-thunderbolt-gatherer.ts';
import { tegrastatsGatherer } from './tegrastats/tegrastats-gatherer.ts';
import { linuxThunderboltGatherer } from './thunderbolt/linux-thunderbolt-gatherer.ts';
import { linuxTopologyGatherer } from './topology/linux-topology-gatherer.ts';
import { vmStatGatherer } from './vm-stat/vm-stat-gatherer.ts';

interface PlatformGatherersOptions {
  /** As Node names it. */
  readonly platform: string;
  readonly root: string;
  readonly env: Env;
  readonly plimsollVersion: string;
  readonly settings: () => GatherSettings;
  /** When the result of `settings` may have changed. */
  readonly onSettings: OnChange;
  readonly intervals: Partial<GatherIntervals>;
}

/** Gatherers whose readings depend on settings are restarted when such a setting changes. */
export const platformGatherers = (options: PlatformGatherersOptions): readonly Gatherer[] => {
  const onChange = whenDifferent(options);
  return platformSources(options.platform, machineAccess({ ...options, env: toolEnv(options) })).map(
    gatherer =>
      gatherer.reports.some(({ reading }) => reading === 'identity' || reading === 'network')
        ? wasRestarted(gatherer, onChange)
        : gatherer,
  );
};

/** Empty for a platform without gatherers. Windows has NVIDIA only, untested. */
export const platformSources = (platform: string, machine: MachineAccess): readonly Gatherer[] => {
  switch (platform) {
    case 'linux':
      return [...linuxSources(machine), ...absentReadings('linux')];
    case 'darwin':
      return [...macosSources(machine), ...absentReadings('macos')];
    case 'win32':
      return nvidiaSources(machine);
    default:
      return [];
  }
};

const linuxSources = (machine: MachineAccess): readonly Gatherer[] => [
  linuxIdentityGatherer(machine),
  linuxMemoryGatherer(machine),
  linuxSystemGatherer(machine),
  linuxPressureGatherer(machine),
  linuxContainerGatherer(machine),
  linuxNetworkGatherer(machine),
  linuxTrafficGatherer(machine),
  linuxDiskTrafficGatherer(machine),
  linuxThunderboltGatherer(machine),
  linuxRdmaGatherer(machine),
  linuxPortHealthGatherer(machine),
  linuxTopologyGatherer(machine),
  linuxDiskGatherer(machine),
  linuxDiskHealthGatherer(machine),
  tegrastatsGatherer(machine),
  ...nvidiaSources(machine),
  linuxGpuErrorsGatherer(machine),
  amdgpuInventoryGatherer(machine),
  amdSmiLoadGatherer(machine),
  amdgpuLoadGatherer(machine),
  intelInventoryGatherer(machine),
  intelLoadGatherer(machine),
];

const nvidiaSources = (machine: MachineAccess): readonly Gatherer[] => {
  const { inventory, loads } = nvidiaGatherers(machine);
  return [inventory, loads];
};

const macosSources = (machine: MachineAccess): readonly Gatherer[] => {
  // What two of them need from the same tool is read once and shared.
  const ports = hardwarePorts(machine);
  const rdma = ibverbsDevices(machine);
  const gauges = new MemoryGauges(machine);
  return [
    macosIdentityGatherer(machine),
    macmonGatherer(machine, gauges),
    vmStatGatherer(machine, gauges),
    macosNetworkGatherer(machine, ports),
    macosTrafficGatherer(machine),
    macosThunderboltGatherer(machine, ports, rdma),
    macosRdmaGatherer(machine, rdma),
    macosDiskGatherer(machine),
  ];
};

/** What a platform never has, by the table of kinds. */
const absentReadings = (platform: 'linux' | 'macos'): readonly Gatherer[] =>
  NODE_READING_KINDS.flatMap(reading => {
    const reason = EVENT_KINDS[gatheredKind(reading)].absentOn?.[platform];
    return reason === undefined ? [] : absentGatherer(reading, reason);
  });

/** A daemon started by launchd has a PATH without Homebrew, where macmon lives, and without /usr/sbin. */
const toolEnv = ({ platform, env }: PlatformGatherersOptions): Env =>
  platform === 'darwin' ? { ...env, PATH: withMacosFolders(env['PATH']) } : env;

/** After the user's own PATH, so their choice wins. */
const withMacosFolders = (path: string | undefined): string => {
  const folders = (path ?? '').split(':').filter(folder => folder !== '');
  return [...folders, ...MACOS_FOLDERS.filter(folder => !folders.includes(folder))].join(':');
};

const whenDifferent =
  ({ settings, onSettings }: PlatformGatherersOptions): OnChange =>
  listener => {
    let known = JSON.stringify(settings());
    return onSettings(() => {
      const now = JSON.stringify(settings());
      if (now === known) return;
      known = now;
      listener();
    });
  };

const MACOS_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/opt/homebrew/bin', '/usr/local/bin'];

// For a system without a kind of reading: reported once, with the reason.
const absentGatherer = (reading: GatheredKind['reading'], reason: string): Gatherer => {
  const kind: GatheredKind = { reading, vendor: 'none' };
  return {
    name: `no-${reading}`,
    reports: [kind],
    intervalMs: INTERVAL_MS,
    gather: session => Promise.resolve(session.absent(kind, 'operating system', reason)),
  };
};

const INTERVAL_MS = 30_000;

// A gatherer that is restarted when something it depends on changes, such as the settings: gatherers read and report at
// once when they start.

/** Calls back at each change; returns the end of the subscription. */
type OnChange = (listener: () => void) => () => void;

/** A gatherer that has found nothing on this machine stays ended. */
export const wasRestarted = (gatherer: Gatherer, onChange: OnChange): Gatherer => ({
  ...gatherer,
  gather: async session => {
    for (let isChanged = true; isChanged && !session.signal.aborted; ) {
      const change = new AbortController();
      const end = onChange(() => change.abort());
      try {
        await gatherer.gather({ ...session, signal: AbortSignal.any([session.signal, change.signal]) });
      } catch (error) {
        if (!change.signal.aborted) throw error;
      } finally {
        end();
      }
      isChanged = change.signal.aborted;
    }
  },
});
