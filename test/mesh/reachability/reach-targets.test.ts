import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import type { InterfaceAddress, NetworkInterface } from '../../../src/core/node/network.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { REACHABILITY_LIMITS } from '../../../src/mesh/reachability/limits.ts';
import { interfaceOf, ownInterfacesOf, reachTargets } from '../../../src/mesh/reachability/reach-targets.ts';

const rest = unknown('not reported');
const JUNO = nodeId('b'.repeat(26));
const PORT = 4_181;

const made = (
  name: string,
  addresses: readonly string[],
  more: Partial<NetworkInterface> = {},
): NetworkInterface => ({
  name,
  type: 'ethernet',
  typeEvidence: 'made up',
  macAddress: rest,
  isUp: true,
  speedBitsPerSecond: rest,
  mtuBytes: rest,
  driver: rest,
  members: [],
  addresses: addresses.map(
    (address): InterfaceAddress => ({
      address,
      family: address.includes(':') ? 'ipv6' : 'ipv4',
      prefixLength: 24,
      scope: 'global',
    }),
  ),
  ...more,
});
const info = (address: string, internal = false): NetworkInterfaceInfo => {
  const common = { address, netmask: '', mac: '', internal, cidr: null };
  return address.includes(':') ? { ...common, family: 'IPv6', scopeid: 0 } : { ...common, family: 'IPv4' };
};
const OWN = ownInterfacesOf(
  {
    en0: [info('10.0.0.1'), info('fe80::a')],
    tb0: [info('fe80::b')],
    lo: [info('127.0.0.1', true), info('::1', true), info('fe80::1', true)],
    awdl0: [info('fe80::c')],
    spare0: [info('fe80::d')],
    plain0: [info('192.168.7.1')],
    docker0: [info('172.17.0.1')],
  },
  ['spare0'],
);
const requested = (...interfaces: readonly NetworkInterface[]): readonly string[] =>
  reachTargets([{ node: JUNO, port: PORT, network: { interfaces } }], OWN).map(({ address }) => address);

describe('what is asked of a node', () => {
  it('is every address by which another machine may reach it', () => {
    expect(requested(made('en0', ['10.0.0.2', 'fd00::2']))).toEqual(['10.0.0.2', 'fd00::2']);
  });

  it('is a link-local address through every own interface that has one, but those that are ignored', () => {
    expect(OWN.linkLocalNames).toEqual(['en0', 'tb0']);
    expect(requested(made('en5', ['fe80::2']))).toEqual(['fe80::2%en0', 'fe80::2%tb0']);
    expect(requested(made('en5', ['fe80::2%en5'])), 'the scope of its own machine').toEqual([
      'fe80::2%en0',
      'fe80::2%tb0',
    ]);
  });

  it('is nothing of loopback, of interfaces that are down, nor of the radio that Apple keeps for itself', () => {
    expect(
      requested(
        made('lo', ['127.0.0.1', '::1', 'fe80::1'], { type: 'loopback' }),
        made('en1', ['10.0.0.3'], { isUp: false }),
        made('awdl0', ['fe80::7']),
        made('x', ['127.0.0.5', '0.0.0.0', '224.0.0.1', 'ff02::1', '::', 'not an address', '']),
      ),
    ).toEqual([]);
  });

  it('is no address that this machine has itself, as of container networks', () => {
    expect(requested(made('docker0', ['172.17.0.1', '172.18.0.1']))).toEqual(['172.18.0.1']);
  });

  it('is bounded, with those of containers last', () => {
    const many = Array.from({ length: 400 }, (_, index) => `10.8.${index >> 8}.${index & 255}`);
    const addresses = requested(made('docker1', many), made('en0', ['10.0.0.2']));
    expect(addresses.length).toBe(REACHABILITY_LIMITS.addressesPerNodeMax);
    expect(addresses[0]).toBe('10.0.0.2');
  });

  it('names each address once', () => {
    expect(requested(made('a', ['10.0.0.2', 'FD00::2']), made('b', ['10.0.0.2', 'fd00:0::2']))).toEqual([
      '10.0.0.2',
      'fd00::2',
    ]);
  });
});

describe('the interface of an own address', () => {
  const interfaces = [
    made('en0', ['10.0.0.1', 'fe80::a']),
    made('en1', ['169.254.1.1', 'fe80::a']),
    made('en2', ['169.254.1.1']),
  ];

  it('is the one that has it, by its scope where several do', () => {
    expect(interfaceOf('10.0.0.1', interfaces)?.name).toBe('en0');
    expect(interfaceOf('fe80::a%en1', interfaces)?.name).toBe('en1');
  });

  it('is undefined if several have it, or none', () => {
    expect(interfaceOf('169.254.1.1', interfaces)).toBeUndefined();
    expect(interfaceOf('10.9.9.9', interfaces)).toBeUndefined();
  });
});
