import { describe, expect, it } from 'vitest';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { type Connection, connectionKey } from '../../../src/core/link/connection.ts';
import { rdmaConnectionChanges, rdmaConnections } from '../../../src/core/link/rdma-connections.ts';
import { rdmaInterfaceParts } from '../../../src/core/link/rdma-ports.ts';
import type { NetworkInterface } from '../../../src/core/node/network.ts';
import type { RdmaDevice, RdmaPort } from '../../../src/core/node/rdma-devices.ts';
import type { ThunderboltPeer, ThunderboltPort } from '../../../src/core/node/thunderbolt.ts';
import { EMPTY_STATE, type ReadingEntry, type State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';

describe('RDMA over Thunderbolt', () => {
  const mac = (letter: string, peers: readonly ThunderboltPeer[], more: Partial<Machine> = {}): Machine => ({
    isEnabled: true,
    devices: [device('rdma_en3', { interfaceName: 'en3', linkLayer: 'thunderbolt' })],
    thunderbolts: [thunderbolt(letter, peers)],
    ...more,
  });

  it('joins two Macs whose ports name each other, without any address', () => {
    const state = cluster({ atlas: mac('A', [peer('B')]), juno: mac('B', [peer('A')]) });
    expect(rdmaConnections(state, ATLAS, NOW)).toEqual([
      {
        kind: 'rdma',
        sink: JUNO,
        sourceInterface: 'rdma_en3',
        sinkInterface: 'rdma_en3',
        type: 'thunderbolt',
        negotiatedBitsPerSecond: 80e9,
      },
    ]);
    expect(rdmaConnections(state, JUNO, NOW)).toMatchObject([{ sink: ATLAS }]);
  });

  it('exists in a fleet too, for any choice of peers: the cable is its own', () => {
    const state = cluster({ atlas: mac('A', [peer('B')]), juno: mac('B', [peer('A')]) });
    expect(rdmaConnections(state, ATLAS, NOW, () => false)).toHaveLength(1);
  });

  it('takes no notice of the case of a domain UUID', () => {
    const state = cluster({ atlas: mac('A', [peer('b')]), juno: mac('B', [peer('a')]) });
    expect(rdmaConnections(state, ATLAS, NOW)).toHaveLength(1);
  });

  it('needs RDMA switched on and a port active at both ends', () => {
    const off = mac('B', [peer('A')], { isEnabled: false });
    expect(rdmaConnections(cluster({ atlas: mac('A', [peer('B')]), juno: off }), ATLAS, NOW)).toEqual([]);
    const unsure = mac('B', [peer('A')], { isEnabled: unknown('partially enabled') });
    expect(rdmaConnections(cluster({ atlas: mac('A', [peer('B')]), juno: unsure }), ATLAS, NOW)).toEqual([]);
    const down = mac('B', [peer('A')], { devices: [device('rdma_en3', { state: 'down' })] });
    expect(rdmaConnections(cluster({ atlas: mac('A', [peer('B')]), juno: down }), ATLAS, NOW)).toEqual([]);
    const withoutPorts = mac('B', [peer('A')], { devices: [{ ...device('rdma_en3', {}), ports: [] }] });
    expect(
      rdmaConnections(cluster({ atlas: mac('A', [peer('B')]), juno: withoutPorts }), ATLAS, NOW),
    ).toEqual([]);
  });

  it('reaches through a hub that only one side reports, in both directions', () => {
    const state = cluster({
      atlas: mac('A', [{ ...peer('B'), isBehindHub: true }]),
      juno: mac('B', []),
    });
    expect(rdmaConnections(state, ATLAS, NOW)).toHaveLength(1);
    expect(rdmaConnections(state, JUNO, NOW)).toHaveLength(1);
  });

  it('does not believe one side alone where there is no hub', () => {
    const state = cluster({ atlas: mac('A', [peer('B')]), juno: mac('B', []) });
    expect(rdmaConnections(state, ATLAS, NOW)).toEqual([]);
  });
});

describe('RDMA on a fabric', () => {
  const infiniband = (prefix: string, ...names: readonly string[]): Machine => ({
    isEnabled: true,
    devices: names.map(name => device(name, { linkLayer: 'infiniband', subnetPrefix: prefix })),
  });
  const FABRIC = 'fe80:0000:0000:0001';

  it('joins in a fleet only those that were chosen today, and reports it of one that is open', () => {
    const machines = { atlas: infiniband(FABRIC, 'mlx5_0'), juno: infiniband(FABRIC, 'mlx5_0') };
    const state = cluster(machines);
    const nobody = (): boolean => false;
    expect(rdmaConnections(state, ATLAS, NOW, nobody)).toEqual([]);
    const [opened] = rdmaConnectionChanges(state, ATLAS, NOW);
    if (opened?.kind !== 'connection.opened') throw new Error('they are on one fabric');
    const joined = holding(state, opened.payload);
    expect(rdmaConnectionChanges(joined, ATLAS, NOW, nobody)).toMatchObject([
      { kind: 'connection.closed', payload: { sink: JUNO, reason: 'not chosen today' } },
    ]);
  });

  it('joins InfiniBand ports of one subnet rail by rail, not each with each', () => {
    const names = ['mlx5_0', 'mlx5_1', 'mlx5_10'];
    const state = cluster({ atlas: infiniband(FABRIC, ...names), juno: infiniband(FABRIC, ...names) });
    expect(waysOf(state)).toEqual(['mlx5_0 mlx5_0', 'mlx5_1 mlx5_1', 'mlx5_10 mlx5_10']);
  });

  it('loses nothing where two ports are paired with others now', () => {
    const two = infiniband(FABRIC, 'mlx5_0', 'mlx5_1');
    const state = cluster({ atlas: two, juno: two });
    const [connection] = rdmaConnections(state, ATLAS, NOW);
    if (connection === undefined) throw new Error('there is no connection');
    const crossed = holding(state, { ...connection, sinkInterface: 'mlx5_1' });
    expect(rdmaConnectionChanges(crossed, ATLAS, NOW + 1_000)).toContainEqual({
      kind: 'connection.closed',
      payload: {
        sink: JUNO,
        connectionKey: 'rdma mlx5_0 mlx5_1',
        reason: 'its ports are paired with others',
      },
    });
  });

  it('uses every port where one side has more', () => {
    const state = cluster({
      atlas: infiniband(FABRIC, 'mlx5_0', 'mlx5_1', 'mlx5_2'),
      juno: infiniband(FABRIC, 'mlx5_0'),
    });
    expect(waysOf(state)).toEqual(['mlx5_0 mlx5_0', 'mlx5_1 mlx5_0', 'mlx5_2 mlx5_0']);
  });

  it('does not join other subnets, nor InfiniBand with RoCE', () => {
    const other = cluster({
      atlas: infiniband(FABRIC, 'mlx5_0'),
      juno: infiniband('fe80:0000:0000:0002', 'mlx5_0'),
    });
    expect(waysOf(other)).toEqual([]);
    const mixed = cluster({
      atlas: infiniband(FABRIC, 'mlx5_0'),
      juno: roce(['mlx5_0', 'eth0', '10.0.0.2']),
    });
    expect(waysOf(mixed)).toEqual([]);
  });

  it('names the port of a device that has several', () => {
    const two = device('mlx5_0', { linkLayer: 'infiniband', subnetPrefix: FABRIC });
    const [port] = two.ports;
    const dual: Machine = {
      isEnabled: true,
      devices: [
        {
          ...two,
          ports: [
            { ...two.ports[0], state: 'down' },
            { ...port, number: 2 },
          ] as RdmaPort[],
        },
      ],
    };
    const state = cluster({ atlas: dual, juno: infiniband(FABRIC, 'mlx5_0') });
    expect(waysOf(state)).toEqual(['mlx5_0:2 mlx5_0']);
    expect(rdmaInterfaceParts('mlx5_0:2')).toEqual({ device: 'mlx5_0', port: 2 });
    expect(rdmaInterfaceParts('mlx5_0')).toEqual({ device: 'mlx5_0', port: 1 });
  });

  it('joins RoCE ports whose interfaces share an IP subnet', () => {
    const state = cluster({
      atlas: roce(['rocep1s0f0', 'enp1s0f0np0', '10.0.1.1'], ['rocep1s0f1', 'enp1s0f1np1', '10.0.2.1']),
      juno: roce(['rocep1s0f0', 'enp1s0f0np0', '10.0.2.2'], ['rocep1s0f1', 'enp1s0f1np1', '10.0.9.2']),
    });
    expect(waysOf(state)).toEqual(['rocep1s0f1 rocep1s0f0']);
    expect(rdmaConnections(state, ATLAS, NOW)).toMatchObject([
      { type: 'roce', negotiatedBitsPerSecond: 200e9 },
    ]);
  });

  it('pairs the halves of one GB10 socket in order, never crosswise', () => {
    const spark = (last: number): Machine =>
      roce(
        ['roceP2p1s0f0', 'enP2p1s0f0np0', `10.0.1.${last + 100}`],
        ['rocep1s0f0', 'enp1s0f0np0', `10.0.1.${last}`],
      );
    const state = cluster({ atlas: spark(1), juno: spark(2) });
    expect(waysOf(state)).toEqual(['rocep1s0f0 rocep1s0f0', 'roceP2p1s0f0 roceP2p1s0f0']);
    // The rate that each half reports is that of the whole socket.
    expect(rdmaConnections(state, ATLAS, NOW)[0]?.negotiatedBitsPerSecond).toEqual(
      unknown('rocep1s0f0 and roceP2p1s0f0 share one socket, each with half of its lanes'),
    );
  });

  it('joins RoCE ports of a cable without addresses once a link-local address answers on it', () => {
    const bare = (address: string): Machine => roce(['rocep1s0f0', 'enp1s0f0np0', address]);
    const state = cluster({ atlas: bare('fe80::1'), juno: bare('fe80::2') });
    expect(waysOf(state)).toEqual([]);
    const answered: Connection = {
      kind: 'socket',
      sink: JUNO,
      sinkAddress: 'fe80::2%enp1s0f0np0',
      sourceInterface: 'enp1s0f0np0',
      sinkInterface: 'enp1s0f0np0',
      type: 'ethernet',
      negotiatedBitsPerSecond: 200e9,
    };
    expect(waysOf(holding(state, answered))).toEqual(['rocep1s0f0 rocep1s0f0']);
  });
});

describe('what is to be recorded of RDMA connections', () => {
  const machines = {
    atlas: roce(['mlx5_0', 'eth0', '10.0.0.1']),
    juno: roce(['mlx5_0', 'eth0', '10.0.0.2']),
  };
  const state = cluster(machines);
  const [connection] = rdmaConnections(state, ATLAS, NOW);
  if (connection === undefined) throw new Error('there is no connection to begin with');

  it('is the opening, once', () => {
    expect(rdmaConnectionChanges(state, ATLAS, NOW)).toEqual([
      { kind: 'connection.opened', payload: connection },
    ]);
    expect(rdmaConnectionChanges(holding(state, connection), ATLAS, NOW)).toEqual([]);
  });

  it('is the close, with its reason, as soon as a port is down, and the loss of what was open for a minute', () => {
    const down = cluster({
      ...machines,
      juno: { ...machines.juno, devices: [device('mlx5_0', { state: 'down' })] },
    });
    expect(rdmaConnectionChanges(holding(down, connection), ATLAS, NOW)).toEqual([
      {
        kind: 'connection.closed',
        payload: {
          sink: JUNO,
          connectionKey: 'rdma mlx5_0 mlx5_0',
          reason: `mlx5_0 of ${JUNO.slice(0, 8)} is no longer active`,
        },
      },
    ]);
    expect(rdmaConnectionChanges(holding(state, connection), ATLAS, NOW + 60_000)).toMatchObject([
      {
        kind: 'connection.lost',
        payload: { code: 'node-offline', connection, reason: expect.stringContaining('offline') },
      },
    ]);
  });

  it('is a loss where a node that nobody chooses while it is away is killed', () => {
    const changes = rdmaConnectionChanges(holding(state, connection), ATLAS, NOW + 60_000, () => false);
    expect(changes).toMatchObject([{ kind: 'connection.lost', payload: { code: 'node-offline' } }]);
  });

  it('is another rate at once, but never that a rate has become unknown', () => {
    const rated = (rateBitsPerSecond: RdmaPort['rateBitsPerSecond']): State =>
      holding(
        cluster({
          ...machines,
          atlas: roce(['mlx5_0', 'eth0', '10.0.0.1', { rateBitsPerSecond }]),
        }),
        connection,
      );
    expect(rdmaConnectionChanges(rated(100e9), ATLAS, NOW)).toMatchObject([
      { kind: 'connection.opened', payload: { negotiatedBitsPerSecond: 100e9 } },
    ]);
    expect(rdmaConnectionChanges(rated(unknown('not reported')), ATLAS, NOW)).toEqual([]);
  });

  it('leaves socket connections alone', () => {
    const socket: Connection = {
      kind: 'socket',
      sink: JUNO,
      sinkAddress: '10.0.0.2',
      sourceInterface: 'eth0',
      sinkInterface: 'eth0',
      type: 'ethernet',
      negotiatedBitsPerSecond: 1e9,
    };
    expect(rdmaConnectionChanges(holding(cluster({ atlas: {}, juno: {} }), socket), ATLAS, NOW)).toEqual([]);
  });
});

interface Machine {
  readonly isEnabled?: boolean | ReturnType<typeof unknown>;
  readonly devices?: readonly RdmaDevice[];
  readonly thunderbolts?: readonly ThunderboltPort[];
  readonly interfaces?: readonly NetworkInterface[];
}

const ATLAS = nodeId('a'.repeat(26));
const JUNO = nodeId('j'.repeat(26));
const NOW = 10_000;
const REST = unknown('not reported');

const waysOf = (state: State): readonly string[] =>
  rdmaConnections(state, ATLAS, NOW).map(
    ({ sourceInterface, sinkInterface }) => `${sourceInterface} ${sinkInterface}`,
  );

function cluster(machines: { readonly atlas: Machine; readonly juno: Machine }): State {
  const entry = <T>(value: T): ReadingEntry<T> => ({
    value,
    epoch: 1,
    seq: 1,
    ageMs: 0,
    receivedAtMs: NOW,
    source: 'made up',
    intervalMs: 10_000,
  });
  const of = <T>(part: (machine: Machine) => T): Record<NodeId, ReadingEntry<T>> => ({
    [ATLAS]: entry(part(machines.atlas)),
    [JUNO]: entry(part(machines.juno)),
  });
  return {
    ...EMPTY_STATE,
    nodeRdmaDevices: of(({ isEnabled, devices }) => ({
      isEnabled: isEnabled ?? false,
      devices: devices ?? [],
    })),
    nodeThunderbolts: of(({ thunderbolts }) => ({
      ports: thunderbolts ?? [],
      bridge: { kind: 'absent' as const },
    })),
    nodeNetworks: of(({ interfaces }) => ({ interfaces: interfaces ?? [] })),
    origins: {
      [ATLAS]: { epoch: 1, seq: 1, receivedAtMs: NOW },
      [JUNO]: { epoch: 1, seq: 1, receivedAtMs: NOW },
    },
  };
}

function holding(state: State, connection: Connection): State {
  const entry = { value: connection, epoch: 1, seq: 2, ageMs: 0, receivedAtMs: NOW };
  return {
    ...state,
    connections: { [ATLAS]: { [connection.sink]: { [connectionKey(connection)]: entry } } },
  };
}

function device(name: string, port: Partial<RdmaPort>): RdmaDevice {
  return {
    name,
    nodeGuid: REST,
    systemImageGuid: '0200000300f94230',
    firmware: REST,
    ports: [
      {
        number: 1,
        state: 'active',
        physicalState: 'LinkUp',
        linkLayer: 'ethernet',
        rateBitsPerSecond: 200e9,
        activeMtuBytes: 4096,
        interfaceName: REST,
        subnetPrefix: REST,
        ...port,
      },
    ],
  };
}

function roce(...ports: readonly (readonly [string, string, string, Partial<RdmaPort>?])[]): Machine {
  return {
    isEnabled: true,
    devices: ports.map(([name, interfaceName, , more]) => device(name, { interfaceName, ...more })),
    interfaces: ports.map(([, name, address]) => {
      const isIpv6 = address.includes(':');
      return {
        name,
        type: 'ethernet',
        typeEvidence: 'made up',
        macAddress: REST,
        isUp: true,
        speedBitsPerSecond: 200e9,
        mtuBytes: 9000,
        driver: 'mlx5_core',
        addresses: [
          {
            address,
            family: isIpv6 ? 'ipv6' : 'ipv4',
            prefixLength: isIpv6 ? 64 : 24,
            scope: isIpv6 ? 'link' : 'global',
          },
        ],
        members: [],
      };
    }),
  };
}

function thunderbolt(letter: string, peers: readonly ThunderboltPeer[]): ThunderboltPort {
  return {
    busName: 'thunderboltusb4_bus_1',
    receptacle: '1',
    domainUuid: `D0-${letter}`,
    interfaceName: 'en3',
    rdmaInterfaceName: 'rdma_en3',
    status: 'connected',
    capabilityBitsPerSecond: 120e9,
    negotiatedBitsPerSecond: 80e9,
    peers,
    devices: [],
  };
}

function peer(letter: string): ThunderboltPeer {
  return { domainUuid: `D0-${letter}`, name: 'a Mac', isBehindHub: false, offersRdma: true };
}
