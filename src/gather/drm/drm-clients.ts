// Which processes hold a GPU, and how much of it, from their open files below /dev/dri: one walk over /proc, each half minute. Without
// root only processes of the same user can be looked at.

import type { GpuProcess } from '../../core/node/gpu.ts';
import { isUnknown, knownOr, type Reported, unknown } from '../../core/unknown.ts';
import { heaviestProcesses, PROCESS_NAME_LENGTH_MAX } from '../gpu-processes.ts';
import { below, type MachinePath } from '../machine-path.ts';
import { type DrmClient, parseFdinfo } from './parse-fdinfo.ts';
import { readableNames, sysfsNames, sysfsText } from './sysfs-file.ts';

const DRM_PROCESSES_MAX = 4_096;
const DRM_FILES_MAX = 4_096;
const DRM_FILES_TOGETHER_MAX = 65_536;

interface DrmClients {
  /** By PCI address. */
  readonly byAddress: ReadonlyMap<string, readonly OpenBy[]>;
  /** Processes whose open files may not be read; undefined where there is no list of processes. */
  readonly hidden: number | undefined;
}

interface OpenBy {
  readonly pid: number;
  readonly client: DrmClient;
}

export const readDrmClients = async (root: MachinePath): Promise<DrmClients> => {
  const byAddress = new Map<string, OpenBy[]>();
  let hidden = 0;
  let filesLeft = DRM_FILES_TOGETHER_MAX;
  const pids = (await sysfsNames(below(root, 'proc'))).filter(name => /^[1-9]\d{0,9}$/.test(name));
  // There is always one that asks.
  if (pids.length === 0) return { byAddress, hidden: undefined };
  for (const pid of pids.slice(0, DRM_PROCESSES_MAX)) {
    const names = await readableNames(below(root, 'proc', pid, 'fd'));
    if (names === undefined) {
      hidden += 1;
      continue;
    }
    const seen = new Set<string>();
    const files = names.slice(0, Math.min(DRM_FILES_MAX, filesLeft));
    filesLeft -= files.length;
    for (const file of files) {
      const target = await root.tree.link(below(root, 'proc', pid, 'fd', file).path).catch(() => '');
      if (!target.startsWith(DEVICES)) continue;
      const text = await sysfsText(below(root, 'proc', pid, 'fdinfo', file));
      const client = isUnknown(text) ? undefined : parseFdinfo(text);
      // A file that was duplicated is the same client.
      if (client === undefined || seen.has(`${client.address} ${client.clientId}`)) continue;
      seen.add(`${client.address} ${client.clientId}`);
      byAddress.set(client.address, [...(byAddress.get(client.address) ?? []), { pid: Number(pid), client }]);
    }
  }
  return { byAddress, hidden };
};

/**
 * Of one card.
 * @param more the memory of processes from another source, bytes by pid: the larger figure of the two counts, since both may count the same.
 */
export const drmProcesses = async (
  root: MachinePath,
  { byAddress, hidden }: DrmClients,
  {
    address,
    isIntegrated,
    more,
  }: {
    readonly address: string;
    readonly isIntegrated: boolean;
    /** Undefined: there is no such source. */
    readonly more: ReadonlyMap<number, number> | undefined;
  },
): Promise<Reported<readonly GpuProcess[]>> => {
  const bytes = new Map<number, Reported<number>>(more);
  for (const [pid, clients] of Map.groupBy(byAddress.get(address) ?? [], client => client.pid)) {
    const reported = clients.map(({ client }) => (isIntegrated ? together(client) : client.ownBytes));
    const own = reported.reduce((sum, each) => {
      if (isUnknown(sum)) return each;
      return isUnknown(each) ? sum : sum + each;
    });
    bytes.set(pid, more?.has(pid) === true ? Math.max(knownOr(own, 0), more.get(pid) ?? 0) : own);
  }
  if (bytes.size === 0 && hidden !== 0 && more === undefined)
    return unknown(
      hidden === undefined
        ? 'the list of processes cannot be read'
        : `only root can read the open files of ${hidden === 1 ? 'a process' : `${hidden} processes`}`,
      'permission',
    );
  return heaviestProcesses(
    await Promise.all(
      [...bytes].map(async ([pid, memoryBytes]) => ({ pid, name: await nameOf(root, pid), memoryBytes })),
    ),
  );
};

/** Graphics in a processor hold the host's memory. */
const together = ({ ownBytes, hostBytes }: DrmClient): Reported<number> => {
  if (isUnknown(ownBytes)) return hostBytes;
  return isUnknown(hostBytes) ? ownBytes : ownBytes + hostBytes;
};

/** As the kernel cut it: 15 characters. */
const nameOf = async (root: MachinePath, pid: number): Promise<Reported<string>> => {
  const name = await sysfsText(below(root, 'proc', String(pid), 'comm'));
  return isUnknown(name) ? name : name.slice(0, PROCESS_NAME_LENGTH_MAX);
};

const DEVICES = '/dev/dri/';
