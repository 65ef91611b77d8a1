import { describe, expect, it } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import type { Gatherer } from '../../../src/gather/gatherer.ts';
import type { MachineAccessOptions } from '../../../src/gather/machine-access.ts';
import { platformSources } from '../../../src/gather/platform-gatherers.ts';
import { isRunning } from '../../support/process-ids.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { FixtureTree, fixtureText, treeFixture } from '../gpu/fixture-tree.ts';
import { GathererRun, isAbsence, isFailure, isHealths, isInventory, isLoads } from '../gpu/gatherer-run.ts';
import { StandInTools } from '../gpu/stand-in-tools.ts';
import { machineForTest } from '../machine-for-test.ts';

const text = (path: string): string => JSON.stringify(fixtureText(path));

const setUp = async (tree: string) => {
  const tools = await StandInTools.create();
  const machine = await FixtureTree.create(treeFixture(tree));
  return {
    tools,
    tree: machine,
    options: { root: machine.root, env: tools.env },
    async [Symbol.asyncDispose]() {
      await tools[Symbol.asyncDispose]();
      await machine[Symbol.asyncDispose]();
    },
  };
};

const RADEON = 'sys/class/drm/card1/device';

describe('the AMD gatherers', () => {
  it('report the errors that a card counts, and its bad pages', async () => {
    await using machine = await setUp('radeon-rx-7900-xt-beside-ast');
    await machine.tree.write(`${RADEON}/ras/umc_err_count`, 'ue: 1\nce: 40\n');
    await machine.tree.write(`${RADEON}/ras/gfx_err_count`, 'ue: 0\nce: 2\nde: 0\n');
    await machine.tree.write(
      `${RADEON}/ras/gpu_vram_bad_pages`,
      '0x00000001 : 0x00001000 : R\n0x00000002 : 0x00001000 : P\n',
    );
    await machine.tree.write(`${RADEON}/pcie_replay_count`, '3\n');
    await using run = new GathererRun(amdGatherers(machine.options), new VirtualClock());
    const reported = await run.until(isHealths);
    expect(reported.devices).toMatchObject([
      {
        deviceId: '0000:0b:00.0',
        eccVolatile: { corrected: 42, uncorrected: 1 },
        eccAggregate: { corrected: unknown('amdgpu does not report it') },
        repair: { retiredPages: 2, isPending: true, hasFailed: false },
        pcieReplays: 3,
      },
    ]);
  });

  it('report of a card without such counters that it has none', async () => {
    await using machine = await setUp('radeon-rx-7900-xt-beside-ast');
    await using run = new GathererRun(amdGatherers(machine.options), new VirtualClock());
    expect((await run.until(isHealths)).devices).toMatchObject([
      {
        eccVolatile: { uncorrected: { reason: 'the card does not count errors (no RAS)' } },
        pcieReplays: { reason: 'not reported by this driver' },
      },
    ]);
  });

  it('read a Radeon from sysfs, with the link that leads out of the card, and pass over the BMC', async () => {
    await using machine = await setUp('radeon-rx-7900-xt-beside-ast');
    await using run = new GathererRun(amdGatherers(machine.options), new VirtualClock());
    expect((await run.until(isInventory)).devices).toEqual([
      {
        deviceId: '0000:0b:00.0',
        index: 0,
        name: 'AMD Radeon RX 7900 XT',
        memoryTotalBytes: 21_458_059_264,
        memoryIsUnified: false,
        memoryReservedBytes: 0,
        driver: 'amdgpu of Linux 6.8.0-45-generic',
        runtime: 'ROCm 6.2.4',
        architecture: unknown('the compute driver (KFD) does not list it'),
        coreCount: unknown('the compute driver (KFD) does not list it'),
        pcieMax: { generation: 4, width: 16 },
        powerLimitWatts: 265,
        powerLimitDefaultWatts: unknown('not read of this driver'),
        partitions: [],
        pciAddress: '0000:0b:00.0',
      },
    ]);
    expect((await run.until(isLoads)).devices).toEqual([
      {
        deviceId: '0000:0b:00.0',
        use: 0.37,
        memoryUsedBytes: 1_073_741_824,
        memoryReservedUsedBytes: 0,
        temperatureCelsius: 52,
        powerWatts: 214,
        clockMhz: 2371,
        pcieNow: { generation: 3, width: 8 },
        throttleReasons: unknown('amdgpu reports it only in a binary table'),
        processes: unknown('the list of processes cannot be read', 'permission'),
      },
    ]);
  });

  it('read the one sensor of a card on the driver radeon, which has no label', async () => {
    await using machine = await setUp('radeon-without-driver');
    const device = 'sys/devices/pci0000:00/0000:00:03.1/0000:0b:00.0';
    await machine.tree.write(
      `${device}/uevent`,
      'DRIVER=radeon\nPCI_CLASS=30000\nPCI_ID=1002:6779\nPCI_SLOT_NAME=0000:0b:00.0\n',
    );
    await machine.tree.write(`${device}/hwmon/hwmon2/name`, 'radeon\n');
    await machine.tree.write(`${device}/hwmon/hwmon2/temp1_input`, '47500\n');
    await machine.tree.link('sys/class/drm/card0/device', `../../../../${device}`);
    await using run = new GathererRun(amdGatherers(machine.options), new VirtualClock());
    expect((await run.until(isLoads)).devices).toMatchObject([{ temperatureCelsius: 47.5 }]);
  });

  it('count two Instincts as two, the parts of one by name, and take no 0 W for a reading', async () => {
    await using machine = await setUp('mi300x-pair-one-in-dpx');
    await using run = new GathererRun(amdGatherers(machine.options), new VirtualClock());
    expect((await run.until(isInventory)).devices).toMatchObject([
      {
        deviceId: '0000:05:00.0',
        name: 'AMD GPU 0x74a1',
        architecture: 'gfx942',
        coreCount: 304,
        partitions: ['DPX 0', 'DPX 1'],
        memoryTotalBytes: 206_141_652_992,
        driver: 'amdgpu 6.12.12',
        runtime: unknown('ROCm is not installed'),
      },
      { deviceId: '0000:26:00.0', coreCount: 304, partitions: [] },
    ]);
    expect((await run.until(isLoads)).devices).toMatchObject([
      { use: 0.9, temperatureCelsius: 71, powerWatts: 690, clockMhz: 2104 },
      { use: 0.91, powerWatts: unknown('the driver reports 0: not measured here') },
    ]);
  });

  it('give the memory of graphics in a processor to the host', async () => {
    await using machine = await setUp('strix-apu');
    await using run = new GathererRun(amdGatherers(machine.options), new VirtualClock());
    expect((await run.until(isInventory)).devices).toMatchObject([
      {
        name: 'Strix [Radeon 880M / 890M]',
        memoryIsUnified: true,
        memoryTotalBytes: 33_536_870_912,
        memoryReservedBytes: 536_870_912,
        pcieMax: unknown('on the chip, no PCIe link'),
      },
    ]);
    expect((await run.until(isLoads)).devices).toMatchObject([
      {
        memoryUsedBytes: 2_400_000_000,
        memoryReservedUsedBytes: 400_000_000,
        clockMhz: 19,
        powerWatts: 9.123,
      },
    ]);
  });

  it('take names from amd-smi, which they ask once and not every time', async () => {
    await using machine = await setUp('mi300x-pair-one-in-dpx');
    machine.tools.add('amd-smi', `fs.writeSync(1, ${text('amd-smi/static-mi300x-pair.json')});`);
    const clock = new VirtualClock();
    await using run = new GathererRun(amdGatherers(machine.options), clock);
    expect((await run.until(isInventory)).devices.map(device => device.name)).toEqual([
      'AMD Instinct MI300X',
      'AMD Instinct MI300X',
    ]);
    // The health comes last in each turn.
    await run.until(isHealths);
    for (let minutes = 0; minutes < 5; minutes += 1) {
      const at = run.reported.length;
      await clock.advance(60_000);
      await run.until(isHealths, at);
    }
    expect(machine.tools.starts('amd-smi')).toHaveLength(1);
  });

  it('take names from rocm-smi where amd-smi is missing', async () => {
    await using machine = await setUp('radeon-rx-7900-xt-beside-ast');
    machine.tools.add('rocm-smi', `fs.writeSync(1, ${text('rocm-smi/rx-7900-xt.json')});`);
    await using run = new GathererRun(amdGatherers(machine.options), new VirtualClock());
    expect((await run.until(isInventory)).devices[0]).toMatchObject({
      name: 'Radeon RX 7900 XT',
      architecture: 'gfx1100',
    });
  });

  it('do without a tool that hangs, prints garbage or fails', async () => {
    for (const body of ['every(1000, () => {});', `print('{"gpu_data": [');`, 'process.exit(255);']) {
      await using machine = await setUp('radeon-rx-7900-xt-beside-ast');
      machine.tools.add('amd-smi', body);
      await using run = new GathererRun(amdGatherers({ ...machine.options, timeouts: { gpuToolMs: 300 } }));
      expect((await run.until(isInventory)).devices[0]).toMatchObject({ name: 'AMD Radeon RX 7900 XT' });
      await run.stop();
      for (const { processId } of machine.tools.starts('amd-smi')) expect(isRunning(processId)).toBe(false);
    }
  });

  it('do not wake a card that sleeps', async () => {
    await using machine = await setUp('radeon-rx-7900-xt-beside-ast');
    await machine.tree.write(`${RADEON}/power/runtime_status`, 'suspended\n');
    await using run = new GathererRun(amdGatherers(machine.options), new VirtualClock());
    expect((await run.until(isLoads)).devices[0]).toMatchObject({
      use: unknown('asleep to save power'),
      powerWatts: unknown('asleep to save power'),
    });
  });

  it('keep what they know of a card that falls asleep', async () => {
    await using machine = await setUp('radeon-rx-7900-xt-beside-ast');
    await using run = new GathererRun(amdGatherers({ ...machine.options, intervals: { identityMs: 20 } }));
    const awake = await run.until(isInventory);
    await machine.tree.write(`${RADEON}/power/runtime_status`, 'suspended\n');
    await run.until(reported => isLoads(reported) && reported.devices[0]?.use !== 0.37);
    await machine.tree.write(`${RADEON}/hwmon/hwmon3/power1_cap`, '1000000\n');
    const from = run.reported.length;
    const first = await run.until(isInventory, from);
    const second = await run.until(isInventory, run.reported.indexOf(first) + 1);
    expect(second.devices).toEqual(awake.devices);
  });

  it('report which figure is missing and go on with the others', async () => {
    await using machine = await setUp('radeon-rx-7900-xt-beside-ast');
    await machine.tree.remove(`${RADEON}/gpu_busy_percent`);
    await machine.tree.write(`${RADEON}/mem_info_vram_used`, 'garbage\n');
    await machine.tree.write(`${RADEON}/current_link_width`, '0\n');
    await using run = new GathererRun(amdGatherers(machine.options), new VirtualClock());
    expect((await run.until(isLoads)).devices[0]).toMatchObject({
      use: unknown('not reported by this driver'),
      memoryUsedBytes: unknown('not a number: garbage'),
      powerWatts: 214,
    });
  });

  it('show that a card has gone', async () => {
    await using machine = await setUp('mi300x-pair-one-in-dpx');
    await using run = new GathererRun(
      amdGatherers({ ...machine.options, intervals: { gpuMs: 20, identityMs: 100 } }),
    );
    expect((await run.until(isInventory)).devices).toHaveLength(2);
    await run.until(isLoads);
    await machine.tree.remove('sys/class/drm/card9');
    await machine.tree.remove('sys/devices/pci0000:01/0000:01:01.1/0000:26:00.0');
    const from = run.reported.length;
    const inventory = await run.until(
      reported => isInventory(reported) && reported.devices.length === 1,
      from,
    );
    expect(inventory).toMatchObject({ devices: [{ deviceId: '0000:05:00.0' }] });
    const loads = await run.until(reported => isLoads(reported) && reported.devices.length === 1, from);
    expect(loads).toMatchObject({ devices: [{ deviceId: '0000:05:00.0' }] });
  });

  it('read one amd-smi that stays if sysfs has nothing, and leave no process', async () => {
    await using machine = await setUp('mi300x-pair-one-in-dpx');
    for (const card of ['card1', 'card9']) {
      await machine.tree.remove(`sys/class/drm/${card}/device/gpu_busy_percent`);
      await machine.tree.remove(`sys/class/drm/${card}/device/hwmon`);
    }
    machine.tools.add(
      'amd-smi',
      `if (args[0] === 'static') { fs.writeSync(1, ${text('amd-smi/static-mi300x-pair.json')}); process.exit(0); }
       every(20, () => fs.writeSync(1, ${text('amd-smi/metric-watch.txt')}));`,
    );
    await using run = new GathererRun(amdGatherers(machine.options));
    const loads = await run.until(isLoads);
    expect(loads).toMatchObject({ source: 'amd-smi', devices: [{ deviceId: '0000:05:00.0', use: 0.88 }] });
    await run.stop();
    const streams = machine.tools.starts('amd-smi').filter(start => start.args[0] === 'metric');
    expect(streams).toHaveLength(1);
    expect(isRunning(streams[0]?.processId ?? 0)).toBe(false);
  });

  it('report that a card has no driver, and read it once the driver is loaded', async () => {
    await using machine = await setUp('radeon-without-driver');
    await using run = new GathererRun(amdGatherers(machine.options));
    expect((await run.until(isFailure)).reason).toBe(
      'the AMD GPU 0000:0b:00.0 has no driver: amdgpu is not loaded',
    );
    const device = '../../../devices/pci0000:00/0000:00:03.1/0000:0b:00.0';
    await machine.tree.write(
      'sys/bus/pci/devices/0000:0b:00.0/uevent',
      'DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:73FF\nPCI_SLOT_NAME=0000:0b:00.0\n',
    );
    await machine.tree.link('sys/class/drm/card0/device', device);
    const inventory = await run.until(isInventory);
    expect(inventory.devices).toMatchObject([{ deviceId: '0000:0b:00.0', name: 'AMD GPU 0x73ff' }]);
  });

  it('have nothing to report if there are only displays', async () => {
    await using machine = await setUp('only-displays');
    const clock = new VirtualClock();
    await using run = new GathererRun(amdGatherers(machine.options), clock);
    for (let at = 0, count = 0; count < 3; count += 1)
      at = run.reported.indexOf(await run.until(isAbsence, at)) + 1;
    await clock.advance(300_000);
    expect(run.reported.filter(isAbsence)).toHaveLength(3);
    expect(run.reported.filter(isFailure)).toEqual([]);
  });
});

/** The rows of the table that report AMD GPUs. */
const amdGatherers = (options: Partial<MachineAccessOptions>): readonly Gatherer[] =>
  platformSources('linux', machineForTest(options)).filter(({ reports }) =>
    reports.some(({ vendor }) => vendor === 'amd'),
  );
