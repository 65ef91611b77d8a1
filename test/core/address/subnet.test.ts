import { describe, expect, it } from 'vitest';
import { addressBits, shareSubnet } from '../../../src/core/address/subnet.ts';
import type { InterfaceAddress } from '../../../src/core/node/network.ts';

const v4 = (address: string, prefixLength: number): InterfaceAddress => ({
  address,
  family: 'ipv4',
  prefixLength,
  scope: 'global',
});
const v6 = (address: string, prefixLength: number): InterfaceAddress => ({
  ...v4(address, prefixLength),
  family: 'ipv6',
});

describe('one subnet', () => {
  it('is where both ends find the other inside their own prefix', () => {
    expect(shareSubnet(v4('10.0.0.1', 24), v4('10.0.0.9', 24))).toBe(true);
    expect(shareSubnet(v4('10.0.0.1', 24), v4('10.0.1.9', 24))).toBe(false);
    expect(shareSubnet(v4('10.0.0.1', 16), v4('10.0.1.9', 24))).toBe(false);
    expect(shareSubnet(v4('10.0.0.0', 31), v4('10.0.0.1', 31))).toBe(true);
    expect(shareSubnet(v4('10.0.0.2', 31), v4('10.0.0.1', 31))).toBe(false);
    expect(shareSubnet(v6('2001:db8::1', 64), v6('2001:db8:0:0:9::', 64))).toBe(true);
    expect(shareSubnet(v6('2001:db8::1', 64), v6('2001:db8:0:1::1', 64))).toBe(false);
  });

  it('is never concluded from link-local addresses, nor from one address twice', () => {
    expect(shareSubnet(v4('169.254.1.1', 16), v4('169.254.1.2', 16))).toBe(false);
    expect(shareSubnet(v6('fe80::1', 64), v6('fe80::2', 64))).toBe(false);
    expect(shareSubnet(v4('10.0.0.1', 24), v4('10.0.0.1', 24))).toBe(false);
  });

  it('reads every way of writing an address, and nothing else', () => {
    expect(addressBits('::ffff:192.0.2.1')?.slice(10)).toEqual([255, 255, 192, 0, 2, 1]);
    expect(addressBits('::')).toEqual(new Array(16).fill(0));
    for (const text of [
      '',
      '1.2.3',
      '1.2.3.256',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7:8:9',
      'g::',
      '::1.2.3.999',
    ])
      expect(addressBits(text), text).toBeUndefined();
  });
});
