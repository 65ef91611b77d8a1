// Names of machines among the junk of firmware, virtual machines and containers, and who shares whose memory.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryFiles } from '../../../src/gather/directory-files.ts';
import { parseAssignments } from '../../../src/gather/dmi/linux-identity-gatherer.ts';
import { type FirmwareNames, machineModel, socName } from '../../../src/gather/dmi/machine-model.ts';
import { findGpuMemories, GpuMemories, memoryIsUnified } from '../../../src/gather/dmi/memory-sharing.ts';
import { type VirtualisationFacts, virtualisation } from '../../../src/gather/dmi/virtualisation.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { recordedFiles } from '../../support/recorded-files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { filesAt } from '../recorded-tree.ts';

describe('the model of a machine', () => {
  it.each([
    [
      'a server',
      { systemVendor: 'Supermicro', productName: 'AS -4125GS-TNRT' },
      'Supermicro AS -4125GS-TNRT',
    ],
    ['a DGX Spark', { systemVendor: 'NVIDIA', productName: 'NVIDIA_DGX_Spark' }, 'NVIDIA DGX Spark'],
    ['a Dell', { systemVendor: 'Dell Inc.', productName: 'Precision 7960' }, 'Dell Precision 7960'],
    [
      'a Lenovo',
      { systemVendor: 'LENOVO', productName: '21ABCDEFGH', productVersion: 'ThinkPad P16' },
      'LENOVO ThinkPad P16',
    ],
    [
      'a board that nobody named',
      {
        systemVendor: 'To Be Filled By O.E.M.',
        productName: 'System Product Name',
        boardVendor: 'ASUSTeK COMPUTER INC.',
        boardName: 'ProArt X870E',
      },
      'ASUSTeK COMPUTER ProArt X870E',
    ],
    [
      'a board computer',
      { deviceTreeModel: 'NVIDIA Jetson AGX Orin Developer Kit\0' },
      'NVIDIA Jetson AGX Orin Developer Kit',
    ],
  ])('is found for %s', (_, names, expected) => {
    expect(machineModel({ ...NO_NAMES, ...names })).toBe(expected);
  });

  it.each([
    'Default string',
    'To be filled by O.E.M.',
    'Not Specified',
    'None',
    '0000',
    'N/A',
    '   ',
    'xxxx',
  ])('is unknown when all there is is %j', junk => {
    expect(machineModel({ ...NO_NAMES, systemVendor: junk, productName: junk, boardName: junk })).toEqual({
      kind: 'unknown',
      reason: 'the firmware names no model',
    });
  });
});

describe('the chip by the device tree', () => {
  it.each([
    ['apple,j316c\0apple,t6001\0apple,arm-platform\0', 'Apple M1 Max'],
    ['lenovo,yoga-slim7x\0qcom,x1e80100\0', 'Qualcomm Snapdragon X Elite'],
    ['milkv,pioneer\0sophgo,sg2042\0', 'Sophgo SG2042'],
    ['raspberrypi,5-model-b\0brcm,bcm2712\0', undefined],
  ])('of %j is %s', (compatible, name) => {
    expect(socName(compatible)).toBe(name);
  });
});

describe('os-release', () => {
  it('is read with and without quotes', () => {
    const values = parseAssignments(
      '# c\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID=\'12\'\nID=debian\nX="a \\"b\\" \\$c"\n',
    );
    expect(values.get('PRETTY_NAME')).toBe('Debian GNU/Linux 12 (bookworm)');
    expect(values.get('VERSION_ID')).toBe('12');
    expect(values.get('ID')).toBe('debian');
    expect(values.get('X')).toBe('a "b" $c');
  });

  it('crashes no parser, for any text', () => {
    forAnyOutput(['PRETTY_NAME="Debian"\nVERSION_ID="12"\n'], text => {
      parseAssignments(text);
      machineModel({ ...NO_NAMES, systemVendor: text, productName: text });
      virtualisation({ ...BARE, systemVendor: text, selfCgroup: text, systemdContainer: text });
    });
  });
});

describe('virtualisation', () => {
  it.each<[string, Partial<VirtualisationFacts>, string]>([
    ['a desk machine', {}, 'none'],
    [
      'a KVM guest',
      { systemVendor: 'QEMU', productName: 'Standard PC (Q35 + ICH9, 2009)', hasHypervisorFlag: true },
      'kvm',
    ],
    ['a guest without firmware names', { systemVendor: '', hasHypervisorFlag: true }, 'virtual machine'],
    [
      'an EC2 guest',
      { systemVendor: 'Amazon EC2', productName: 'g6e.xlarge', hasHypervisorFlag: true },
      'kvm',
    ],
    ["an EC2 machine of one's own", { systemVendor: 'Amazon EC2', productName: 'g5g.metal' }, 'none'],
    ['WSL', { kernelRelease: '6.6.36-microsoft-standard-WSL2', hasHypervisorFlag: true }, 'wsl'],
    ['an Azure guest', { systemVendor: 'Microsoft Corporation', productName: 'Virtual Machine' }, 'hyper-v'],
    ['a Surface', { systemVendor: 'Microsoft Corporation', productName: 'Surface Studio' }, 'none'],
    [
      'a Mac guest',
      { systemVendor: 'Apple Inc.', productName: 'Apple Virtualization Generic Platform' },
      'apple',
    ],
    ['a Docker container', { hasDockerMarker: true, rootFileSystem: 'overlay' }, 'docker'],
    ['a pod', { selfCgroup: '0::/kubepods.slice/kubepods-pod1.slice/x\n' }, 'kubernetes'],
    [
      'a Podman container in a guest',
      { hasPodmanMarker: true, rootFileSystem: 'overlay', systemVendor: 'QEMU' },
      'podman, kvm',
    ],
    [
      'a guest made from a container image',
      { hasDockerMarker: true, rootFileSystem: 'ext4', rootFolder: '/', hasHypervisorFlag: true },
      'virtual machine',
    ],
    ['a systemd container', { systemdContainer: 'systemd-nspawn' }, 'systemd-nspawn'],
  ])('is found for %s', (_, facts, expected) => {
    expect(virtualisation({ ...BARE, ...facts })).toBe(expected);
  });

  it('is unknown where no evidence can be seen', () => {
    expect(virtualisation({ ...BARE, systemVendor: '', canSeeHardware: false })).toMatchObject({
      kind: 'unknown',
    });
  });
});

describe('whether memory is unified', () => {
  const gpu = (address: string, parts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(parts).map(([name, text]) => [`/sys/bus/pci/devices/${address}/${name}`, text]),
    );
  const unified = async (files: Readonly<Record<string, string>>): Promise<unknown> =>
    memoryIsUnified(await findGpuMemories(recordedFiles([filesAt(files)])));

  it('is true of a GB10, with its driver and without', async () => {
    const chip = gpu('000f:01:00.0', { class: '0x030200\n', vendor: '0x10de\n', device: '0x2e12\n' });
    expect(await unified(chip)).toBe(true);
    expect(
      await unified({
        ...gpu('000f:01:00.0', { class: '0x030200\n', vendor: '0x10de\n', device: '0x2e99\n' }),
        '/proc/driver/nvidia/gpus/000f:01:00.0/information': 'Model: \t\t NVIDIA GB10\nIRQ:   1\n',
      }),
    ).toBe(true);
  });

  it('is false of a card with memory of its own, also next to an integrated one', async () => {
    const card = gpu('0000:c1:00.0', { class: '0x030000\n', vendor: '0x10de\n', device: '0x2684\n' });
    const integrated = gpu('0000:00:02.0', { class: '0x030000\n', vendor: '0x8086\n', device: '0x7d55\n' });
    expect(await unified(card)).toBe(false);
    expect(await unified({ ...card, ...integrated })).toBe(false);
    expect(await unified(integrated)).toBe(true);
  });

  it('is false of a server whose only display is its management controller', async () => {
    expect(await unified(gpu('0000:03:00.0', { class: '0x030000\n', vendor: '0x1a03\n' }))).toBe(false);
  });

  it("is found for AMD by the form of the driver's metrics, and unknown without it", async () => {
    const amd = { class: '0x030000\n', vendor: '0x1002\n' };
    expect(await unified(gpu('0000:c5:00.0', { ...amd, gpu_metrics: '\u0088\0\x03\0data' }))).toBe(true);
    expect(await unified(gpu('0000:03:00.0', { ...amd, gpu_metrics: 'x\0\x01\x03data' }))).toBe(false);
    expect(await unified(gpu('0000:03:00.0', amd))).toMatchObject({ kind: 'unknown' });
  });

  it('is true of an MI300A, whose driver reports the metrics of a card, as its inventory reports', async () => {
    const amd = { class: '0x120000\n', vendor: '0x1002\n', device: '0x74a0\n' };
    expect(await unified(gpu('0000:01:00.0', { ...amd, gpu_metrics: 'x\0\x01\x06data' }))).toBe(true);
    expect(await unified(gpu('0000:01:00.0', amd))).toBe(true);
  });

  it('is false of an older card, by its link to the host, and true of an older processor', async () => {
    const amd = { class: '0x030000\n', vendor: '0x1002\n', device: '0x6617\n' };
    expect(await unified(gpu('0000:01:00.0', { ...amd, pcie_replay_count: '0\n' }))).toBe(false);
    expect(await unified(gpu('0000:01:00.0', { ...amd, 'hwmon/hwmon3/in1_label': 'vddnb\n' }))).toBe(true);
  });

  it('is found by metrics in binary, for any first byte', async () => {
    for (const size of [0x78, 0x88, 0xc4, 0xe8, 0xf4]) {
      using root = temporaryDirectory();
      const folder = join(root.path, 'sys/bus/pci/devices/0000:c5:00.0');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'class'), '0x038000\n');
      writeFileSync(join(folder, 'vendor'), '0x1002\n');
      writeFileSync(join(folder, 'gpu_metrics'), Buffer.from([size, 0, 2, 4, 0xff, 0xff, 0xff, 0xff]));
      expect(await findGpuMemories(directoryFiles(root.path))).toEqual(['shared']);
    }
  });

  it('is true of a Jetson and of a Raspberry Pi', async () => {
    expect(await unified({ '/proc/device-tree/compatible': 'nvidia,p3737-0000\0nvidia,tegra234\0' })).toBe(
      true,
    );
    expect(await unified({ '/proc/device-tree/compatible': 'raspberrypi,5-model-b\0brcm,bcm2712\0' })).toBe(
      true,
    );
  });

  it('asks a device again only when one came or went', async () => {
    let readCount = 0;
    const recorded = recordedFiles([
      filesAt(gpu('0000:c1:00.0', { class: '0x030000\n', vendor: '0x10de\n', device: '0x2684\n' })),
    ]);
    const memories = new GpuMemories({
      ...recorded,
      textNow: path => {
        if (path.endsWith('/class')) readCount += 1;
        return recorded.textNow(path);
      },
    });
    expect([await memories.read(), await memories.read(), await memories.read()]).toEqual([
      ['own'],
      ['own'],
      ['own'],
    ]);
    expect(readCount).toBe(1);
  });
});

const NO_NAMES: FirmwareNames = {
  systemVendor: '',
  productName: '',
  productVersion: '',
  boardVendor: '',
  boardName: '',
  deviceTreeModel: '',
};

const BARE: VirtualisationFacts = {
  systemVendor: 'Supermicro',
  productName: 'SYS-1',
  hypervisorType: '',
  deviceTreeHypervisor: '',
  hasHypervisorFlag: false,
  kernelRelease: '6.12.1-amd64',
  systemdContainer: '',
  hasDockerMarker: false,
  hasPodmanMarker: false,
  selfCgroup: '0::/user.slice/user-1000.slice\n',
  rootFileSystem: 'ext4',
  rootFolder: '/',
  canSeeHardware: true,
};
