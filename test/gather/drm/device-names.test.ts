import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { parseKfdNode } from '../../../src/gather/amdgpu/kfd-topology.ts';
import { currentClock } from '../../../src/gather/amdgpu/read-amd-load.ts';
import { amdgpuName, pciIdsName } from '../../../src/gather/drm/device-names.ts';
import { ueventValue } from '../../../src/gather/drm/drm-cards.ts';
import { pcieGeneration } from '../../../src/gather/drm/pci-bus.ts';

const PCI_IDS = `# List of PCI IDs
1002  AMD
	150e  Strix
		1043 1506  a sub-device, not a device
	744c  Navi 31 [Radeon RX 7900 XT/7900 XTX]
8086  Intel Corporation
	56a0  DG2 [Arc A770]
C 03  Display controller
	00  VGA
`;

describe('device names', () => {
  it('are looked up under their own vendor', () => {
    expect(pciIdsName(PCI_IDS, 0x1002, 0x744c)).toBe('Navi 31 [Radeon RX 7900 XT/7900 XTX]');
    expect(pciIdsName(PCI_IDS, 0x8086, 0x56a0)).toBe('DG2 [Arc A770]');
    expect(pciIdsName(PCI_IDS, 0x8086, 0x744c)).toBeUndefined();
    expect(pciIdsName(PCI_IDS, 0x1002, 0x1506)).toBeUndefined();
    expect(pciIdsName('', 0x1002, 0x744c)).toBeUndefined();
  });

  it('distinguish revisions of one chip', () => {
    const list = '1.0.0\n744C,\tC8,\tAMD Radeon RX 7900 XTX\n744C,\tCC,\tAMD Radeon RX 7900 XT\n';
    expect(amdgpuName(list, 0x744c, 0xcc)).toBe('AMD Radeon RX 7900 XT');
    expect(amdgpuName(list, 0x744c, 0x01)).toBeUndefined();
  });

  it('are looked for in any text without an error', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        pciIdsName(text, 0x1002, 0x744c);
        pciIdsName(`1002  ${text}\n\t${text}`, 0x1002, 0x744c);
        amdgpuName(text, 1, 1);
        ueventValue(text, 'DRIVER');
        parseKfdNode(text);
        currentClock(text);
        pcieGeneration(text);
      }),
    );
  });
});

describe('texts of sysfs', () => {
  it('give the PCIe generation by its rate', () => {
    expect(
      ['2.5 GT/s PCIe', '5.0 GT/s PCIe', '8 GT/s', '16.0 GT/s PCIe', '32.0 GT/s PCIe'].map(pcieGeneration),
    ).toEqual([1, 2, 3, 4, 5]);
    expect(pcieGeneration('Unknown')).toEqual(unknown('not a PCIe speed: Unknown'));
  });

  it('give the marked clock of a table', () => {
    expect(currentClock('0: 132Mhz\n1: 2104Mhz *\n')).toBe(2104);
    expect(currentClock('S: 19Mhz *\n0: 600Mhz\n')).toBe(19);
    expect(currentClock('0: 132Mhz\n')).toEqual(unknown('no clock is marked as current'));
  });

  it('give compute units and architecture, hexadecimal steps included', () => {
    const node = (version: number): string =>
      `simd_count 440\nsimd_per_cu 4\ngfx_target_version ${version}\nlocation_id 25344\ndomain 1\n`;
    expect(parseKfdNode(node(90_010))).toEqual({
      slot: '0001:63:00',
      computeUnits: 110,
      architecture: 'gfx90a',
    });
    expect(parseKfdNode(node(110_000))?.architecture).toBe('gfx1100');
    expect(parseKfdNode(node(120_001))?.architecture).toBe('gfx1201');
    expect(parseKfdNode('simd_count 0\nsimd_per_cu 0\n')).toBeUndefined();
  });
});
