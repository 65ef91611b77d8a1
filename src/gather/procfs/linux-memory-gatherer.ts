// Memory of a Linux machine, twice a second: a few small files that stay open, no process started.

import type { NodeMemory } from '../../core/node/memory.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { type FileText, isUnreadable, notRead, readFailed } from '../machine-files.ts';
import { poll } from '../poll.ts';
import { ContainerMemorySource } from './container-memory.ts';
import { type GpuNodeMemory, GpuNumaNodes } from './gpu-numa-nodes.ts';
import { memoryPressure, parseStalledShare } from './memory-pressure.ts';
import { type MemoryInfo, parseMeminfo } from './parse-meminfo.ts';

export const linuxMemoryGatherer = ({ files, intervals }: MachineAccess): Gatherer => ({
  name: 'procfs-memory',
  reports: [MEMORY],
  intervalMs: intervals.memoryMs,
  gather: async session => {
    using meminfo = files.keepOpen('/proc/meminfo');
    using pressure = files.keepOpen('/proc/pressure/memory');
    using container = new ContainerMemorySource(files, Math.ceil(LIMIT_LOOK_UP_MS / intervals.memoryMs));
    using gpuNodes = new GpuNumaNodes(files, Math.ceil(LIMIT_LOOK_UP_MS / intervals.memoryMs));
    await poll(session, intervals.memoryMs, () => {
      const text = meminfo.readNow();
      if (isUnreadable(text)) throw readFailed(text);
      const info = hostMemory(parseMeminfo(text), gpuNodes.readNow());
      const { totalBytes, availableBytes } = info;
      if (isUnknown(totalBytes)) throw new Error(totalBytes.reason);
      const stalledShare = stalledShareOf(pressure.readNow());
      session.emit('procfs', {
        kind: 'memory',
        value: {
          ...info,
          totalBytes,
          pressure: memoryPressure({ stalledShare, totalBytes, availableBytes }),
          container: container.readNow(totalBytes),
        },
      });
    });
  },
});

/** Without the memory of GPUs that the kernel counts as the machine's: their drivers report it too. */
export const hostMemory = (
  info: MemoryInfo,
  gpuNodes: GpuNodeMemory,
): MemoryInfo & Pick<NodeMemory, 'gpuNodeBytes'> => {
  const { totalBytes, availableBytes } = info;
  if (gpuNodes.totalBytes === 0 || isUnknown(totalBytes)) return { ...info, gpuNodeBytes: 0 };
  const hostBytes = Math.max(0, totalBytes - gpuNodes.totalBytes);
  return {
    ...info,
    totalBytes: hostBytes,
    availableBytes: isUnknown(availableBytes)
      ? availableBytes
      : Math.min(hostBytes, Math.max(0, availableBytes - gpuNodes.availableBytes)),
    gpuNodeBytes: gpuNodes.totalBytes,
  };
};

/** The file is missing without CONFIG_PSI, and reads EOPNOTSUPP with psi=0 on the boot line. */
const stalledShareOf = (text: FileText): Reported<number> => {
  if (!isUnreadable(text)) return parseStalledShare(text);
  const isOff = text.code === 'ENOENT' || text.code === 'EOPNOTSUPP';
  return isOff ? unknown('this kernel does not measure pressure (PSI is off)', 'psi-off') : notRead(text);
};

const MEMORY: GatheredKind = { reading: 'memory', vendor: 'none' };
const LIMIT_LOOK_UP_MS = 10_000;
