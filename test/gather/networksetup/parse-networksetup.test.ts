import { describe, expect, it } from 'vitest';
import {
  deviceOfReceptacle,
  isThunderboltPort,
  parseHardwarePorts,
  parseServiceOrder,
} from '../../../src/gather/networksetup/parse-networksetup.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { fixture } from '../../support/fixture.ts';

describe('networksetup -listallhardwareports', () => {
  it('gives the device of each port and leaves the VLANs out', () => {
    const ports = parseHardwarePorts(fixture('networksetup/m3-ultra-mac-studio-ports.txt'));
    expect(ports.map(port => port.device)).toEqual(['en0', 'en8', 'en1', 'bridge0', 'en2', 'en3', 'en4']);
    expect(deviceOfReceptacle(ports, '3')).toBe('en4');
    expect(deviceOfReceptacle(ports, '4')).toBeUndefined();
  });

  it('distinguishes a Thunderbolt port from a LAN card in a dock and from the bridge', () => {
    const ports = parseHardwarePorts(fixture('networksetup/m5-max-macbook-pro-docked-ports.txt'));
    expect(ports.filter(isThunderboltPort).map(port => port.device)).toEqual(['en1', 'en6', 'en2']);
    expect(deviceOfReceptacle(ports, '2')).toBe('en6');
  });

  it('gives nothing for a list with the VLAN section only', () => {
    expect(parseHardwarePorts('\nVLAN Configurations\n===================\n')).toEqual([]);
  });

  it('never throws', () => {
    forAnyOutput([fixture('networksetup/m3-ultra-mac-studio-ports.txt')], text => {
      expect(Array.isArray(parseHardwarePorts(text))).toBe(true);
    });
  });
});

describe('networksetup -listnetworkserviceorder', () => {
  it('gives names, devices and which service is off', () => {
    expect(parseServiceOrder(fixture('networksetup/service-order-bridge-disabled.txt'))).toEqual([
      { name: 'Ethernet', device: 'en0', isEnabled: true },
      { name: 'Thunderbolt Bridge', device: 'bridge0', isEnabled: false },
      { name: 'USB LAN (1)', device: 'en9', isEnabled: true },
      { name: 'Office VPN', device: '', isEnabled: true },
    ]);
  });

  it('never throws', () => {
    forAnyOutput([fixture('networksetup/service-order-bridge-disabled.txt')], text => {
      expect(Array.isArray(parseServiceOrder(text))).toBe(true);
    });
  });
});
