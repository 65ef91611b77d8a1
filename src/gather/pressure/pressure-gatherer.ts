// Pressure on processor, memory and I/O: three small files of the host that stay open, and three of this process's
// control group. No process is started.

import {
  type NodePressure,
  type Pressure,
  type ResourcePressures,
  type StalledTime,
  withoutFullProcessor,
} from '../../core/node/pressure.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import {
  digitsIn,
  type FileText,
  isUnreadable,
  type KeptFile,
  type MachineFiles,
  notRead,
  readFailed,
  textOr,
} from '../machine-files.ts';
import { parseMountinfo } from '../mountinfo/parse-mountinfo.ts';
import { poll } from '../poll.ts';
import { controlGroupFolders } from '../procfs/control-group.ts';

export const linuxPressureGatherer = ({ files }: MachineAccess): Gatherer => ({
  name: 'procfs-pressure',
  reports: [PRESSURE],
  intervalMs: INTERVAL_MS,
  gather: async session => {
    const first = files.textNow('/proc/pressure/cpu');
    if (isUnreadable(first)) {
      // Without CONFIG_PSI the files are missing; with psi=0 on the boot line they cannot be read. Neither changes.
      if (!OFF_CODES.has(first.code)) throw readFailed(first);
      session.absent(PRESSURE, SOURCE, 'this kernel does not measure pressure (PSI is off)');
      return;
    }
    using host = new PressureFiles(files, resource => `/proc/pressure/${resource}`);
    const folder = ownGroupFolder(files);
    using group =
      folder === undefined
        ? undefined
        : new PressureFiles(files, resource => `${folder}/${resource}.pressure`);
    await poll(session, INTERVAL_MS, () => {
      const value: NodePressure = {
        host: withoutFullProcessor(host.readNow()),
        controlGroup: group === undefined ? { kind: 'none' } : { kind: 'group', ...group.readNow() },
      };
      session.emit(SOURCE, { kind: 'pressure', value });
    });
  },
});

class PressureFiles implements Disposable {
  readonly #cpu: KeptFile;
  readonly #memory: KeptFile;
  readonly #io: KeptFile;

  constructor(files: MachineFiles, pathOf: (resource: 'cpu' | 'memory' | 'io') => string) {
    this.#cpu = files.keepOpen(pathOf('cpu'));
    this.#memory = files.keepOpen(pathOf('memory'));
    this.#io = files.keepOpen(pathOf('io'));
  }

  readNow(): ResourcePressures {
    return {
      cpu: parsePressure(this.#cpu.readNow()),
      memory: parsePressure(this.#memory.readNow()),
      io: parsePressure(this.#io.readNow()),
    };
  }

  [Symbol.dispose](): void {
    for (const file of [this.#cpu, this.#memory, this.#io]) file[Symbol.dispose]();
  }
}

/** Of version 2 control groups, if the kernel measures it; the root group is the host. */
const ownGroupFolder = (files: MachineFiles): string | undefined => {
  const selfCgroup = textOr(files.textNow('/proc/self/cgroup'), '');
  const mounts = parseMountinfo(textOr(files.textNow('/proc/self/mountinfo'), ''));
  const own = controlGroupFolders(selfCgroup, mounts).find(({ version }) => version === 2);
  // Every group but the root has a type (Documentation/admin-guide/cgroup-v2.rst).
  if (own === undefined || isUnreadable(files.textNow(`${own.path}/cgroup.type`))) return undefined;
  return isUnknown(parsePressure(files.textNow(`${own.path}/cpu.pressure`))) ? undefined : own.path;
};

const PRESSURE: GatheredKind = { reading: 'pressure', vendor: 'none' };
const SOURCE = 'procfs';
const OFF_CODES: ReadonlySet<string> = new Set(['ENOENT', 'EOPNOTSUPP']);
/** The kernel renews its averages every two seconds. */
const INTERVAL_MS = 2_000;

// A file of pressure stall information (Documentation/accounting/psi.rst): /proc/pressure/cpu, or cpu.pressure of a control
// group. Two lines, "some" and "full"; before Linux 5.13 the processor's file has only the first.
export const parsePressure = (text: FileText): Reported<Pressure> => {
  if (isUnreadable(text)) return notRead(text);
  const some = stalledTime(text, 'some');
  if (some === undefined) return unknown('not a pressure file: no line "some avg10=…"');
  return { some, full: stalledTime(text, 'full') ?? unknown('this kernel reports only "some"') };
};

const stalledTime = (text: string, which: 'some' | 'full'): StalledTime | undefined => {
  const [, ten, sixty, threeHundred, total] =
    new RegExp(
      `^${which} avg10=(${PERCENT}) avg60=(${PERCENT}) avg300=(${PERCENT}) total=(\\d{1,16})$`,
      'm',
    ).exec(text) ?? [];
  const totalMicroseconds = digitsIn(total);
  if (ten === undefined || sixty === undefined || threeHundred === undefined) return undefined;
  if (totalMicroseconds === undefined) return undefined;
  return {
    share10s: shareOf(ten),
    share60s: shareOf(sixty),
    share300s: shareOf(threeHundred),
    totalMicroseconds,
  };
};

/** Two decimals, as the kernel prints them. */
const shareOf = (percent: string): number => Math.min(1, Math.round(Number(percent) * 100) / 10_000);

const PERCENT = '\\d{1,3}\\.\\d{1,6}';
