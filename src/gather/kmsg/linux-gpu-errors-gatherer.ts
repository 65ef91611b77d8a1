// Errors that GPU drivers write into the kernel's log (NVIDIA's Xid and SXid, resets of AMD's and Intel's), from /dev/kmsg: no
// process, and nothing read twice. If only root may read that, from systemd's journal, which members of its group may read. A GPU
// that has fallen off the bus is reported here when nvidia-smi does not answer any more.

import fs from 'node:fs';
import { errorMessage } from '../../core/problem.ts';
import { pushAll } from '../../core/push-all.ts';
import { isUnknown } from '../../core/unknown.ts';
import { PCI_VENDORS } from '../drm/drm-cards.ts';
import { gpuIsHere } from '../drm/gpu-watch.ts';
import { findPciDisplays } from '../drm/pci-bus.ts';
import { type GatheredKind, type Gatherer, type GatherSession, sourceFailed } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { accessCode, textOr } from '../machine-files.ts';
import { below, type MachinePath } from '../machine-path.ts';
import { nvidiaTrace } from '../nvidia/nvidia-tool.ts';
import { poll, runConcurrently } from '../poll.ts';
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
      if (isUnknown(machine.host.kernelLog)) throw new Error(machine.host.kernelLog.reason);
      using log = openLog(below(root, 'dev/kmsg').path);
      if (log === undefined) await readJournal(machine, session);
      else await readLog(log, machine, session);
    } catch (error) {
      // Graphics of AMD or Intel are in most computers: there a log that is kept for root is no fault of the machine.
      if (isNvidia || session.signal.aborted) throw error;
      session.absent(GPU_ERRORS, 'kernel log', errorMessage(error));
    }
  },
});

const hasOtherGpu = async (root: MachinePath): Promise<boolean> => {
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

// The kernel's log as /dev/kmsg hands it out: a record a read, from the oldest that it still holds, and "try again" at its end.
class KernelLog implements Disposable {
  readonly #descriptor: number;
  readonly #buffer: Buffer = Buffer.alloc(RECORD_BYTES_MAX);

  /** @throws the system's error where it may not be opened. */
  constructor(path: string) {
    this.#descriptor = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  }

  /** What was logged since the last call; of very many the rest with the next one. */
  readNow(): readonly string[] {
    const records: string[] = [];
    for (let reads = 0; reads < READS_MAX; reads += 1) {
      try {
        const length = fs.readSync(this.#descriptor, this.#buffer, 0, this.#buffer.length, null);
        if (length === 0) break;
        pushAll(records, this.#buffer.toString('utf8', 0, length).split('\n'));
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : '';
        // Overwritten before it was read: the next read begins with the oldest that is left.
        if (code === 'EPIPE') continue;
        if (code === 'EAGAIN') break;
        throw error;
      }
    }
    return records;
  }

  [Symbol.dispose](): void {
    fs.closeSync(this.#descriptor);
  }
}

/** The kernel's own bound of a record is 8 KiB with its continuation lines (PRINTK_MESSAGE_MAX 2 KiB, escaped). */
const RECORD_BYTES_MAX = 16 * 1024;
const READS_MAX = 20_000;

// The kernel's log as systemd's journal keeps it: for a user who may not read /dev/kmsg and is in the journal's group.

/**
 * Every boot begins with lines of the kernel: where the journal shows none, it hides them or does not take them, and following it
 * would look like a machine without errors.
 * @throws where it is so, with why and what to do.
 */
export const needJournal = async (
  { tools, timeouts }: Pick<MachineAccess, 'tools' | 'timeouts'>,
  signal: AbortSignal,
): Promise<void> => {
  const options = { tools, signal, timeoutMs: timeouts.toolMs, outputBytesMax: LINE_BYTES_MAX };
  const result = await tools.run('journalctl', [...KERNEL, '--lines=1'], options);
  if (result.kind === 'exited' && result.code === 0 && result.stdout.startsWith('{')) return;
  const why =
    result.kind === 'missing'
      ? 'there is no journalctl'
      : result.kind === 'exited'
        ? "systemd's journal shows this user nothing of the kernel"
        : result.reason;
  throw sourceFailed(
    `the kernel keeps its log for root (kernel.dmesg_restrict), and ${why}: ${WHAT_TO_DO}`,
    'permission',
  );
};

/** What it holds of the driver's errors since the machine started, then each as it comes. */
export const journalLines = (
  { tools }: Pick<MachineAccess, 'tools'>,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> =>
  tools.changes(['journalctl', ...KERNEL, '--follow', '--no-tail', `--grep=${LOGGED_BY_GPUS}`], {
    signal,
    lineBytesMax: LINE_BYTES_MAX,
    linesPerSecondMax: LINES_PER_SECOND_MAX,
  });

/** Of the lines that parse-xid.ts reads, and few others: journalctl takes a Perl expression. */
const LOGGED_BY_GPUS =
  '^(NVRM: Xid|nvidia-nvswitch[0-9]+: SXid|(amdgpu|i915|xe) [0-9a-f]{4}.*(reset|GPU HANG|wedged|lost from bus))';
const KERNEL = [
  '--dmesg',
  '--output=json',
  '--output-fields=MESSAGE,_SOURCE_MONOTONIC_TIMESTAMP',
  '--quiet',
  '--no-pager',
];
const WHAT_TO_DO = "add the daemon's user to the group systemd-journal, or set kernel.dmesg_restrict=0";
const LINE_BYTES_MAX = 64 * 1024;
/** A journal of a long boot comes at once: as many records as /dev/kmsg is read in one go. */
const LINES_PER_SECOND_MAX = 20_000;
