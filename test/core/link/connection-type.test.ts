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
    const untold = { ...port, negotiatedBitsPerSecond: unknown('no cable speed') };
    expect(carrierOf('en3', interfaces, { ports: [untold], bridge: rest })).toEqual({
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

  it('of a bridge of containers is unknown, with the reason', () => {
    const docker = made('docker0', { type: 'bridge', members: ['veth1'] });
    expect(carrierOf('docker0', [docker, made('veth1', { type: 'virtual' })]).type).toEqual(
      unknown('the bridge docker0 joins interfaces of unknown type'),
    );
    expect(carrierOf('docker0', [made('docker0', { type: 'bridge' })]).type).toEqual(
      unknown('the bridge docker0 has no members'),
    );
  });

  it('of a VLAN is that of what it lies on', () => {
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
    const asked = connectionCarrier(unknown('no route is told'), {
      network: undefined,
      thunderbolt: undefined,
    });
    expect(asked.type).toEqual(unknown('no route is told'));
  });
});

describe('what an entry says next', () => {
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
