// What the tools of macOS print about interfaces, volumes, traffic and Thunderbolt.

import { isKnown, unknown } from '../../../../src/core/unknown.ts';
import { parseMounts } from '../../../../src/gather/df/parse-df.ts';
import { describeInterface } from '../../../../src/gather/ifconfig/macos-network-gatherer.ts';
import { parseIfconfig } from '../../../../src/gather/ifconfig/parse-ifconfig.ts';
import { parseNetstat } from '../../../../src/gather/netstat/parse-netstat.ts';
import { parseThunderbolt } from '../../../../src/gather/system-profiler/parse-thunderbolt.ts';
import type { CaptureRow } from './capture-row.ts';

export const macosRows: readonly CaptureRow[] = [
  {
    file: 'ifconfig/macbook-intel-two-thunderbolt-and-vlan.txt',
    expected: {
      en0: { type: 'unknown', isUp: true, members: [], addresses: ['192.0.2.212/24'] },
      'en0.1': { type: 'vlan', isUp: true, members: [], addresses: [] },
      en1: { type: 'unknown', isUp: false, members: [], addresses: [] },
      en2: { type: 'unknown', isUp: false, members: [], addresses: [] },
      bridge0: { type: 'bridge', isUp: false, members: ['en1', 'en2'], addresses: [] },
      utun0: { type: 'virtual', isUp: true, members: [], addresses: ['fe80::ba29:a797:6aa:9eb/64'] },
      utun2: { type: 'overlay', isUp: true, members: [], addresses: ['198.51.100.213/23'] },
      utun3: { type: 'overlay', isUp: true, members: [], addresses: ['2001:db8:cafe::132:213/128'] },
    },
    read: text =>
      Object.fromEntries(
        parseIfconfig(text)
          .map(about => describeInterface(about, unknown('no hardware port has this device')))
          .filter(({ name }) => /^(en|bridge|utun[023])/.test(name))
          .map(({ name, type, isUp, members, addresses }) => [
            name,
            {
              type: isKnown(type) ? type : type.kind,
              isUp,
              members,
              addresses: addresses.map(({ address, prefixLength }) => `${address}/${prefixLength}`),
            },
          ]),
      ),
  },
  {
    file: 'mount/intel-mac-vmware-share.txt',
    expected: [
      { device: '/dev/disk1s5', mountPoint: '/', fileSystem: 'apfs', isLocal: true },
      {
        device: '.host:/VMware Shared Folders',
        mountPoint: '/Volumes/VMware Shared Folders',
        fileSystem: 'vmhgfs',
        isLocal: false,
      },
    ],
    read: parseMounts,
  },
  {
    file: 'netstat/macbook-pro-m-series-names-resolved.txt',
    expected: {
      en0: [0, 0],
      en1: [51_846_588_555, 12_542_712_983],
      utun4: [11_648, 6_265],
      awdl0: [34_624_495, 30_556_505],
      lo0: [21_341_346_719, 21_341_346_719],
    },
    read: text =>
      Object.fromEntries(
        (parseNetstat(text) ?? [])
          .filter(({ name }) => /^(en[01]|utun4|awdl0|lo0)$/.test(name))
          .map(({ name, received, sent }) => [name, [received.bytes, sent.bytes]]),
      ),
  },
  {
    file: 'system_profiler-thunderbolt/tb4-macbook-pro-one-bus.json',
    expected: [{ receptacle: '3', status: 'empty', capabilityBitsPerSecond: 40e9, peers: [] }],
    read: text => {
      const hardware = parseThunderbolt(text);
      if (hardware.kind !== 'answered' || hardware.value.kind !== 'buses') return hardware;
      return hardware.value.buses.map(({ receptacle, status, capabilityBitsPerSecond, peers }) => ({
        receptacle,
        status,
        capabilityBitsPerSecond,
        peers,
      }));
    },
  },
];
