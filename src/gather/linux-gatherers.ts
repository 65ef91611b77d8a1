// Everything that reads a Linux machine, but for its GPUs.

import os from 'node:os';
import type { Env } from '../process/child.ts';
import { directoryFiles } from './directory-files.ts';
import { linuxIdentityGatherer } from './dmi/linux-identity-gatherer.ts';
import type { Gatherer, GatherSettings } from './gatherer.ts';
import { linuxRdmaGatherer } from './infiniband/linux-rdma-gatherer.ts';
import { linuxNetworkGatherer } from './ip/linux-network-gatherer.ts';
import { linuxDiskGatherer } from './mountinfo/linux-disk-gatherer.ts';
import { askSpace } from './mountinfo/volume-space.ts';
import { linuxMemoryGatherer } from './procfs/linux-memory-gatherer.ts';
import { linuxSystemGatherer } from './procfs/linux-system-gatherer.ts';
import { linuxThunderboltGatherer } from './thunderbolt/linux-thunderbolt-gatherer.ts';

export interface LinuxGatherersOptions {
  /** "/" normally; a fixture tree in tests. */
  readonly root: string;
  /** For the PATH on which `ip` is looked up. */
  readonly env: Env;
  readonly plimsollVersion: string;
  /** Asked at each reading. */
  readonly settings: () => GatherSettings;
  readonly intervals?: Partial<LinuxIntervals>;
}

/** ms */
export interface LinuxIntervals {
  readonly memoryMs: number;
  readonly systemMs: number;
  readonly thunderboltMs: number;
  readonly networkMs: number;
  readonly rdmaMs: number;
  readonly diskMs: number;
  readonly identityMs: number;
}

/** DESIGN §3.4. */
export const LINUX_INTERVALS: LinuxIntervals = {
  memoryMs: 500,
  systemMs: 1_000,
  thunderboltMs: 5_000,
  networkMs: 10_000,
  rdmaMs: 10_000,
  diskMs: 30_000,
  identityMs: 30_000,
};

export const linuxGatherers = (options: LinuxGatherersOptions): readonly Gatherer[] => {
  const { env, settings, plimsollVersion } = options;
  const files = directoryFiles(options.root);
  const intervals: LinuxIntervals = { ...LINUX_INTERVALS, ...options.intervals };
  return [
    linuxIdentityGatherer({ files, intervalMs: intervals.identityMs, settings, plimsollVersion }),
    linuxMemoryGatherer({ files, intervalMs: intervals.memoryMs }),
    linuxSystemGatherer({ files, intervalMs: intervals.systemMs }),
    linuxNetworkGatherer({
      files,
      env,
      intervalMs: intervals.networkMs,
      settings,
      listAddresses: () => os.networkInterfaces(),
      toolTimeoutMs: TOOL_TIMEOUT_MS,
    }),
    linuxThunderboltGatherer({ files, intervalMs: intervals.thunderboltMs }),
    linuxRdmaGatherer({ files, intervalMs: intervals.rdmaMs }),
    linuxDiskGatherer({ files, intervalMs: intervals.diskMs, askSpace, waitMs: VOLUME_WAIT_MS }),
  ];
};

/** `ip` reads kernel tables only; two seconds without an answer is a broken one. */
const TOOL_TIMEOUT_MS = 2_000;
const VOLUME_WAIT_MS = 2_000;
