// Identity of a Linux machine. Everything but the names is read once, since it cannot change while the machine runs;
// GPUs may be plugged in, so those are checked each time.

import type { NodeIdentity } from '../../core/node/identity.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { isUnreadable, type MachineFiles, textOr, trimmed } from '../machine-files.ts';
import { parseMountinfo } from '../mountinfo/parse-mountinfo.ts';
import { poll } from '../poll.ts';
import { parseCpuList } from '../procfs/cpu-clusters.ts';
import { type CpuInfo, coreList, parseCpuinfo } from '../procfs/parse-cpuinfo.ts';
import { machineModel, socName } from './machine-model.ts';
import { GpuMemories, memoryIsUnified } from './memory-sharing.ts';
import { virtualisation } from './virtualisation.ts';

export const linuxIdentityGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'dmi-identity',
  reports: [IDENTITY],
  intervalMs: machine.intervals.identityMs,
  gather: async session => {
    const { files, intervals, plimsollVersion, settings } = machine;
    // Off this thread: x86 kernels query the clock of every processor first.
    const core = files.textNow('/proc/device-tree/cpus/cpu@0/compatible');
    const cpuinfo = parseCpuinfo(
      textOr(await files.text('/proc/cpuinfo'), ''),
      isUnreadable(core) ? '' : core,
    );
    const fixed = readFixed(machine, cpuinfo);
    const gpuMemories = new GpuMemories(files);
    await poll(session, intervals.identityMs, async () => {
      const memories = await gpuMemories.read();
      const hostName = textOr(files.textNow('/proc/sys/kernel/hostname'), 'localhost').slice(
        0,
        NAME_LENGTH_MAX,
      );
      const machineInfo = parseAssignments(textOr(files.textNow('/etc/machine-info'), ''));
      const prettyName = machineInfo.get('PRETTY_HOSTNAME')?.slice(0, NAME_LENGTH_MAX);
      const value: NodeIdentity = {
        ...fixed,
        friendlyName: settings().name || prettyName || hostName,
        hostName,
        memoryIsUnified: memoryIsUnified(memories),
        plimsollVersion,
        isSimulated: false,
      };
      session.emit('dmi, procfs', { kind: 'identity', value });
    });
  },
});

type FixedIdentity = Omit<
  NodeIdentity,
  'friendlyName' | 'hostName' | 'memoryIsUnified' | 'plimsollVersion' | 'isSimulated'
>;

const readFixed = (
  { files, host }: Pick<MachineAccess, 'files' | 'host'>,
  cpuinfo: CpuInfo,
): FixedIdentity => {
  const text = (path: string): string => textOr(files.textNow(path), '');
  const dmi = (name: string): string => text(`/sys/class/dmi/id/${name}`);
  const systemVendor = dmi('sys_vendor');
  const productName = dmi('product_name');
  const osRelease = parseAssignments(text('/etc/os-release') || text('/usr/lib/os-release'));
  const kernelRelease = trimmed(files.textNow('/proc/sys/kernel/osrelease'));
  const rootMount = parseMountinfo(text('/proc/self/mountinfo')).findLast(mount => mount.mountPoint === '/');
  return {
    model: machineModel({
      systemVendor,
      productName,
      productVersion: dmi('product_version'),
      boardVendor: dmi('board_vendor'),
      boardName: dmi('board_name'),
      deviceTreeModel: text('/proc/device-tree/model'),
    }),
    chip: chipOf(files, cpuinfo),
    architecture: host.architecture(),
    cpuCount: cpuCountOf(text('/sys/devices/system/cpu/online')),
    operatingSystem: {
      platform: 'linux',
      name: osRelease.get('PRETTY_NAME') || osRelease.get('NAME') || 'Linux',
      version: osRelease.get('VERSION_ID') || unknown('a rolling release, or no os-release file'),
      build: kernelRelease,
    },
    virtualisation: virtualisation({
      systemVendor,
      productName,
      hypervisorType: text('/sys/hypervisor/type'),
      deviceTreeHypervisor: text('/proc/device-tree/hypervisor/compatible'),
      hasHypervisorFlag: cpuinfo.hasHypervisorFlag,
      kernelRelease: typeof kernelRelease === 'string' ? kernelRelease : '',
      systemdContainer: text('/run/systemd/container'),
      hasDockerMarker: !isUnreadable(files.textNow('/.dockerenv')),
      hasPodmanMarker: !isUnreadable(files.textNow('/run/.containerenv')),
      selfCgroup: text('/proc/self/cgroup'),
      rootFileSystem: rootMount?.fileSystem ?? '',
      rootFolder: rootMount?.root ?? '',
      canSeeHardware: systemVendor !== '' || typeof cpuinfo.chip === 'string',
    }),
  };
};

/** On Arm and RISC-V the maker's name for the chip is the GPU driver's or the firmware's; /proc/cpuinfo has only its cores. */
const chipOf = (files: MachineFiles, cpuinfo: CpuInfo): Reported<string> => {
  const gpus = files.namesNow('/proc/driver/nvidia/gpus');
  const information = isUnreadable(gpus)
    ? ''
    : gpus
        .map(address => textOr(files.textNow(`/proc/driver/nvidia/gpus/${address}/information`), ''))
        .join('\n');
  const machine = textOr(files.textNow('/sys/devices/soc0/machine'), '');
  const named = /\bGB10\b/.test(information)
    ? 'NVIDIA GB10'
    : /^Jetson|^NVIDIA/.test(machine)
      ? machine
      : socName(textOr(files.textNow('/proc/device-tree/compatible'), ''));
  if (named === undefined) return cpuinfo.chip;
  const cores = coreList(cpuinfo.coreKinds) || (typeof cpuinfo.chip === 'string' ? cpuinfo.chip : '');
  return cores === '' ? named : `${named} (${cores})`;
};

const cpuCountOf = (online: string): Reported<number> => {
  const count = parseCpuList(online).length;
  return count === 0 ? unknown('no /sys/devices/system/cpu/online') : count;
};

/** os-release (man os-release): shell-like assignments, quoted or not. /etc/machine-info has the same form. */
export const parseAssignments = (text: string): ReadonlyMap<string, string> => {
  const values = new Map<string, string>();
  for (const line of text.split('\n').slice(0, LINES_MAX)) {
    const match = /^\s*([A-Z][A-Z0-9_]*)=(.*)$/.exec(line);
    if (match !== null)
      values.set(match[1] ?? '', unquote((match[2] ?? '').trim()).slice(0, VALUE_LENGTH_MAX));
  }
  return values;
};

const unquote = (text: string): string => {
  const quoted = /^(["'])(.*)\1$/s.exec(text);
  if (quoted === null) return text;
  return quoted[1] === '"' ? (quoted[2] ?? '').replaceAll(/\\(["\\$`])/g, '$1') : (quoted[2] ?? '');
};

const IDENTITY: GatheredKind = { reading: 'identity', vendor: 'none' };
const NAME_LENGTH_MAX = 253;
const LINES_MAX = 200;
const VALUE_LENGTH_MAX = 200;
