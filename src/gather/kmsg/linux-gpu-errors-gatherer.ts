// Errors that GPU drivers write into the kernel's log (NVIDIA's Xid and SXid, resets of AMD's and Intel's), from /dev/kmsg: no
// process, and nothing read twice. If only root may read that, from systemd's journal, which members of its group may read. A GPU
// that has fallen off the bus is reported here when nvidia-smi does not answer any more.

import { join } from 'node:path';
import { errorMessage } from '../../core/problem.ts';
import { PCI_VENDORS } from '../drm/drm-cards.ts';
import { gpuIsHere } from '../drm/gpu-watch.ts';
import { findPciDisplays } from '../drm/pci-bus.ts';
import { type GatheredKind, type Gatherer, type GatherSession, sourceFailed } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { accessCode, textOr } from '../machine-files.ts';
import { nvidiaTrace } from '../nvidia/nvidia-tool.ts';
import { poll, runConcurrently } from '../poll.ts';
import { journalLines, needJournal } from './journal.ts';
import { KernelLog } from './kernel-log.ts';
import { parseJournalXid, parseXid, XidTally } from './parse-xid.ts';

export const linuxGpuErrorsGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'kmsg-gpu-errors',
  reports: [GPU_ERRORS],
  intervalMs: INTERVAL_MS,
  gather: async session => {
    const { root } = machine;
    const isHere = await gpuIsHere(session, {
      root,
      intervalMs: machine.intervals.identityMs,
      isHere: async () => (await nvidiaTrace(root)) !== undefined || (await hasOtherGpu(root)),
      onAbsent: () => session.absent(GPU_ERRORS, 'kernel log', 'no GPU'),
    });
    if (!isHere) return;
    const isNvidia = (await nvidiaTrace(root)) !== undefined;
    try {
      using log = openLog(join(machine.root, 'dev/kmsg'));
      if (log === undefined) await readJournal(machine, session);
      else await readLog(log, machine, session);
    } catch (error) {
      // Graphics of AMD or Intel are in most computers: there a log that is kept for root is no fault of the machine.
      if (isNvidia || session.signal.aborted) throw error;
      session.absent(GPU_ERRORS, 'kernel log', errorMessage(error));
    }
  },
});

const hasOtherGpu = async (root: string): Promise<boolean> => {
  for (const vendor of [PCI_VENDORS.amd, PCI_VENDORS.intel])
    if ((await findPciDisplays(root, vendor)).length > 0) return true;
  return false;
};

const readLog = async (log: KernelLog, machine: MachineAccess, session: GatherSession): Promise<void> => {
  const tally = new XidTally();
  await poll(session, INTERVAL_MS, () => {
    for (const record of log.readNow()) {
      const logged = parseXid(record);
      if (logged !== undefined) tally.add(logged);
    }
    report(session, 'kernel log', tally, machine);
  });
};

const readJournal = async (machine: MachineAccess, session: GatherSession): Promise<void> => {
  const tally = new XidTally();
  await needJournal(machine, session.signal);
  await runConcurrently(
    session.signal,
    signal =>
      poll({ clock: session.clock, signal }, INTERVAL_MS, () => report(session, 'journal', tally, machine)),
    async signal => {
      for await (const line of journalLines(machine, signal)) {
        const logged = parseJournalXid(line);
        if (logged !== undefined) tally.add(logged);
      }
    },
  );
};

const report = (session: GatherSession, source: string, tally: XidTally, { files }: MachineAccess): void => {
  // Its clock stops while the machine sleeps, and uptime does not: errors before that look older.
  const uptimeSeconds = Number.parseFloat(textOr(files.textNow('/proc/uptime'), ''));
  if (Number.isNaN(uptimeSeconds)) throw new Error('/proc/uptime cannot be read');
  session.emit(source, { kind: 'gpuErrors', value: { errors: tally.read(uptimeSeconds) } });
};

/** Undefined where only others may read it. */
const openLog = (path: string): KernelLog | undefined => {
  try {
    return new KernelLog(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (accessCode(code) !== undefined) return undefined;
    throw sourceFailed(
      code === 'ENOENT'
        ? 'there is no /dev/kmsg here, as in most containers'
        : `/dev/kmsg cannot be opened: ${code}`,
      undefined,
      { cause: error },
    );
  }
};

const GPU_ERRORS: GatheredKind = { reading: 'gpuErrors', vendor: 'none' };
const INTERVAL_MS = 10_000;
