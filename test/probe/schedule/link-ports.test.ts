import { expect, test } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import type { NetworkInterface } from '../../../src/core/node/network.ts';
import type { RdmaDevice } from '../../../src/core/node/rdma-devices.ts';
import { EMPTY_STATE, type ReadingEntry, type State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { sharePort, sinkPorts, sourcePorts } from '../../../src/probe/schedule/link-ports.ts';

const SELF = nodeId('self'.padEnd(26, 'a'));
const PEER = nodeId('peer'.padEnd(26, 'b'));

const reading = <T>(value: T): ReadingEntry<T> => ({
  value,
  epoch: 1,
  seq: 1,
  ageMs: 0,
  receivedAtMs: 0,
  source: 'test',
  intervalMs: 1_000,
});

const wire = (
  name: string,
  addresses: readonly string[],
  members: readonly string[] = [],
): NetworkInterface => ({
  name,
  type: 'ethernet',
  typeEvidence: 'test',
  macAddress: unknown('test'),
  isUp: true,
  speedBitsPerSecond: 1e9,
  mtuBytes: 1_500,
  driver: unknown('test'),
  addresses: addresses.map(address => ({ address, family: 'ipv4', prefixLength: 24, scope: 'global' })),
  members,
});

const adapter = (name: string, interfaceName: string, systemImageGuid: string): RdmaDevice => ({
  name,
  nodeGuid: unknown('test'),
  systemImageGuid,
  firmware: unknown('test'),
  ports: [
    {
      number: 1,
      state: 'active',
      physicalState: 'LinkUp',
      linkLayer: 'ethernet',
      rateBitsPerSecond: 100e9,
      activeMtuBytes: 4_096,
      interfaceName,
      subnetPrefix: unknown('test'),
    },
  ],
});

const STATE: State = {
  ...EMPTY_STATE,
  nodeNetworks: {
    [PEER]: reading({
      interfaces: [
        wire('eth0', ['10.0.0.2']),
        wire('eth0.10', ['10.1.0.2']),
        wire('bridge0', ['10.2.0.2'], ['en3', 'en4']),
        wire('en3', ['10.3.0.2', 'FE80::1']),
        wire('en4', ['fe80::1']),
        wire('half0', ['10.4.0.2']),
        wire('half1', ['10.5.0.2']),
      ],
    }),
  },
  nodeRdmaDevices: {
    [PEER]: reading({
      isEnabled: true,
      devices: [
        adapter('mlx5_0', 'half0', 'aa11'),
        adapter('mlx5_1', 'half1', 'aa11'),
        adapter('rdma_en3', 'en3', '0000000000000000'),
      ],
    }),
  },
};

const rest = { sink: PEER, type: 'ethernet', negotiatedBitsPerSecond: 1e9 } as const;
const at = (sinkAddress: string): readonly string[] =>
  sinkPorts(STATE, {
    kind: 'socket',
    sinkAddress,
    sourceInterface: 'en0',
    sinkInterface: unknown('not looked up'),
    ...rest,
  });
const over = (sinkInterface: string): readonly string[] =>
  sinkPorts(STATE, { kind: 'rdma', sourceInterface: 'mlx5_0', sinkInterface, ...rest });

test('two addresses of one interface are one, for any name of the scope at the other end', () => {
  expect(at('10.3.0.2')).toContain('en3');
  expect(at('fe80::1%en9')).toContain('en3');
  expect(sharePort(at('10.3.0.2'), at('fe80::1%en9'))).toBe(true);
  expect(sharePort(at('10.0.0.2'), at('10.3.0.2'))).toBe(false);
});

test('a VLAN shares the interface that it is on, a bridge those that it joins', () => {
  expect(sharePort(at('10.1.0.2'), at('10.0.0.2'))).toBe(true);
  expect(sharePort(at('10.2.0.2'), at('10.3.0.2'))).toBe(true);
  expect(sharePort(at('10.2.0.2'), at('10.0.0.2'))).toBe(false);
});

test('RDMA and sockets of one port share it, and so do the halves of one socket', () => {
  expect(sharePort(over('rdma_en3'), at('10.3.0.2'))).toBe(true);
  expect(sharePort(over('mlx5_0'), at('10.4.0.2'))).toBe(true);
  expect(sharePort(over('mlx5_0:1'), over('mlx5_1'))).toBe(true);
  expect(sharePort(at('10.4.0.2'), at('10.5.0.2'))).toBe(true);
  expect(sharePort(over('mlx5_0'), over('rdma_en3'))).toBe(false);
});

test('where the interface is not known it may be any', () => {
  expect(at('192.0.2.1')).toEqual(['*']);
  const unknownWay = sourcePorts(STATE, SELF, {
    kind: 'socket',
    sinkAddress: '10.0.0.2',
    sourceInterface: unknown('no route is reported'),
    sinkInterface: unknown('no route is reported'),
    ...rest,
  });
  expect(unknownWay).toEqual(['*']);
  expect(sharePort(unknownWay, at('10.0.0.2'))).toBe(true);
});
