// Pressure on processor, memory and I/O: three small files of the host that stay open, and three of this process's
// control group. No process is started.

import { type NodePressure, type ResourcePressures, withoutFullProcessor } from '../../core/node/pressure.ts';
import { isUnknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { isUnreadable, type KeptFile, type MachineFiles, readFailed, textOr } from '../machine-files.ts';
import { parseMountinfo } from '../mountinfo/parse-mountinfo.ts';
import { poll } from '../poll.ts';
import { controlGroupFolders } from '../procfs/control-group.ts';
import { parsePressure } from './parse-pressure.ts';

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
