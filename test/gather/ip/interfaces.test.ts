// Interfaces of every kind as sysfs shows them: what each is, whether it is up, and which rates were really negotiated.

import os from 'node:os';
import { describe, expect, it } from 'vitest';
import { type ConnectionCarrier, connectionCarrier } from '../../../src/core/link/connection-type.ts';
import type { NetworkInterface } from '../../../src/core/node/network.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { directoryFiles } from '../../../src/gather/directory-files.ts';
import { hostAddresses } from '../../../src/gather/ip/address-source.ts';
import { type DeviceKinds, parseDeviceKinds } from '../../../src/gather/ip/device-kinds.ts';
import { parseIpAddr } from '../../../src/gather/ip/parse-ip-addr.ts';
import { readInterfaces } from '../../../src/gather/ip/read-interfaces.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { fixture } from '../../support/fixture.ts';
import { recordedFiles } from '../../support/recorded-files.ts';
import { recordedTree } from '../recorded-tree.ts';

const everyKind = async (): Promise<ReadonlyMap<string, NetworkInterface>> => {
  const files = recordedFiles([recordedTree('sysfs/class-net-every-kind.json')]);
  const names = files.namesNow('/sys/class/net');
  if ('kind' in names) throw new Error(names.reason);
  const table = parseIpAddr(fixture('ip/addr-thunderbolt-and-vpn.json'));
  const addresses = table.kind === 'answered' ? table.value : new Map();
  const interfaces = await readInterfaces(files, names, addresses);
  return new Map(interfaces.map(item => [item.name, item]));
};

describe('the type of an interface', () => {
  it.each([
    ['lo', 'loopback', 'sysfs type 772'],
    ['eno1', 'ethernet', 'sysfs type 1, driver ice'],
    ['wlp5s0', 'wifi', 'wireless, driver mt7921e'],
    ['thunderbolt0', 'thunderbolt', 'driver thunderbolt-net'],
    ['ibp9s0', 'infiniband', 'sysfs type 32, driver mlx5_core'],
    ['bond0', 'bond', 'device type bond'],
    ['br0', 'bridge', 'device type bridge'],
    ['eno1.40', 'vlan', 'device type vlan'],
    ['veth9f8e7d', 'virtual', 'sysfs type 1, it has no device'],
    ['wg0', 'overlay', 'device type wireguard'],
    ['tailscale0', 'overlay', 'driver tun, flags 0x1001, as named by Tailscale'],
    ['tap0', 'virtual', 'driver tun, flags 0x1002'],
    ['ztabcdefgh', 'overlay', 'driver tun, flags 0x1002, as named by ZeroTier'],
    ['ens192', 'ethernet', 'sysfs type 1, driver vmxnet3'],
    ['wwan0', 'cellular', 'device type wwan'],
  ])('of %s is %s, by its own evidence', async (name, type, evidence) => {
    expect((await everyKind()).get(name)).toMatchObject({ type, typeEvidence: evidence });
  });

  it('of one that shows no known evidence is unknown, with what it shows', async () => {
    expect((await everyKind()).get('ppp0')).toMatchObject({
      type: { kind: 'unknown' },
      typeEvidence: 'sysfs type 512',
    });
  });
});

describe('the negotiated rate', () => {
  it.each([
    ['eno1', 25e9],
    ['thunderbolt1', 40e9],
    ['bond0', 25e9],
    ['eno1.40', 25e9],
  ])('of %s is what its ends agreed on', async (name, speed) => {
    expect((await everyKind()).get(name)?.speedBitsPerSecond).toBe(speed);
  });

  it.each([
    ['eno2', 'the link is down'],
    ['enp3s0', 'the link is down'],
    ['wlp5s0', 'Wi-Fi does not report its rate here'],
    ['thunderbolt0', 'this kernel does not report the rate of Thunderbolt networking'],
    ['old0', 'the driver does not report it'],
    ['veth9f8e7d', 'a virtual interface negotiates no rate'],
    ['br0', 'a bridge interface negotiates no rate'],
    ['tailscale0', 'an overlay interface negotiates no rate'],
    ['ens192', 'a virtual adapter (vmxnet3) negotiates no rate'],
    ['lo', 'a loopback interface negotiates no rate'],
  ])('of %s is unknown: %s', async (name, reason) => {
    const speed = (await everyKind()).get(name)?.speedBitsPerSecond;
    expect(speed).toEqual({ kind: 'unknown', reason });
  });
});

describe('an interface', () => {
  it('is up with a carrier and down without, or when somebody set it down', async () => {
    const found = await everyKind();
    expect(['eno1', 'lo', 'wg0', 'tailscale0'].map(name => found.get(name)?.isUp)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['eno2', 'enp3s0'].map(name => found.get(name)?.isUp)).toEqual([false, false]);
  });

  it('names its members when it is a bridge or a bond', async () => {
    const found = await everyKind();
    expect(found.get('br0')?.members).toEqual(['eno2', 'veth9f8e7d']);
    expect(found.get('bond0')?.members).toEqual(['eno1', 'eno2']);
    expect(found.get('eno1')?.members).toEqual([]);
  });

  it('has its addresses, also without a carrier, with prefix and scope', async () => {
    const found = await everyKind();
    expect(found.get('thunderbolt0')?.addresses).toEqual([
      { address: '169.254.44.1', family: 'ipv4', prefixLength: 16, scope: 'link' },
    ]);
    expect(found.get('eno1')?.addresses.map(({ address }) => address)).toEqual([
      '192.0.2.41',
      '192.0.2.42',
      '2001:db8:4::41',
    ]);
    expect(found.get('enp3s0')?.addresses).toEqual([]);
  });

  it('has no hardware address that is only zeros or empty', async () => {
    const found = await everyKind();
    expect(isUnknown(found.get('lo')?.macAddress)).toBe(true);
    expect(isUnknown(found.get('wg0')?.macAddress)).toBe(true);
    expect(found.get('ibp9s0')?.macAddress).toMatch(/^00:00:10:49:fe:80:/);
  });

  it('with a device behind it comes before those that software made; files among the folders are no interfaces', async () => {
    const names = [...(await everyKind()).keys()];
    expect(names.indexOf('wwan0')).toBeLessThan(names.indexOf('bond0'));
    expect(names).not.toContain('bonding_masters');
  });
});

describe('an interface that only joins others, or is on one', () => {
  it('is a team if it is the master of its ports, with the rate that it reports', async () => {
    const found = await joined(TEAM_AND_OVS, NO_KINDS);
    expect(found.get('team0')).toMatchObject({
      type: 'bond',
      typeEvidence: 'sysfs type 1, master of eno2 and eno3',
      members: ['eno2', 'eno3'],
      speedBitsPerSecond: 20e9,
    });
    expect(carrierIn(found, 'team0')).toEqual({ type: 'ethernet', negotiatedBitsPerSecond: 20e9 });
    const named = await joined(TEAM_AND_OVS, KINDS);
    expect(named.get('team0')).toMatchObject({ type: 'bond', typeEvidence: 'kind team' });
  });

  it('has the type of what it is on: a VLAN of any name, a macvlan', async () => {
    const found = await joined(TEAM_AND_OVS, NO_KINDS);
    expect(carrierIn(found, 'storage')).toEqual({ type: 'ethernet', negotiatedBitsPerSecond: 20e9 });
    expect(carrierIn(found, 'mac0')).toEqual({ type: 'ethernet', negotiatedBitsPerSecond: 20e9 });
  });

  it('of Open vSwitch is a bridge over the port whose hardware address it took', async () => {
    const found = await joined(TEAM_AND_OVS, KINDS);
    expect(found.get('br-ex')).toMatchObject({ type: 'bridge', typeEvidence: 'kind openvswitch' });
    expect(carrierIn(found, 'br-ex')).toEqual({ type: 'ethernet', negotiatedBitsPerSecond: 25e9 });
    expect(carrierIn(found, 'br-data')).toEqual({ type: 'ethernet', negotiatedBitsPerSecond: 100e9 });
  });

  it('of Open vSwitch with an address of its own may lie on any of the ports', async () => {
    const found = await joined(TEAM_AND_OVS, KINDS);
    expect(found.get('vlan40')?.members).toEqual(['eno1', 'enp7s0', 'vnet3']);
    expect(carrierIn(found, 'vlan40')).toEqual({
      type: 'ethernet',
      negotiatedBitsPerSecond: { kind: 'unknown', reason: 'the members of vlan40 differ in their rates' },
    });
  });

  it('of Open vSwitch is unknown with a reason where the kernel does not report its kind', async () => {
    const found = await joined(TEAM_AND_OVS, NO_KINDS);
    expect(carrierIn(found, 'br-ex').type).toEqual({
      kind: 'unknown',
      reason: 'br-ex is a virtual interface (sysfs type 1, it has no device)',
    });
  });

  it('of Proxmox is a bridge whose virtual machine changes neither type nor rate', async () => {
    const found = await joined('sysfs/class-net-proxmox-bridge-with-vm.json', NO_KINDS);
    expect(carrierIn(found, 'vmbr0')).toEqual({ type: 'ethernet', negotiatedBitsPerSecond: 10e9 });
  });
});

const TEAM_AND_OVS = 'sysfs/class-net-team-and-open-vswitch.json';
const NO_KINDS: DeviceKinds = new Map();
const parsedKinds = parseDeviceKinds(fixture('ip/link-details-team-and-open-vswitch.json'));
const KINDS = parsedKinds.kind === 'answered' ? parsedKinds.value : NO_KINDS;

const joined = async (tree: string, kinds: DeviceKinds): Promise<ReadonlyMap<string, NetworkInterface>> => {
  const files = recordedFiles([recordedTree(tree)]);
  const names = files.namesNow('/sys/class/net');
  if ('kind' in names) throw new Error(names.reason);
  const interfaces = await readInterfaces(files, names, new Map(), () => Promise.resolve(kinds));
  return new Map(interfaces.map(item => [item.name, item]));
};

const carrierIn = (found: ReadonlyMap<string, NetworkInterface>, name: string): ConnectionCarrier =>
  connectionCarrier(name, { network: { interfaces: [...found.values()] }, thunderbolt: undefined });

describe('`ip -j -d link`', () => {
  it('reports the kind of the devices that have one', () => {
    expect([...KINDS]).toEqual([
      ['ovs-system', 'openvswitch'],
      ['br-ex', 'openvswitch'],
      ['br-data', 'openvswitch'],
      ['vlan40', 'openvswitch'],
      ['vnet3', 'tun'],
      ['team0', 'team'],
      ['storage', 'vlan'],
      ['mac0', 'macvlan'],
    ]);
  });

  it('that prints anything else is unreadable or has fewer kinds', () => {
    forAnyOutput([fixture('ip/link-details-team-and-open-vswitch.json')], text => {
      const parsed = parseDeviceKinds(text);
      if (parsed.kind === 'answered') for (const kind of parsed.value.values()) expect(kind).not.toBe('');
    });
    expect(parseDeviceKinds('{}')).toMatchObject({ kind: 'unanswered' });
  });
});

describe('the addresses of this machine', () => {
  it('are the same from the C library as the interfaces in sysfs carry', async () => {
    const table = hostAddresses(() => os.networkInterfaces());
    const files = directoryFiles('/');
    const interfaces = await readInterfaces(files, [...table.keys()], table);
    expect(interfaces.find(({ name }) => name === 'lo')?.addresses).toContainEqual({
      address: '127.0.0.1',
      family: 'ipv4',
      prefixLength: 8,
      scope: 'host',
    });
  });

  it('belong to the interface although a label was given to them', () => {
    const info = {
      address: '192.0.2.50',
      netmask: '',
      family: 'IPv4',
      mac: '',
      internal: false,
      cidr: '192.0.2.50/24',
    } as const;
    expect([...hostAddresses(() => ({ eno1: [], 'eno1:1': [info] }))]).toEqual([
      ['eno1', [{ address: '192.0.2.50', family: 'ipv4', prefixLength: 24, scope: 'global' }]],
    ]);
  });

  it('have the scope of their kind', () => {
    const info = (address: string, length: number): os.NetworkInterfaceInfo => ({
      address,
      netmask: '',
      family: 'IPv6',
      mac: '',
      internal: false,
      cidr: `${address}/${length}`,
      scopeid: 0,
    });
    const infos = [info('fe80::1', 64), info('fec0::1', 64), info('2001:db8::1', 64), info('::1', 128)];
    expect(
      hostAddresses(() => ({ x: infos }))
        .get('x')
        ?.map(({ scope }) => scope),
    ).toEqual(['link', 'site', 'global', 'host']);
  });
});

describe('`ip -j addr`', () => {
  it('crashes no parser, for any output', () => {
    forAnyOutput([fixture('ip/addr-thunderbolt-and-vpn.json')], text => {
      const parsed = parseIpAddr(text);
      if (parsed.kind !== 'answered') return;
      for (const address of [...parsed.value.values()].flat()) {
        expect(address.prefixLength).toBeGreaterThanOrEqual(0);
        expect(address.prefixLength).toBeLessThanOrEqual(128);
      }
    });
  });

  it('that prints no list is unreadable', () => {
    expect(parseIpAddr('{}')).toEqual({ kind: 'unanswered', reason: 'ip did not print a JSON list' });
  });
});
