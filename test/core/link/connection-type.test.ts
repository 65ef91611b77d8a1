import { describe, expect, it } from 'vitest';
import {
  type ConnectionCarrier,
  connectionCarrier,
  isSameCarrier,
  stickyCarrier,
} from '../../../src/core/link/connection-type.ts';
import type { NetworkInterface, NodeNetwork } from '../../../src/core/node/network.ts';
import type { NodeThunderbolt } from '../../../src/core/node/thunderbolt.ts';
import { unknown } from '../../../src/core/unknown.ts';

const rest = unknown('not reported');
const made = (name: string, more: Partial<NetworkInterface>): NetworkInterface => ({
  name,
  type: 'ethernet',
  typeEvidence: 'made up',
  macAddress: rest,
  isUp: true,
  speedBitsPerSecond: rest,
  mtuBytes: rest,
  driver: rest,
  addresses: [],
  members: [],
  ...more,
});
const carrierOf = (
  name: string,
  interfaces: readonly NetworkInterface[],
  thunderbolt?: NodeThunderbolt,
): ConnectionCarrier => {
  const network: NodeNetwork = { interfaces };
  return connectionCarrier(name, { network, thunderbolt });
};

describe('the carrier of a connection', () => {
  it('is the interface that it leaves by, at the rate that was negotiated', () => {
    expect(carrierOf('en0', [made('en0', { speedBitsPerSecond: 1e10 })])).toEqual({
      type: 'ethernet',
      negotiatedBitsPerSecond: 1e10,
    });
    expect(carrierOf('wlan0', [made('wlan0', { type: 'wifi' })]).type).toBe('wifi');
    expect(carrierOf('ib0', [made('ib0', { type: 'infiniband' })]).type).toBe('infiniband');
  });

  it('is an overlay by what the interface is, never by its address', () => {
    const addresses = [{ address: '100.64.0.7', family: 'ipv4', prefixLength: 10, scope: 'global' }] as const;
    expect(carrierOf('ts0', [made('ts0', { type: 'overlay', addresses })]).type).toBe('overlay');
    expect(carrierOf('eth0', [made('eth0', { addresses })]).type).toBe('ethernet');
    expect(carrierOf('x0', [made('x0', { type: unknown('sysfs type 99'), addresses })]).type).toEqual(
      unknown('sysfs type 99'),
    );
  });

  it('takes the rate of a Thunderbolt cable from its port, and never the capability', () => {
    const port = {
      busName: 'bus_1',
      receptacle: '1',
      domainUuid: rest,
      interfaceName: 'en3',
      rdmaInterfaceName: rest,
      status: 'connected',
      capabilityBitsPerSecond: 120e9,
      negotiatedBitsPerSecond: 80e9,
      peers: [],
      devices: [],
    } as const;
    const interfaces = [made('en3', { type: 'thunderbolt' })];
    expect(carrierOf('en3', interfaces, { ports: [port], bridge: rest })).toEqual({
      type: 'thunderbolt',
      negotiatedBitsPerSecond: 80e9,
    });
    const unreported = { ...port, negotiatedBitsPerSecond: unknown('no cable speed') };
    expect(carrierOf('en3', interfaces, { ports: [unreported], bridge: rest })).toEqual({
      type: 'thunderbolt',
      negotiatedBitsPerSecond: unknown('no cable speed'),
    });
  });

  it('is that of the members of a bridge or bond, where they are of one type', () => {
    const members = [
      made('en1', { type: 'thunderbolt', speedBitsPerSecond: 40e9 }),
      made('en2', { type: 'thunderbolt', speedBitsPerSecond: 40e9 }),
    ];
    const bridge = made('bridge0', { type: 'bridge', members: ['en1', 'en2'] });
    expect(carrierOf('bridge0', [...members, bridge])).toEqual({
      type: 'thunderbolt',
      negotiatedBitsPerSecond: 40e9,
    });
    const bond = made('bond0', { type: 'bond', members: ['e1', 'e2'], speedBitsPerSecond: 2e9 });
    const pair = [made('e1', { speedBitsPerSecond: 1e9 }), made('e2', { speedBitsPerSecond: 1e9 })];
    expect(carrierOf('bond0', [...pair, bond])).toEqual({ type: 'ethernet', negotiatedBitsPerSecond: 2e9 });
  });

  it('of a bridge leaves out members that are down, and is unknown where the others differ', () => {
    const bridge = made('br0', { type: 'bridge', members: ['e1', 'w1'] });
    const ethernet = made('e1', { speedBitsPerSecond: 1e9 });
    expect(carrierOf('br0', [bridge, ethernet, made('w1', { type: 'wifi', isUp: false })])).toEqual({
      type: 'ethernet',
      negotiatedBitsPerSecond: 1e9,
    });
    expect(carrierOf('br0', [bridge, ethernet, made('w1', { type: 'wifi' })]).type).toEqual(
      unknown('the bridge br0 joins ethernet and wifi'),
    );
  });

  it('of a bridge of one port and virtual machines is that of the port, which alone leads out', () => {
    const guests = [
      made('tap100i0', { type: 'virtual' }),
      made('fwpr101p0', { type: 'virtual' }),
      made('virbr1', { type: 'bridge', members: ['vnet0'] }),
      made('vnet0', { type: 'virtual' }),
    ];
    const members = ['eno1', 'fwpr101p0', 'tap100i0', 'virbr1'];
    const bridge = made('vmbr0', { type: 'bridge', members });
    const port = made('eno1', { speedBitsPerSecond: 1e10 });
    const carried = { type: 'ethernet', negotiatedBitsPerSecond: 1e10 };
    expect(carrierOf('vmbr0', [bridge, port, ...guests])).toEqual(carried);
    const unplugged = { ...port, isUp: false, speedBitsPerSecond: unknown('the link is down') };
    expect(carrierOf('vmbr0', [bridge, unplugged, ...guests]).type).toBe('ethernet');
    const bond = made('bond0', { type: 'bond', members: ['eno1', 'eno2'], speedBitsPerSecond: 2e10 });
    const overBond = { ...bridge, members: ['bond0.7', 'tap100i0'] };
    const vlan = made('bond0.7', { type: 'vlan', members: ['bond0'] });
    expect(carrierOf('vmbr0', [overBond, vlan, bond, port, { ...port, name: 'eno2' }, ...guests])).toEqual({
      type: 'ethernet',
      negotiatedBitsPerSecond: 2e10,
    });
  });

  it('of a bridge of two ports of different kinds and a virtual machine stays unknown', () => {
    const bridge = made('vmbr0', { type: 'bridge', members: ['eno1', 'ib0', 'tap0'] });
    const ports = [made('eno1', {}), made('ib0', { type: 'infiniband' }), made('tap0', { type: 'virtual' })];
    expect(carrierOf('vmbr0', [bridge, ...ports]).type).toEqual(
      unknown('the bridge vmbr0 joins ethernet and infiniband'),
    );
  });

  it('of a bond that does not report its rate has the rate of its only port that is up', () => {
    const bond = made('bond0', { type: 'bond', members: ['eno1', 'eno2'] });
    const port = made('eno1', { speedBitsPerSecond: 1e10 });
    expect(carrierOf('bond0', [bond, port, { ...port, name: 'eno2', isUp: false }])).toEqual({
      type: 'ethernet',
      negotiatedBitsPerSecond: 1e10,
    });
    expect(carrierOf('bond0', [bond, port, { ...port, name: 'eno2' }])).toEqual({
      type: 'ethernet',
      negotiatedBitsPerSecond: unknown('bond0 does not report its rate'),
    });
  });

  it('of a macvlan is that of the port on which it is, of other virtual interfaces unknown', () => {
    const port = made('eno1', { speedBitsPerSecond: 1e10 });
    expect(carrierOf('mac0', [made('mac0', { type: 'virtual', members: ['eno1'] }), port])).toEqual({
      type: 'ethernet',
      negotiatedBitsPerSecond: 1e10,
    });
    expect(carrierOf('veth0', [made('veth0', { type: 'virtual' })]).type).toEqual(
      unknown('veth0 is a virtual interface (made up)'),
    );
  });

  it('of a bridge of containers is unknown, with the reason', () => {
    const docker = made('docker0', { type: 'bridge', members: ['veth1'] });
    expect(carrierOf('docker0', [docker, made('veth1', { type: 'virtual' })]).type).toEqual(
      unknown('the bridge docker0 joins only virtual interfaces'),
    );
    expect(carrierOf('docker0', [made('docker0', { type: 'bridge' })]).type).toEqual(
      unknown('the bridge docker0 has no members'),
    );
  });

  it('of a VLAN is that of what it is on', () => {
    const below = made('eth0', { speedBitsPerSecond: 25e9 });
    expect(carrierOf('eth0.100', [below, made('eth0.100', { type: 'vlan' })])).toEqual({
      type: 'ethernet',
      negotiatedBitsPerSecond: 25e9,
    });
    expect(carrierOf('lan', [below, made('lan', { type: 'vlan' })]).type).toEqual(
      unknown('the parent of the VLAN lan is not reported'),
    );
  });

  it('ends with a bridge that joins itself', () => {
    const one = made('br0', { type: 'bridge', members: ['br1'] });
    const other = made('br1', { type: 'bridge', members: ['br0'] });
    expect(carrierOf('br0', [one, other]).type).toMatchObject({ kind: 'unknown' });
  });

  it('is unknown with a reason where nothing was read', () => {
    expect(connectionCarrier('en0', { network: undefined, thunderbolt: undefined }).type).toEqual(
      unknown('the interfaces of this machine have not been read yet'),
    );
    expect(carrierOf('en9', []).type).toEqual(unknown('there is no interface en9 in the network reading'));
    const requested = connectionCarrier(unknown('no route is reported'), {
      network: undefined,
      thunderbolt: undefined,
    });
    expect(requested.type).toEqual(unknown('no route is reported'));
  });
});

describe('what an entry reports next', () => {
  const ethernet: ConnectionCarrier = { type: 'ethernet', negotiatedBitsPerSecond: 1e9 };
  const lost: ConnectionCarrier = { type: unknown('gone'), negotiatedBitsPerSecond: unknown('gone') };

  it('keeps a concrete type from being replaced by unknown', () => {
    expect(stickyCarrier(ethernet, lost)).toBe(ethernet);
  });

  it('takes another concrete type, and a rate, at once', () => {
    const wifi: ConnectionCarrier = { type: 'wifi', negotiatedBitsPerSecond: 866e6 };
    expect(stickyCarrier(ethernet, wifi)).toBe(wifi);
    expect(stickyCarrier(lost, ethernet)).toBe(ethernet);
    expect(stickyCarrier(undefined, lost)).toBe(lost);
  });

  it('is the same carrier while a radio breathes, and another when a cable falls back', () => {
    const wifi = (rate: number): ConnectionCarrier => ({ type: 'wifi', negotiatedBitsPerSecond: rate });
    expect(isSameCarrier(wifi(866e6), wifi(780e6))).toBe(true);
    expect(isSameCarrier(wifi(866e6), wifi(400e6))).toBe(false);
    expect(isSameCarrier(ethernet, { ...ethernet, negotiatedBitsPerSecond: 0.9e9 })).toBe(false);
    expect(isSameCarrier(ethernet, ethernet)).toBe(true);
  });
});
