import { describe, expect, it } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { typeOfInterface } from '../../../src/gather/ifconfig/macos-network-gatherer.ts';
import { type IfconfigInterface, parseIfconfig } from '../../../src/gather/ifconfig/parse-ifconfig.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { figuresIn } from '../../support/figures-in.ts';
import { fixture } from '../../support/fixture.ts';

const all = parseIfconfig(fixture('ifconfig/m3-ultra-mac-studio.txt'));
const named = (name: string): IfconfigInterface => {
  const found = all.find(candidate => candidate.name === name);
  if (found === undefined) throw new Error(`no ${name} in the fixture`);
  return found;
};
const typed = (name: string, portName?: string) =>
  typeOfInterface(named(name), portName ?? unknown('no hardware port has this device')).type;

describe('ifconfig', () => {
  it('reads addresses with prefix and scope, in any order', () => {
    expect(named('en0').addresses).toEqual([
      { address: 'fe80::57:1', family: 'ipv6', prefixLength: 64, scope: 'link' },
      { address: '192.0.2.31', family: 'ipv4', prefixLength: 24, scope: 'global' },
      { address: '2001:db8::31', family: 'ipv6', prefixLength: 64, scope: 'global' },
    ]);
    expect(named('lo0').addresses.map(address => address.scope)).toEqual(['host', 'host', 'link']);
    expect(named('en1').addresses[0]?.prefixLength).toBe(23);
    expect(named('utun4').addresses).toEqual([
      { address: '100.64.0.9', family: 'ipv4', prefixLength: 32, scope: 'global' },
      { address: 'fd00:57::9', family: 'ipv6', prefixLength: 48, scope: 'global' },
    ]);
  });

  it('leaves out 0.0.0.0, which an interface has until DHCP replies', () => {
    const [about] = parseIfconfig(
      'en0.1: flags=8843<UP,RUNNING> metric 0 mtu 1500\n\tinet 0.0.0.0 netmask 0xff000000 broadcast 255.255.255.255\n',
    );
    expect(about?.addresses).toEqual([]);
  });

  it('reads a first line that ends in a word, and interfaces without status', () => {
    expect(named('en4')).toMatchObject({ mtuBytes: 1500, status: 'active' });
    expect(named('stf0')).toMatchObject({ mtuBytes: 1280, flags: [], status: undefined, addresses: [] });
  });

  it('reads members of a bridge and of a bond, and the parent of a VLAN', () => {
    expect(named('bridge0').members).toEqual(['en2', 'en3', 'en4']);
    expect(named('bond0')).toMatchObject({ isBond: true, members: ['en8', 'en9'] });
    expect(named('vlan0').vlanParent).toBe('en0');
  });

  it('types an interface by its hardware port', () => {
    expect(typed('en3', 'Thunderbolt 2')).toBe('thunderbolt');
    expect(typed('en4', 'Thunderbolt Ethernet Slot 1, Port 1')).toBe('ethernet');
    expect(typed('en8', 'Ethernet Adapter (en8)')).toBe('ethernet');
    expect(typed('en9', 'USB 10/100/1G/2.5G/5G/10G LAN')).toBe('ethernet');
    expect(typed('en1', 'Wi-Fi')).toBe('wifi');
    expect(typed('en9', 'iPhone USB')).toBe('cellular');
    expect(typed('bridge0', 'Thunderbolt Bridge')).toBe('bridge');
  });

  it('recognizes Wi-Fi by its German name', () => {
    expect(typed('en1', 'WLAN')).toBe('wifi');
  });

  it('types by its own evidence what no hardware port names', () => {
    expect(typed('lo0')).toBe('loopback');
    expect(typed('vlan0')).toBe('vlan');
    expect(typed('bond0')).toBe('bond');
    expect(typed('awdl0')).toBe('virtual');
    expect(typed('en9', 'AX88179A')).toBe('ethernet');
    expect(typed('en3')).toEqual({ kind: 'unknown', reason: 'no hardware port has this device' });
    expect(typed('quux3')).toEqual({ kind: 'unknown', reason: 'no hardware port has this device' });
  });

  it('calls a tunnel an overlay only when it carries an address of its own', () => {
    expect(typed('utun0')).toBe('virtual');
    expect(typed('utun4')).toBe('overlay');
  });

  it('gives nothing for a message instead of a list', () => {
    expect(parseIfconfig('ifconfig: interface bridge0 does not exist\n')).toEqual([]);
  });

  it('never throws and never gives a figure that is not finite', () => {
    forAnyOutput([fixture('ifconfig/m3-ultra-mac-studio.txt')], text => {
      for (const about of parseIfconfig(text)) {
        expect(figuresIn([about, typeOfInterface(about, unknown('none'))]).every(Number.isFinite)).toBe(true);
      }
    });
  });
});
