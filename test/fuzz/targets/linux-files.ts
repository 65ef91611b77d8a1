// The content of /proc, /sys and /etc, as JSON of paths and texts, read by the gatherers themselves; and the
// output of `ip`.

import type { Reading } from '../../../src/core/node/reading.ts';
import { linuxIdentityGatherer } from '../../../src/gather/dmi/linux-identity-gatherer.ts';
import type { Gatherer } from '../../../src/gather/gatherer.ts';
import { linuxRdmaGatherer } from '../../../src/gather/infiniband/linux-rdma-gatherer.ts';
import { type DeviceKinds, parseDeviceKinds } from '../../../src/gather/ip/device-kinds.ts';
import { parseIpAddr } from '../../../src/gather/ip/parse-ip-addr.ts';
import { readInterfaces } from '../../../src/gather/ip/read-interfaces.ts';
import { parseLabelsFile } from '../../../src/gather/kubernetes/container-gatherer.ts';
import type { MachineAccess } from '../../../src/gather/machine-access.ts';
import { linuxDiskGatherer } from '../../../src/gather/mountinfo/linux-disk-gatherer.ts';
import { linuxPressureGatherer } from '../../../src/gather/pressure/pressure-gatherer.ts';
import { linuxMemoryGatherer } from '../../../src/gather/procfs/linux-memory-gatherer.ts';
import { linuxSystemGatherer } from '../../../src/gather/procfs/linux-system-gatherer.ts';
import { parseNetDev } from '../../../src/gather/procfs/parse-net-dev.ts';
import { linuxThunderboltGatherer } from '../../../src/gather/thunderbolt/linux-thunderbolt-gatherer.ts';
import { machineForTest } from '../../gather/machine-for-test.ts';
import { recordedTree } from '../../gather/recorded-tree.ts';
import { fixture } from '../../support/fixture.ts';
import { type RecordedTree, recordedFiles } from '../../support/recorded-files.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { holdBelieved, holdFinite } from '../believed.ts';
import { type FuzzTarget, firstByteChooses, type Reader, textOfInput, textSeeds } from '../fuzz-target.ts';

/** Undefined for an input that is no tree. */
const treeOf = (input: Uint8Array): RecordedTree | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(textOfInput(input));
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const texts = Object.entries(value).flatMap(([path, text]) =>
    typeof text === 'string' && isPath(path) ? [[path, text] as const] : [],
  );
  const [files, errors, links] = ['', '!', '@'].map(mark =>
    Object.fromEntries(
      texts
        .filter(([path]) => (mark === '' ? !/^[!@]/.test(path) : path.startsWith(mark)))
        .map(([path, text]) => [path.slice(mark.length), text]),
    ),
  );
  return { root: '', files: files ?? {}, errors: errors ?? {}, links: links ?? {} };
};

/** Linux has no longer ones: NAME_MAX and PATH_MAX of linux/limits.h; and /sys is nowhere deeper. */
const isPath = (path: string): boolean => {
  const names = path.slice(0, 4_097).split('/');
  return path.length <= 4_096 && names.length <= 64 && names.every(name => name.length <= 255);
};

/** The other way round: errors and links stand under their path with a mark before it. */
const seedOf = ({ root, files, errors, links }: RecordedTree): Uint8Array => {
  const at = (part: Readonly<Record<string, string>> | undefined, mark: string) =>
    Object.entries(part ?? {}).map(([path, text]) => [
      `${mark}${root === '' || root === '/' ? '' : root.slice(1)}/${path}`.replace(/^([!@]?)\//, '$1'),
      text,
    ]);
  return Buffer.from(
    JSON.stringify(Object.fromEntries([...at(files, ''), ...at(errors, '!'), ...at(links, '@')])),
  );
};

const gathers = (
  gathererOf: (machine: MachineAccess) => Gatherer,
  ...seeds: readonly RecordedTree[]
): Reader => ({
  seeds: seeds.map(seedOf),
  run: async input => {
    const tree = treeOf(input);
    if (tree === undefined) return;
    const reported: Reading[] = [];
    const clock = new VirtualClock();
    const ending = new AbortController();
    const gathering = gathererOf(machineForTest({ files: recordedFiles([tree]) })).gather({
      clock,
      signal: ending.signal,
      fallbackReason: () => undefined,
      emit: (_source, reading) => reported.push(reading),
      fail: (_kind, _source, reason) => {
        if (reason === '') throw new Error('a failure without a reason');
      },
      absent: () => {},
    });
    // An unusable source throws an error with a reason; a programming error throws another kind.
    const ended = gathering.then(
      () => undefined,
      (error: unknown) => error,
    );
    await clock.advance(1_000);
    ending.abort();
    const error = await ended;
    if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError)
      throw error;
    for (const reading of reported) holdBelieved(reading);
  },
});

const PROC: RecordedTree = {
  root: '',
  files: {
    'proc/meminfo': fixture('procfs/meminfo-gb10.txt').slice(0, 600),
    'proc/pressure/memory': 'some avg10=1.00 avg60=0.00 avg300=0.00 total=0\n',
    'proc/pressure/cpu':
      'some avg10=1.00 avg60=0.50 avg300=0.00 total=12\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n',
    'proc/cpuinfo': fixture('procfs/cpuinfo-gb10.txt').slice(0, 600),
    'proc/stat': fixture('procfs/stat-two-cpus.txt').slice(0, 400),
    'proc/loadavg': '0.42 0.30 0.20 1/400 1234\n',
    'proc/uptime': '86400.50 100.00\n',
    'proc/self/mountinfo': fixture('procfs/mountinfo-docker-v2.txt').slice(0, 1_200),
    'proc/self/cgroup': '0::/\n',
    'proc/sys/kernel/hostname': 'node-a\n',
    'proc/sys/kernel/osrelease': '6.12.0\n',
    'sys/fs/cgroup/memory.max': '1000000000\n',
    'sys/fs/cgroup/memory.current': '5000\n',
    'sys/fs/cgroup/memory.stat': 'inactive_file 7000\n',
    'sys/fs/cgroup/cpu.max': '150000 100000\n',
    'sys/class/hwmon/hwmon0/name': 'coretemp\n',
    'sys/class/hwmon/hwmon0/temp1_input': '41500\n',
    'sys/class/hwmon/hwmon0/temp1_label': 'Package id 0\n',
    'sys/class/hwmon/hwmon1/name': 'power_meter\n',
    'sys/class/hwmon/hwmon1/power1_average': '41500\n',
    'sys/class/powercap/intel-rapl:0/name': 'package-0\n',
    'sys/class/powercap/intel-rapl:0/energy_uj': '12345\n',
    'sys/class/powercap/intel-rapl:0/max_energy_range_uj': '262143328850\n',
    'sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq': '3900000\n',
    'sys/devices/cpu_core/cpus': '0\n',
    'sys/devices/cpu_atom/cpus': '1\n',
    'etc/os-release': 'PRETTY_NAME="Debian"\nVERSION_ID="12"\n',
    'etc/machine-info': 'PRETTY_HOSTNAME="Left one"\n',
    'sys/class/dmi/id/sys_vendor': 'NVIDIA\n',
    'sys/class/dmi/id/product_name': 'NVIDIA_DGX_Spark\n',
    'sys/devices/system/cpu/online': '0-3\n',
    'proc/device-tree/model': 'Board\0',
    'run/systemd/container': 'podman\n',
  },
};

const ENDLESS = { isFolder: true, totalBytes: 2n ** 63n, availableBytes: -1n } as const;

export const target: FuzzTarget = {
  name: 'linux-files',
  covers: [
    'src/gather/procfs',
    'src/gather/dmi',
    'src/gather/infiniband',
    'src/gather/ip/parse-ip-addr.ts',
    'src/gather/ip/read-interfaces.ts',
    'src/gather/ip/interface-state.ts',
    'src/gather/ip/read-interfaces.ts',
    'src/gather/mountinfo',
    'src/gather/pressure',
    'src/gather/thunderbolt',
    'src/gather/hwmon',
  ],
  ...firstByteChooses([
    gathers(linuxMemoryGatherer, PROC),
    gathers(linuxSystemGatherer, PROC),
    gathers(linuxIdentityGatherer, PROC),
    gathers(linuxPressureGatherer, PROC),
    gathers(machine => linuxDiskGatherer(machine, () => Promise.resolve(ENDLESS)), PROC),
    gathers(linuxRdmaGatherer, recordedTree('sysfs/infiniband-mixed.json')),
    gathers(linuxThunderboltGatherer, recordedTree('sysfs/thunderbolt-peer-and-dock.json')),
    {
      seeds: [
        seedOf(recordedTree('sysfs/class-net-two-port-hca.json')),
        seedOf(recordedTree('sysfs/class-net-every-kind.json')),
      ],
      run: async input => {
        const tree = treeOf(input);
        if (tree === undefined) return;
        const names = recordedFiles([tree]).namesNow('/sys/class/net');
        const addresses = parseIpAddr(fixture('ip/addr-thunderbolt-and-vpn.json'));
        const interfaces = await readInterfaces(
          recordedFiles([tree]),
          'kind' in names ? [] : names.slice(0, 8),
          addresses.kind === 'answered' ? addresses.value : new Map(),
        );
        holdBelieved({ kind: 'network', value: { interfaces } });
      },
    },
    {
      seeds: textSeeds(fixture('ip/addr-thunderbolt-and-vpn.json')),
      run: async input => {
        const answer = parseIpAddr(textOfInput(input));
        if (answer.kind === 'unanswered') return;
        const names = [...answer.value.keys()].slice(0, 4);
        const interfaces = await readInterfaces(recordedFiles([]), names, answer.value);
        holdBelieved({ kind: 'network', value: { interfaces } });
      },
    },
    {
      seeds: textSeeds(fixture('ip/link-details-team-and-open-vswitch.json')),
      run: async input => {
        const answer = parseDeviceKinds(textOfInput(input));
        if (answer.kind === 'unanswered') return;
        const tree = recordedTree('sysfs/class-net-team-and-open-vswitch.json');
        const readKinds = (): Promise<DeviceKinds> => Promise.resolve(answer.value);
        const interfaces = await readInterfaces(
          recordedFiles([tree]),
          ['br-ex', 'team0'],
          new Map(),
          readKinds,
        );
        holdBelieved({ kind: 'network', value: { interfaces } });
      },
    },
    {
      seeds: textSeeds(fixture('procfs/net-dev-vm.txt')),
      run: input => holdFinite(parseNetDev(textOfInput(input))),
    },
    {
      seeds: textSeeds('topology.kubernetes.io/zone="eu-1a"\napp="x\\"y"\n'),
      run: input => parseLabelsFile(textOfInput(input)),
    },
  ]),
};
