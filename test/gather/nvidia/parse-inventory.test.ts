import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GpuDevice } from '../../../src/core/node/gpu.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { parseInventory } from '../../../src/gather/nvidia/parse-inventory.ts';
import { fixtureText } from '../gpu/fixture-tree.ts';

const MIB = 1024 * 1024;

describe('the inventory of nvidia-smi', () => {
  it('lists devices in the order of the tool with their memory, link and power limit', () => {
    const devices = devicesOf('inventory-h100-pair.xml');
    expect(devices.map(device => device.index)).toEqual([0, 1]);
    expect(devices[1]).toEqual({
      deviceId: 'GPU-aaaaaaaa-0000-4000-8000-000000000002',
      index: 1,
      name: 'NVIDIA H100 80GB HBM3',
      memoryTotalBytes: 81_559 * MIB,
      memoryIsUnified: false,
      memoryReservedBytes: 0,
      driver: '550.90.07',
      runtime: 'CUDA 12.4',
      architecture: 'Hopper',
      coreCount: unknown('nvidia-smi does not report it'),
      pcieMax: { generation: 5, width: 16 },
      powerLimitWatts: 700,
      powerLimitDefaultWatts: 700,
      partitions: [],
      pciAddress: '0000:43:00.0',
    });
  });

  it('reads a whole H200 as the tool of driver 580 prints it', () => {
    expect(devicesOf('inventory-h200-driver-580.xml')).toMatchObject([
      {
        index: 0,
        name: 'NVIDIA H200',
        memoryTotalBytes: 143_771 * MIB,
        memoryIsUnified: false,
        driver: '580.159.04',
        runtime: 'CUDA 13.0',
        architecture: 'Hopper',
        pcieMax: { generation: 5, width: 16 },
        powerLimitWatts: 700,
        powerLimitDefaultWatts: 700,
        partitions: [],
        pciAddress: '0000:00:06.0',
      },
    ]);
  });

  it('counts a card with MIG once, with its partitions by name and its own memory', () => {
    const [device, ...others] = devicesOf('inventory-a100-mig.xml');
    expect(others).toEqual([]);
    expect(device).toMatchObject({
      memoryTotalBytes: 40_960 * MIB,
      memoryIsUnified: false,
      powerLimitWatts: 400,
      partitions: ['MIG 0 (42 SMs, 19968 MiB)', 'MIG 1 (42 SMs, 19968 MiB)'],
    });
  });

  it('distinguishes a chip with unified memory from a card, and takes no placeholder for a link', () => {
    expect(devicesOf('inventory-gb10.xml')[0]).toMatchObject({
      memoryTotalBytes: unknown('unified memory'),
      memoryIsUnified: true,
      pcieMax: unknown('on the chip, no PCIe link'),
      powerLimitWatts: unknown('not available on this device'),
    });
  });

  it('does not call memory unified because it could not be read', () => {
    const text = fixtureText('nvidia-smi/inventory-rtx-4090.xml').replace('24564 MiB', 'Unknown Error');
    expect(inventoryOf(text)[0]).toMatchObject({
      memoryIsUnified: false,
      memoryTotalBytes: unknown('the driver reports: Unknown Error'),
    });
  });

  it('reads the power limit wherever the driver has put it', () => {
    expect(devicesOf('inventory-rtx-4090.xml')[0]?.powerLimitWatts).toBe(450);
    expect(devicesOf('inventory-a100-mig.xml')[0]?.powerLimitWatts).toBe(400);
  });

  it('reads driver and CUDA under the names of CUDA 14', () => {
    expect(devicesOf('inventory-cuda-14.xml')[0]).toMatchObject({ driver: '620.10', runtime: 'CUDA 14.0' });
  });

  it('gives the memory of a GPU instance once if several compute instances share it', () => {
    const mig = (index: number, instance: number): string =>
      `<mig_device><index>${index}</index><gpu_instance_id>${instance}</gpu_instance_id><fb_memory_usage><total>19968 MiB</total></fb_memory_usage></mig_device>`;
    const xml = fixtureText('nvidia-smi/inventory-a100-mig.xml').replace(
      /<mig_devices>.*?<\/mig_devices>/s,
      `<mig_devices>${mig(0, 1)}${mig(1, 1)}${mig(2, 5)}</mig_devices>`,
    );
    expect(inventoryOf(xml)[0]?.partitions).toEqual([
      'MIG 0 (in instance 1, which has 19968 MiB)',
      'MIG 1 (in instance 1)',
      'MIG 2 (19968 MiB)',
    ]);
  });

  it('reports which figures an old driver lacks', () => {
    expect(devicesOf('inventory-gt-1030-driver-470.xml')[0]).toMatchObject({
      architecture: unknown('not reported by this driver'),
      powerLimitWatts: unknown('not available on this device'),
      pcieMax: { generation: 3, width: 4 },
    });
  });

  it('takes no time for a tag without an end, however long its name is', () => {
    expect(parseInventory(`<nvidia_smi_log><${'a'.repeat(1_000_000)}`).kind).toBe('unanswered');
  });

  it('refuses a list that was cut off or that contradicts itself, rather than losing a device', () => {
    const text = fixtureText('nvidia-smi/inventory-h100-pair.xml');
    expect(parseInventory(text.slice(0, -30))).toEqual({
      kind: 'unanswered',
      reason: "nvidia-smi's device list was cut off",
    });
    expect(
      parseInventory(text.replace('<attached_gpus>2</attached_gpus>', '<attached_gpus>1</attached_gpus>')),
    ).toEqual({ kind: 'unanswered', reason: 'nvidia-smi lists 2 GPUs, more than the 1 that it counts' });
    expect(parseInventory('No devices were found\n').kind).toBe('unanswered');
  });

  it('gives an answer for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        parseInventory(text);
        parseInventory(`<nvidia_smi_log><gpu id="${text}"><uuid>${text}</uuid></gpu></nvidia_smi_log>`);
      }),
    );
  });

  it('gives an answer for a real list with any part cut out or doubled', () => {
    const text = fixtureText('nvidia-smi/inventory-a100-mig.xml');
    const position = fc.nat(text.length);
    fc.assert(
      fc.property(position, position, (from, to) => {
        parseInventory(text.slice(0, from) + text.slice(to));
      }),
    );
  });

  it('cuts a text that other nodes would refuse with the whole reading', () => {
    const xml = fixtureText('nvidia-smi/inventory-h100-pair.xml');
    const [device] = inventoryOf(xml.replaceAll('NVIDIA H100 80GB HBM3', 'x'.repeat(5_000)));
    expect(device?.name).toHaveLength(200);
  });

  it('takes a hostile text in time that grows with its length', () => {
    const opened = '<a>'.repeat(300_000);
    expect(parseInventory(`${opened}${'</b>'.repeat(300_000)}`).kind).toBe('unanswered');
    expect(parseInventory('<!'.repeat(1_000_000)).kind).toBe('unanswered');
    expect(parseInventory('<a b'.repeat(500_000)).kind).toBe('unanswered');
  });
});

const devicesOf = (fixture: string): readonly GpuDevice[] =>
  inventoryOf(fixtureText(`nvidia-smi/${fixture}`));

const inventoryOf = (text: string): readonly GpuDevice[] => {
  const parsed = parseInventory(text);
  if (parsed.kind !== 'answered') throw new Error(parsed.reason);
  return parsed.value.devices;
};
