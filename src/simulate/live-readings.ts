// The live values of a simulated machine: memory, processors, GPUs, temperature and power, as functions of time.

import type { Fact } from '../core/event-kinds.ts';
import type { GpuLoad } from '../core/node/gpu.ts';
import {
  type Pressure,
  type PressuredResource,
  type StalledTime,
  withoutFullProcessor,
} from '../core/node/pressure.ts';
import { unknown } from '../core/unknown.ts';
import { deviceId, simulated, workingGpus } from './durable-readings.ts';
import type { GpuHardware } from './hardware.ts';
import { seedOf, unrest } from './noise.ts';
import type { Site } from './site.ts';

/** How often live readings are reported, ms. */
export const LIVE_INTERVAL_MS = 1_000;

export interface Moment {
  readonly seed: number;
  /** Since the simulation started; negative before that. */
  readonly seconds: number;
}

export const memoryFact = (site: Site, moment: Moment): Fact => {
  const { machine, hardware } = site;
  const used = memoryUseOf(site, moment);
  const swapUsedBytes = machine.quirks?.swapUsedBytes ?? 0;
  const isFull = used > FULL_SHARE;
  return {
    kind: 'memory.gathered',
    payload: simulated(
      {
        totalBytes: hardware.memoryBytes,
        availableBytes: Math.round(hardware.memoryBytes * (1 - used)),
        swapTotalBytes: 8_589_934_592,
        swapUsedBytes,
        pressure: {
          level: isFull && swapUsedBytes > 0 ? 'warning' : 'normal',
          stalledShare:
            hardware.operatingSystem.platform === 'macos'
              ? unknown('not reported by macOS')
              : memoryStall(used),
        },
        container: { kind: 'none' },
        gpuNodeBytes: 0,
      },
      LIVE_INTERVAL_MS,
    ),
  };
};

/** As Linux reports it (PSI); none if the machine does not run Linux. */
export const pressureFacts = (site: Site, moment: Moment): readonly Fact[] => {
  const { machine, hardware } = site;
  if (hardware.operatingSystem.platform !== 'linux') return [];
  const { cpu, memory } = machine.load;
  // For a host's processors the kernel only reports that some task waited.
  const host = {
    cpu: pressureOf(site, moment, { resource: 'cpu', mean: 0.01 + 0.3 * cpu ** 2, ofAll: 0 }),
    memory: pressureOf(site, moment, {
      resource: 'memory',
      mean: memoryStall(memoryShare(site)),
      ofAll: 0.6,
    }),
    io: pressureOf(site, moment, { resource: 'io', mean: 0.004 + 0.02 * memory, ofAll: 0.5 }),
  };
  return [
    {
      kind: 'pressure.gathered',
      payload: simulated({ host: withoutFullProcessor(host), controlGroup: { kind: 'none' } }),
    },
  ];
};

export const systemFact = (site: Site, moment: Moment): Fact => {
  const { hardware } = site;
  const cpuUse = cpuUseOf(site, moment);
  const isMac = hardware.operatingSystem.platform === 'macos';
  const { watts } = hardware;
  const gpuUse = hardware.gpus.length === 0 ? cpuUse : gpuUseOf(site, 0, moment);
  return {
    kind: 'system.gathered',
    payload: simulated(
      {
        cpuUse: rounded(cpuUse, 3),
        cpuTemperatureCelsius: rounded(38 + 30 * cpuUse + 16 * gpuUse, 1),
        cpuPowerWatts: isMac ? rounded(2 + 48 * cpuUse, 1) : unknown('no sensor'),
        systemPowerWatts:
          watts === undefined
            ? unknown('no sensor')
            : rounded(watts.idle + (watts.peak - watts.idle) * (0.78 * gpuUse + 0.22 * cpuUse), 0),
        loadAverage1: rounded(hardware.cpuCount * cpuUse * 1.1, 2),
        uptimeSeconds: Math.round(uptimeSecondsOf(site, moment)),
        cpuClusters: hardware.cpuClusters.map(({ name, clockMhzMax }, at) => ({
          name,
          use: rounded(bounded(cpuUse * (at === 0 ? 1.4 : 0.9)), 3),
          clockMhz: Math.round(clockMhzMax * (0.45 + 0.55 * bounded(cpuUse * 3))),
        })),
      },
      LIVE_INTERVAL_MS,
    ),
  };
};

/** None if the machine has no GPU. */
export const gpuLoadFacts = (site: Site, moment: Moment): readonly Fact[] => {
  const { hardware } = site;
  const [first] = hardware.gpus;
  if (first === undefined) return [];
  const devices = workingGpus(site).map(({ gpu, at }) => loadOf(site, gpu, at, moment));
  const payload = simulated({ vendor: first.vendor, devices }, LIVE_INTERVAL_MS);
  return [{ kind: 'gpuLoads.gathered', payload }];
};

export const diskFact = ({ machine, hardware }: Site, { seconds }: Moment): Fact => {
  const free = machine.quirks?.diskFreeShare ?? 0.18 + (seedOf(3, machine.name) % 60) / 100;
  const isMac = hardware.operatingSystem.platform === 'macos';
  return {
    kind: 'disk.gathered',
    payload: simulated({
      volumes: [
        {
          mountPoint: isMac ? '/System/Volumes/Data' : '/',
          device: isMac ? '/dev/disk3s5' : '/dev/nvme0n1p2',
          fileSystem: isMac ? 'apfs' : 'ext4',
          totalBytes: hardware.diskBytes,
          // A log grows a little; no disk fills up in a demo.
          availableBytes: Math.round(hardware.diskBytes * free - Math.max(0, seconds) * 20_000),
        },
      ],
    }),
  };
};

const loadOf = (site: Site, gpu: GpuHardware, at: number, moment: Moment): GpuLoad => {
  const { machine, index } = site;
  const use = gpuUseOf(site, at, moment);
  const isThrottled = machine.quirks?.throttledGpu === at;
  const usedShare = bounded(
    machine.load.memory -
      at * 0.04 +
      0.01 * unrest(seedOf(moment.seed, `${machine.name} gpu memory ${at}`), moment.seconds / 4),
  );
  return {
    deviceId: deviceId(gpu, index, at),
    use: rounded(use, 3),
    memoryReservedUsedBytes: 0,
    memoryUsedBytes:
      gpu.memoryBytes === undefined ? unknown('unified memory') : Math.round(gpu.memoryBytes * usedShare),
    temperatureCelsius: rounded(isThrottled ? 86 + 3 * use : 36 + 36 * use, 0),
    powerWatts: rounded(
      gpu.watts.idle + (gpu.watts.peak - gpu.watts.idle) * use * (isThrottled ? 0.62 : 1),
      1,
    ),
    clockMhz: Math.round(gpu.clockMhzMax * (isThrottled ? 0.58 : 0.55 + 0.45 * bounded(use * 2.5))),
    pcieNow:
      gpu.pcie === undefined ? unknown('not on PCIe') : isThrottled ? { ...gpu.pcie, width: 4 } : gpu.pcie,
    throttleReasons: isThrottled ? ['HW thermal slowdown'] : [],
    encoderUse: unknown('not simulated'),
    decoderUse: unknown('not simulated'),
    processes: unknown('not simulated'),
  };
};

const gpuUseOf = ({ machine }: Site, at: number, { seed, seconds }: Moment): number =>
  bounded(
    machine.load.use -
      at * 0.03 +
      0.16 * swing(machine.load.use) * unrest(seedOf(seed, `${machine.name} gpu ${at}`), seconds),
  );

const cpuUseOf = ({ machine }: Site, { seed, seconds }: Moment): number =>
  bounded(machine.load.cpu + 0.05 * unrest(seedOf(seed, `${machine.name} cpu`), seconds));

interface StalledResource {
  readonly resource: PressuredResource;
  readonly mean: number;
  /** The share of the time with some task waiting in which all of them waited. */
  readonly ofAll: number;
}

/** A mean over a longer time varies less. */
const pressureOf = (site: Site, moment: Moment, { resource, mean, ofAll }: StalledResource): Pressure => {
  const { name } = site.machine;
  const near = (spread: number, slowness: number): number =>
    mean *
    (1 + spread * unrest(seedOf(moment.seed, `${name} waits for ${resource}`), moment.seconds / slowness));
  const share10s = resource === 'memory' ? memoryStall(memoryUseOf(site, moment)) : near(0.5, 1);
  const timeOf = (part: number): StalledTime => ({
    share10s: rounded(share10s * part, 4),
    share60s: rounded(near(0.3, 6) * part, 4),
    share300s: rounded(near(0.1, 30) * part, 4),
    totalMicroseconds: Math.round(uptimeSecondsOf(site, moment) * mean * part * 1e6),
  });
  return { some: timeOf(1), full: timeOf(ofAll) };
};

export const uptimeSecondsOf = ({ machine }: Site, { seconds }: Moment): number =>
  (3 + (seedOf(7, machine.name) % 60)) * 86_400 + seconds;

const memoryUseOf = (site: Site, { seed, seconds }: Moment): number =>
  bounded(memoryShare(site) + 0.012 * unrest(seedOf(seed, `${site.machine.name} memory`), seconds / 3));

const memoryShare = (site: Site): number =>
  site.hardware.memoryIsUnified || site.hardware.gpus.length === 0
    ? site.machine.load.memory
    : hostShare(site);

/** Over 10 s, for the readings of both memory and pressure. */
const memoryStall = (used: number): number => (used > FULL_SHARE ? 0.061 : 0.002);

const hostShare = ({ machine }: Site): number => machine.load.hostMemory ?? 0.2;

/** An idle device stays idle; one near its limit has little room left. */
const swing = (mean: number): number => Math.min(1, mean * 3, 0.2 + (1 - mean) * 3);

const bounded = (share: number): number => Math.min(1, Math.max(0, share));

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

const FULL_SHARE = 0.85;
