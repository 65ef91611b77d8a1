// Errors that NVIDIA's driver writes into the kernel's log (Xid), from /dev/kmsg: no process, and nothing read twice. A GPU that has
// fallen off the bus is told here when nvidia-smi does not answer any more.

import { join } from 'node:path';
import { type GatheredKind, type Gatherer, sourceFailed } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { accessCode, textOr } from '../machine-files.ts';
import { nvidiaTrace } from '../nvidia/nvidia-tool.ts';
import { poll } from '../poll.ts';
import { KernelLog } from './kernel-log.ts';
import { parseXid, XidTally } from './parse-xid.ts';

export const linuxGpuErrorsGatherer = ({ root, files }: MachineAccess): Gatherer => ({
  name: 'kmsg-gpu-errors',
  tells: [GPU_ERRORS],
  intervalMs: INTERVAL_MS,
  gather: async session => {
    if ((await nvidiaTrace(root)) === undefined) {
      session.absent(GPU_ERRORS, SOURCE, 'no NVIDIA GPU');
      return;
    }
    using log = openLog(join(root, 'dev/kmsg'));
    const tally = new XidTally();
    await poll(session, INTERVAL_MS, () => {
      for (const record of log.readNow()) {
        const logged = parseXid(record);
        if (logged !== undefined) tally.add(logged);
      }
      // Its clock stands still while the machine sleeps, and uptime does not: errors before that look older.
      const uptimeSeconds = Number.parseFloat(textOr(files.textNow('/proc/uptime'), ''));
      if (Number.isNaN(uptimeSeconds)) throw new Error('/proc/uptime cannot be read');
      session.emit(SOURCE, { kind: 'gpuErrors', value: { errors: tally.read(uptimeSeconds) } });
    });
  },
});

const openLog = (path: string): KernelLog => {
  try {
    return new KernelLog(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') throw sourceFailed('there is no /dev/kmsg here, as in most containers', undefined);
    throw sourceFailed(
      accessCode(code) === undefined
        ? `/dev/kmsg cannot be opened: ${code}`
        : 'the kernel keeps its log for root (kernel.dmesg_restrict)',
      accessCode(code),
      { cause: error },
    );
  }
};

const GPU_ERRORS: GatheredKind = { reading: 'gpuErrors', vendor: 'none' };
const SOURCE = 'kernel log';
const INTERVAL_MS = 10_000;
