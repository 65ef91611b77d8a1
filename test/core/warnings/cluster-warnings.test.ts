import { describe, expect, it } from 'vitest';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { type Connection, connectionKey } from '../../../src/core/link/connection.ts';
import { type NodeView, nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import type { RdmaPort } from '../../../src/core/node/rdma-devices.ts';
import type { ThunderboltPort } from '../../../src/core/node/thunderbolt.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { clusterWarnings, WarningWatch } from '../../../src/core/warnings/cluster-warnings.ts';
import type { Warning } from '../../../src/core/warnings/warning.ts';

describe('Thunderbolt', () => {
  it('warns of bridges in a ring, and of none in a line', () => {
    const line = [
      mac('atlas', [port('A1', 'B1')]),
      mac('juno', [port('B1', 'A1'), port('B2', 'C1')]),
      mac('vega', [port('C1', 'B2')]),
    ];
    expect(idsOf(warned(line))).toEqual([]);
    const ring = [
      mac('atlas', [port('A1', 'B1'), port('A2', 'C2')]),
      mac('juno', [port('B1', 'A1'), port('B2', 'C1')]),
      mac('vega', [port('C1', 'B2'), port('C2', 'A2')]),
    ];
    expect(warned(ring)).toMatchObject([
      {
        level: 'danger',
        title: 'Thunderbolt bridges of atlas, juno, vega form a loop',
        on: 'each of atlas, juno, vega',
        command: "sudo networksetup -setnetworkserviceenabled 'Thunderbolt Bridge' off",
        nodes: [idOf('atlas'), idOf('juno'), idOf('vega')],
      },
    ]);
  });

  it('warns of two cables between two machines, unless the bridge of one is off', () => {
    const two = (isEnabled: boolean): readonly Machine[] => [
      mac('atlas', [port('A1', 'B1'), port('A2', 'B2')]),
      mac('juno', [port('B1', 'A1'), port('B2', 'A2')], { isBridgeOn: isEnabled }),
    ];
    expect(idsOf(warned(two(true)))).toEqual([expect.stringMatching(/^bridge loop/)]);
    expect(idsOf(warned(two(false)))).toEqual([]);
  });

  it('counts two cables into the two receptacles of one bus, and a device in the other does not hide one', () => {
    const disk = { ...port('A1', 'B1'), peers: [], devices: ['a disk'] };
    const one = [mac('atlas', [port('A1', 'B1'), disk]), mac('juno', [port('B1', 'A1')])];
    expect(idsOf(warned(one))).toEqual([]);
    const ring = [
      mac('atlas', [port('A1', 'B1'), disk, port('A2', 'C1')]),
      mac('juno', [port('B1', 'A1'), port('B2', 'C2')]),
      mac('vega', [port('C1', 'A2'), port('C2', 'B2')]),
    ];
    expect(idsOf(warned(ring))).toHaveLength(1);
    const two = [
      mac('atlas', [port('A1', 'B1'), port('A1', 'B1')]),
      mac('juno', [port('B1', 'A1'), port('B1', 'A1')]),
    ];
    expect(idsOf(warned(two))).toEqual([expect.stringMatching(/^bridge loop/)]);
  });

  it('warns of RDMA that is off where a Thunderbolt 5 cable could carry it, not where the cable is slower', () => {
    const off = (bitsPerSecond: number): readonly Machine[] => [
      mac('atlas', [port('A1', 'B1', bitsPerSecond)], { isRdmaOn: false }),
      mac('juno', [port('B1', 'A1', bitsPerSecond)], { isRdmaOn: true }),
    ];
    expect(warned(off(80e9))).toMatchObject([
      {
        title: 'atlas: RDMA is available but switched off',
        why: expect.stringContaining('to juno'),
        command: 'rdma_ctl enable',
        on: 'atlas, in Recovery',
      },
    ]);
    expect(warned(off(40e9))).toEqual([]);
  });

  it('warns of an RDMA port that is down though both ends have RDMA on', () => {
    const machines = [
      mac('atlas', [port('A1', 'B1')], { isRdmaOn: true, rdmaState: 'down' }),
      mac('juno', [port('B1', 'A1')], { isRdmaOn: true }),
    ];
    expect(warned(machines)).toMatchObject([
      { title: 'atlas: RDMA port rdma_A1 is down', command: 'ibv_devinfo -d rdma_A1' },
    ]);
  });
});

describe('machines', () => {
  it('warns of builds of macOS that differ', () => {
    expect(warned([mac('atlas', []), mac('juno', [], { build: '25C99' })])).toMatchObject([
      { level: 'caution', why: expect.stringContaining('25C56 on atlas; 25C99 on juno') },
    ]);
  });

  it('warns of swap, as a note while nothing waits for memory', () => {
    const swapping = (level: 'normal' | 'critical'): readonly Warning[] =>
      warned([mac('atlas', [], { swapUsedBytes: 12e9, level })]);
    expect(swapping('normal')).toMatchObject([
      { level: 'note', title: expect.stringContaining('of swap in use') },
    ]);
    expect(swapping('critical')).toMatchObject([{ level: 'danger', on: 'atlas', command: 'top -o mem' }]);
    expect(warned([mac('atlas', [], { swapUsedBytes: 1e6, level: 'normal' })])).toEqual([]);
    expect(warned([mac('atlas', [], { swapUsedBytes: 1e6, level: 'critical' })])).toMatchObject([
      { title: 'atlas: memory at its limit', why: expect.stringContaining('wait for memory') },
    ]);
  });

  it('warns of a GPU that is throttled or on a narrow link only while it works', () => {
    const busy = (use: number): readonly Warning[] =>
      warned([mac('atlas', [], { gpu: { use, throttle: ['SW thermal slowdown'], width: 8 } })]);
    expect(busy(0.9)).toMatchObject([
      { title: 'atlas: GPU 0 is throttled', why: expect.stringContaining('SW thermal slowdown') },
      { title: 'atlas: GPU 0 runs on PCIe 5 x8 instead of 5 x16', why: expect.stringMatching(/50\s?%/) },
    ]);
    expect(busy(0.9).map(({ command }) => command)).toEqual([
      'nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE',
      expect.stringContaining('pcie.link.width.current,pcie.link.width.max'),
    ]);
    expect(busy(0.1)).toEqual([]);
  });
});

describe('links', () => {
  const reaching = (ageMs: number, silentMs = 0): readonly Warning[] => {
    const way: Connection = {
      kind: 'socket',
      sink: idOf('juno'),
      sinkAddress: '10.0.0.2',
      sourceInterface: 'en0',
      sinkInterface: 'en0',
      type: 'ethernet',
      negotiatedBitsPerSecond: 1e9,
    };
    const state = clusterOf([mac('atlas', []), mac('juno', [])]);
    const reported = { meshPort: 4181, reachabilityPort: 4181 };
    return warningsOf(
      {
        ...state,
        connections: {
          [idOf('atlas')]: { [idOf('juno')]: { [connectionKey(way)]: { ...entry(way), ageMs } } },
        },
        nodeEndpoints: { [idOf('atlas')]: entry(reported), [idOf('juno')]: entry(reported) },
      },
      silentMs,
    );
  };

  it('warns of nodes that reach each other one way only, once it has lasted', () => {
    expect(reaching(120_000)).toMatchObject([
      { title: 'atlas reaches juno, but not the other way', on: 'juno', command: 'plimsoll doctor' },
    ]);
    expect(reaching(1_000)).toEqual([]);
  });

  it('does not take a cable that was just pulled for a firewall', () => {
    expect(reaching(120_000, 2_000)).toHaveLength(1);
    expect(reaching(120_000, 5_000)).toEqual([]);
  });
});

describe('a watch over warnings', () => {
  it('looks again after two seconds', () => {
    const watch = new WarningWatch();
    const read = (state: State, nowMs: number): readonly Warning[] =>
      watch.read({ state, views: viewsOf(state), nowMs });
    const calm = clusterOf([mac('atlas', []), mac('juno', [])]);
    const differing = clusterOf([mac('atlas', []), mac('juno', [], { build: '25C99' })]);
    expect(read(calm, NOW)).toEqual([]);
    expect(read(differing, NOW + 1_999)).toEqual([]);
    expect(read(differing, NOW + 2_000)).toHaveLength(1);
  });
});

interface More {
  readonly isBridgeOn?: boolean;
  readonly isRdmaOn?: boolean;
  readonly rdmaState?: 'active' | 'down';
  readonly build?: string;
  readonly swapUsedBytes?: number;
  readonly level?: 'normal' | 'critical';
  readonly gpu?: { readonly use: number; readonly throttle: readonly string[]; readonly width: number };
}
interface Machine {
  readonly name: string;
  readonly ports: readonly ThunderboltPort[];
  readonly more: More;
}

const NOW = 200_000;
const REST = unknown('not reported');

const mac = (name: string, ports: readonly ThunderboltPort[], more: More = {}): Machine => ({
  name,
  ports,
  more,
});
const idOf = (name: string): NodeId => nodeId(name.padEnd(26, '0'));
const warned = (machines: readonly Machine[]): readonly Warning[] => warningsOf(clusterOf(machines));
const warningsOf = (state: State, laterMs = 0): readonly Warning[] =>
  clusterWarnings({ state, views: viewsOf(state, laterMs), nowMs: NOW + laterMs });
const viewsOf = (state: State, laterMs = 0): readonly NodeView[] =>
  nodeIds(state).map(id => nodeView(state, id, NOW + laterMs));
const idsOf = (warnings: readonly Warning[]): readonly string[] => warnings.map(({ id }) => id);

function port(uuid: string, peer: string, bitsPerSecond = 80e9): ThunderboltPort {
  return {
    busName: `bus ${uuid}`,
    receptacle: '1',
    domainUuid: uuid,
    interfaceName: uuid,
    rdmaInterfaceName: `rdma_${uuid}`,
    status: 'connected',
    capabilityBitsPerSecond: REST,
    negotiatedBitsPerSecond: bitsPerSecond,
    peers: [{ domainUuid: peer, name: 'a Mac', isBehindHub: false, offersRdma: true }],
    devices: [],
  };
}

function entry<T>(value: T) {
  return { value, epoch: 1, seq: 1, ageMs: 0, receivedAtMs: NOW, source: 'made up', intervalMs: 10_000 };
}

function rdmaPort(state: 'active' | 'down'): RdmaPort {
  return {
    number: 1,
    state,
    physicalState: REST,
    linkLayer: 'thunderbolt',
    rateBitsPerSecond: REST,
    activeMtuBytes: REST,
    interfaceName: REST,
    subnetPrefix: REST,
  };
}

function clusterOf(machines: readonly Machine[]): State {
  const of = <T>(part: (machine: Machine) => T) =>
    Object.fromEntries(machines.map(machine => [idOf(machine.name), part(machine)]));
  return {
    ...EMPTY_STATE,
    origins: of(() => ({ epoch: 1, seq: 1, receivedAtMs: NOW })),
    nodeIdentities: of(({ name, more }) =>
      entry({
        friendlyName: name,
        hostName: name,
        model: REST,
        chip: REST,
        architecture: 'arm64',
        cpuCount: 8,
        operatingSystem: {
          platform: 'macos' as const,
          name: 'macOS',
          version: '26.2',
          build: more.build ?? '25C56',
        },
        memoryIsUnified: true,
        virtualisation: 'none',
        plimsollVersion: '0.0.0',
        isSimulated: false,
      }),
    ),
    nodeMemories: of(({ more }) =>
      entry({
        totalBytes: 64e9,
        availableBytes: 32e9,
        swapTotalBytes: 16e9,
        swapUsedBytes: more.swapUsedBytes ?? 0,
        pressure: { level: more.level ?? ('normal' as const), stalledShare: 0 },
        container: { kind: 'none' as const },
      }),
    ),
    nodeThunderbolts: of(({ ports, more }) =>
      entry({
        ports,
        bridge: {
          kind: 'present' as const,
          interfaceName: 'bridge0',
          serviceName: 'Thunderbolt Bridge',
          isEnabled: more.isBridgeOn ?? true,
          members: [],
        },
      }),
    ),
    nodeRdmaDevices: of(({ ports, more }) =>
      entry({
        isEnabled: more.isRdmaOn ?? REST,
        devices: ports.map(({ rdmaInterfaceName: name }) => ({
          name: String(name),
          nodeGuid: REST,
          systemImageGuid: REST,
          firmware: REST,
          ports: [rdmaPort(more.rdmaState ?? 'active')],
        })),
      }),
    ),
    ...(machines.some(({ more }) => more.gpu !== undefined) ? gpusOf(machines) : {}),
  };
}

function gpusOf(machines: readonly Machine[]): Pick<State, 'nodeGpus' | 'nodeGpuLoads'> {
  const found = machines.flatMap(({ name, more: { gpu } }) => (gpu === undefined ? [] : [{ name, gpu }]));
  const device = {
    deviceId: 'GPU-1',
    index: 0,
    name: 'H100',
    memoryTotalBytes: 80e9,
    memoryIsUnified: false,
  };
  const rest = { driver: REST, runtime: REST, architecture: REST, coreCount: REST, powerLimitWatts: REST };
  const inventory = { ...device, ...rest, pcieMax: { generation: 5, width: 16 }, partitions: [] };
  const idle = { memoryUsedBytes: REST, temperatureCelsius: REST, powerWatts: REST, clockMhz: REST };
  return {
    nodeGpus: Object.fromEntries(
      found.map(({ name }) => [
        idOf(name),
        { nvidia: entry({ vendor: 'nvidia' as const, devices: [inventory] }) },
      ]),
    ),
    nodeGpuLoads: Object.fromEntries(
      found.map(({ name, gpu: { use, throttle, width } }) => [
        idOf(name),
        {
          nvidia: entry({
            vendor: 'nvidia' as const,
            devices: [
              {
                deviceId: 'GPU-1',
                use,
                ...idle,
                pcieNow: { generation: 5, width },
                throttleReasons: throttle,
              },
            ],
          }),
        },
      ]),
    ),
  };
}
