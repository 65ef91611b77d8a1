// Where GPUs and adapters are: trees of sysfs in the form that the kernel writes, and the matrix of nvidia-smi.

import { expect, test } from 'vitest';
import {
  insideShort,
  insideWay,
  type NodeTopology,
  nearestAdapters,
} from '../../../src/core/node/topology.ts';
import { linuxTopologyGatherer } from '../../../src/gather/topology/linux-topology-gatherer.ts';
import { parseTopo } from '../../../src/gather/topology/parse-topo.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { isReading, runForTest } from '../gatherer-run.ts';
import { FixtureTree } from '../gpu/fixture-tree.ts';
import { machineForTest } from '../machine-for-test.ts';
import { standInTools } from '../stand-in-tools.ts';

interface Device {
  readonly vendor: string;
  readonly pciClass: string;
  /** Below /sys/devices: "pci0000:16/0000:16:02.0/0000:17:00.0". */
  readonly path: string;
  readonly numaNode?: number;
}

const NVIDIA = { vendor: '0x10de', pciClass: '0x030200' };
const ADAPTER = { vendor: '0x15b3', pciClass: '0x020700' };

const add = async (tree: FixtureTree, { vendor, pciClass, path, numaNode }: Device): Promise<string> => {
  const address = path.split('/').at(-1) ?? '';
  const folder = `sys/devices/${path}`;
  await tree.write(`${folder}/vendor`, `${vendor}\n`);
  await tree.write(`${folder}/device`, '0x2330\n');
  await tree.write(`${folder}/class`, `${pciClass}\n`);
  if (numaNode !== undefined) await tree.write(`${folder}/numa_node`, `${numaNode}\n`);
  await tree.link(`sys/bus/pci/devices/${address}`, `../../../devices/${path}`);
  return folder;
};

/** Two sockets with two NUMA nodes each, as EPYC shows them with NPS2. */
const addProcessors = async (tree: FixtureTree): Promise<void> => {
  for (const node of [0, 1, 2, 3]) {
    await tree.write(`sys/devices/system/node/node${node}/cpulist`, `${node * 16}-${node * 16 + 15}\n`);
    await tree.write(
      `sys/devices/system/cpu/cpu${node * 16}/topology/physical_package_id`,
      `${node < 2 ? 0 : 1}\n`,
    );
  }
};

const read = async (tree: FixtureTree, env = {}): Promise<NodeTopology> => {
  await using run = runForTest(
    [linuxTopologyGatherer(machineForTest({ root: tree.root, env }))],
    new VirtualClock(),
  );
  return (await run.waitFor(isReading('topology'), 'from start')).reading.value;
};

const matrixOf = (topology: NodeTopology): readonly string[] =>
  topology.devices.map(row =>
    topology.devices
      .map(column => (row === column ? 'X' : insideShort(insideWay(topology, row, column))))
      .join(' '),
  );

test('a server with two sockets: switches, host bridges, NUMA nodes and NVLink', async () => {
  await using tree = await FixtureTree.create();
  using tools = standInTools();
  await addProcessors(tree);
  const root = 'pci0000:16/0000:16:02.0/0000:17:00.0';
  await add(tree, { ...NVIDIA, path: `${root}/0000:18:00.0/0000:19:00.0`, numaNode: 0 });
  await add(tree, {
    ...NVIDIA,
    path: `${root}/0000:18:01.0/0000:1a:00.0/0000:1b:00.0/0000:1c:00.0`,
    numaNode: 0,
  });
  await add(tree, { ...NVIDIA, path: 'pci0000:97/0000:97:01.0/0000:98:00.0', numaNode: 2 });
  const near = await add(tree, { ...ADAPTER, path: `${root}/0000:18:02.0/0000:1d:00.0`, numaNode: 0 });
  await tree.write(`${near}/infiniband/mlx5_0/node_type`, '1: CA\n');
  await tree.write(`${near}/net/ibs1/mtu`, '4092\n');
  await add(tree, { ...ADAPTER, path: 'pci0000:16/0000:16:03.0/0000:20:00.0', numaNode: 0 });
  await add(tree, { ...ADAPTER, path: 'pci0000:30/0000:30:01.0/0000:31:00.0', numaNode: 0 });
  await add(tree, { ...ADAPTER, path: 'pci0000:40/0000:40:01.0/0000:41:00.0', numaNode: 1 });
  // A virtual function of an adapter, a bridge, and the display of the management controller.
  const virtual = await add(tree, { ...ADAPTER, path: `${root}/0000:18:02.0/0000:1d:00.1`, numaNode: 0 });
  await tree.link(`${virtual}/physfn`, '../0000:1d:00.0');
  await add(tree, { vendor: '0x8086', pciClass: '0x060400', path: 'pci0000:16/0000:16:02.0' });
  await add(tree, { vendor: '0x1a03', pciClass: '0x030000', path: 'pci0000:00/0000:00:1c.0/0000:03:00.0' });
  tools.script(
    'nvidia-smi',
    `case "$1" in
topo) printf '\\t\\033[4mGPU0\\tGPU1\\tGPU2\\tNIC0\\tCPU Affinity\\033[0m\\nGPU0\\t X \\tNV18\\tSYS\\tPIX\\t0-31\\nGPU1\\tNV18\\t X \\tSYS\\tPXB\\t0-31\\nGPU2\\tSYS\\tSYS\\t X \\tSYS\\t32-63\\n' ;;
*) printf '0, 00000000:19:00.0\\n1, 00000000:1C:00.0\\n2, 00000000:98:00.0\\n' ;;
esac`,
  );
  const topology = await read(tree, tools.env);
  expect(topology.devices.map(({ pciAddress }) => pciAddress)).toEqual([
    '0000:19:00.0',
    '0000:1c:00.0',
    '0000:1d:00.0',
    '0000:20:00.0',
    '0000:31:00.0',
    '0000:41:00.0',
    '0000:98:00.0',
  ]);
  expect(topology.devices[2]).toMatchObject({ kind: 'nic', names: ['mlx5_0', 'ibs1'], numaNode: 0 });
  expect(matrixOf(topology)).toEqual([
    'X NV18 PIX PHB NODE SYS SYS',
    'NV18 X PXB PHB NODE SYS SYS',
    'PIX PXB X PHB NODE SYS SYS',
    'PHB PHB PHB X NODE SYS SYS',
    'NODE NODE NODE NODE X SYS SYS',
    'SYS SYS SYS SYS SYS X SYS',
    'SYS SYS SYS SYS SYS SYS X',
  ]);
  const [first, , , , , adapter] = topology.devices;
  if (first === undefined || adapter === undefined) throw new Error('not there');
  expect(insideWay(topology, first, adapter), 'another NUMA node of its socket').toEqual({ way: 'socket' });
  expect(nearestAdapters(topology, first)).toMatchObject({
    way: { way: 'switch' },
    adapters: [{ pciAddress: '0000:1d:00.0' }],
  });
});

test('XGMI between GPUs of AMD', async () => {
  await using tree = await FixtureTree.create();
  for (const [node, bus] of [
    [1, '05'],
    [2, '26'],
  ] as const) {
    await add(tree, {
      vendor: '0x1002',
      pciClass: '0x120000',
      path: `pci0000:00/0000:00:0${node}.0/0000:${bus}:00.0`,
      numaNode: 0,
    });
    const kfd = `sys/class/kfd/kfd/topology/nodes/${node}`;
    const location = Number.parseInt(bus, 16) << 8;
    await tree.write(
      `${kfd}/properties`,
      `simd_count 1216\nsimd_per_cu 4\ngfx_target_version 90402\nlocation_id ${location}\ndomain 0\n`,
    );
    await tree.write(`${kfd}/io_links/0/properties`, `type 2\nnode_from ${node}\nnode_to 0\n`);
    await tree.write(`${kfd}/io_links/1/properties`, `type 11\nnode_from ${node}\nnode_to ${3 - node}\n`);
  }
  expect(matrixOf(await read(tree))).toEqual(['X XGMI', 'XGMI X']);
});

test('what the firmware and nvidia-smi do not report is unknown, with the reason', async () => {
  await using tree = await FixtureTree.create();
  using tools = standInTools();
  await addProcessors(tree);
  await add(tree, { ...NVIDIA, path: 'pci0000:16/0000:16:02.0/0000:17:00.0', numaNode: -1 });
  await add(tree, { ...NVIDIA, path: 'pci0000:97/0000:97:01.0/0000:98:00.0' });
  tools.script('nvidia-smi', 'echo "NVIDIA-SMI has failed"; exit 9');
  const topology = await read(tree, tools.env);
  expect(topology.gpuLinks).toMatchObject({ reason: 'nvidia-smi topo -m gave no answer' });
  expect(topology.devices.map(({ numaNode }) => numaNode)).toMatchObject([
    { reason: 'the firmware does not report its NUMA node' },
    { reason: 'the firmware does not report its NUMA node' },
  ]);
  expect(matrixOf(topology)).toEqual(['X ?', '? X']);
});

test('a machine without a GPU on PCI has none', async () => {
  await using tree = await FixtureTree.create();
  await add(tree, { ...ADAPTER, path: 'pci0000:16/0000:16:02.0/0000:17:00.0' });
  await using run = runForTest(
    [linuxTopologyGatherer(machineForTest({ root: tree.root }))],
    new VirtualClock(),
  );
  const absent = await run.waitUntil(({ kind }) => kind === 'absence', 'from start');
  expect(absent).toMatchObject({ reason: 'no GPU on PCI' });
});

test.each([
  ['', 'nvidia-smi topo -m printed no matrix'],
  ['No devices were found\n', 'nvidia-smi topo -m printed no matrix'],
])('%j is no matrix', (text, reason) => {
  expect(parseTopo(text)).toMatchObject({ reason });
});

test('cells that are cut off or of another form are no links', () => {
  expect(parseTopo('\tGPU0\tGPU1\nGPU0\t X \tNVx\nGPU1\tNV18')).toEqual([]);
  expect(parseTopo('\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU9999\tNV18\n')).toEqual([{ from: 0, to: 1, links: 4 }]);
});
