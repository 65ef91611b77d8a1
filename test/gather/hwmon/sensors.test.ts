// Sensors of different machines, counters that run over, and sensors that answer late or not at all.

import { describe, expect, it } from 'vitest';
import { parseMillidegrees } from '../../../src/gather/hwmon/cpu-temperature.ts';
import { Sensors, type SensorValues, wattsBetween } from '../../../src/gather/hwmon/sensors.ts';
import type { MachineFiles } from '../../../src/gather/machine-files.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { recordedFiles } from '../../support/recorded-files.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { filesAt } from '../recorded-tree.ts';

const MONITOR = '/sys/class/hwmon/hwmon';

describe('the temperature of the processor', () => {
  it('is that of the hottest package, not of a core or a disk', async () => {
    const { values, names } = await readOnce({
      [`${MONITOR}0/name`]: 'nvme\n',
      [`${MONITOR}0/temp1_input`]: '71000\n',
      [`${MONITOR}1/name`]: 'coretemp\n',
      [`${MONITOR}1/temp1_input`]: '52000\n',
      [`${MONITOR}1/temp1_label`]: 'Package id 0\n',
      [`${MONITOR}1/temp2_input`]: '69000\n',
      [`${MONITOR}1/temp2_label`]: 'Core 0\n',
      [`${MONITOR}2/name`]: 'coretemp\n',
      [`${MONITOR}2/temp1_input`]: '58500\n',
      [`${MONITOR}2/temp1_label`]: 'Package id 1\n',
    });
    expect(values.cpuTemperatureCelsius).toBe(58.5);
    expect(names).toEqual(['coretemp Package id 0', 'coretemp Package id 1']);
  });

  it('is Tdie rather than Tctl, which some parts set higher for their fans', async () => {
    const { values } = await readOnce({
      [`${MONITOR}0/name`]: 'k10temp\n',
      [`${MONITOR}0/temp1_input`]: '77000\n',
      [`${MONITOR}0/temp1_label`]: 'Tctl\n',
      [`${MONITOR}0/temp2_input`]: '50000\n',
      [`${MONITOR}0/temp2_label`]: 'Tdie\n',
    });
    expect(values.cpuTemperatureCelsius).toBe(50);
  });

  it("is the firmware's only if the processor reports none", async () => {
    const acpi = { [`${MONITOR}0/name`]: 'acpitz\n', [`${MONITOR}0/temp1_input`]: '27800\n' };
    expect((await readOnce(acpi)).names).toEqual(['acpitz']);
    const both = { ...acpi, [`${MONITOR}1/name`]: 'cpu_thermal\n', [`${MONITOR}1/temp1_input`]: '41000\n' };
    expect((await readOnce(both)).values.cpuTemperatureCelsius).toBe(41);
  });

  it('is a thermal zone where there is no monitor', async () => {
    const { values, names } = await readOnce({
      '/sys/class/thermal/thermal_zone0/type': 'acpitz\n',
      '/sys/class/thermal/thermal_zone0/temp': '20000\n',
      '/sys/class/thermal/thermal_zone1/type': 'cpu-thermal\n',
      '/sys/class/thermal/thermal_zone1/temp': '47123\n',
    });
    expect(values.cpuTemperatureCelsius).toBe(47.123);
    expect(names).toEqual(['thermal zone cpu-thermal']);
  });

  it('is unknown without a sensor, and with one that reports nonsense', async () => {
    expect((await readOnce({})).values.cpuTemperatureCelsius).toEqual({
      kind: 'unknown',
      reason: 'no sensor',
      code: 'no-sensor',
    });
    const { values } = await readOnce({
      [`${MONITOR}0/name`]: 'k10temp\n',
      [`${MONITOR}0/temp1_input`]: '-273150\n',
    });
    expect(values.cpuTemperatureCelsius).toEqual({
      kind: 'unknown',
      reason: 'the sensor gives no plausible temperature',
    });
  });

  it('crashes no parser, for any text', () => {
    forAnyOutput(['52000', '-5000'], text => {
      const celsius = parseMillidegrees(text);
      expect(celsius === undefined || Math.abs(celsius) < 200).toBe(true);
    });
  });
});

describe('the power of the processor', () => {
  const counters = (package0: number, package1: number): Record<string, string> => ({
    '/sys/class/powercap/intel-rapl:0/name': 'package-0\n',
    '/sys/class/powercap/intel-rapl:0/energy_uj': `${package0}\n`,
    '/sys/class/powercap/intel-rapl:0/max_energy_range_uj': '262143328850\n',
    '/sys/class/powercap/intel-rapl:0:0/name': 'core\n',
    '/sys/class/powercap/intel-rapl:0:0/energy_uj': '1\n',
    '/sys/class/powercap/intel-rapl:1/name': 'package-1\n',
    '/sys/class/powercap/intel-rapl:1/energy_uj': `${package1}\n`,
    '/sys/class/powercap/intel-rapl:1/max_energy_range_uj': '262143328850\n',
    '/sys/class/powercap/intel-rapl:2/name': 'psys\n',
    '/sys/class/powercap/intel-rapl:2/energy_uj': '5\n',
    '/sys/class/powercap/intel-rapl-mmio:0/name': 'package-0\n',
    '/sys/class/powercap/intel-rapl-mmio:0/energy_uj': '7\n',
  });

  it('is the sum of the packages over the time between two readings', async () => {
    const clock = new VirtualClock();
    const tree: Record<string, string> = counters(1_000_000, 5_000_000);
    using sensors = new Sensors(liveFiles(tree), clock);
    expect((await sensors.read(250)).cpuPowerWatts).toEqual({
      kind: 'unknown',
      reason: 'needs two readings of the energy counter',
    });
    await clock.advance(2_000);
    Object.assign(tree, counters(101_000_000, 65_000_000));
    expect((await sensors.read(250)).cpuPowerWatts).toBe(80);
  });

  it('survives a counter that runs over', () => {
    const power = wattsBetween(
      { atMs: 0, microjoules: 262_143_000_000 },
      { atMs: 1_000, microjoules: 50_000_000 },
      262_143_328_850,
    );
    expect(power).toBeCloseTo(50.33, 2);
  });

  it('is unknown after a counter was reset', () => {
    expect(
      wattsBetween({ atMs: 0, microjoules: 9e9 }, { atMs: 1_000, microjoules: 5 }, 262_143_328_850),
    ).toBeUndefined();
    expect(wattsBetween({ atMs: 5, microjoules: 1 }, { atMs: 5, microjoules: 2 }, 10)).toBeUndefined();
    expect(wattsBetween({ atMs: 0, microjoules: 9 }, { atMs: 5, microjoules: 2 }, 0)).toBeUndefined();
  });

  it('reports that only root may read it', async () => {
    const files = recordedFiles([
      filesAt({ '/sys/class/powercap/intel-rapl:0/name': 'package-0\n' }),
      { root: '/sys/class/powercap', files: {}, errors: { 'intel-rapl:0/energy_uj': 'EACCES' } },
    ]);
    using sensors = new Sensors(files, new VirtualClock());
    expect((await sensors.read(250)).cpuPowerWatts).toEqual({
      kind: 'unknown',
      reason: 'only root may read the energy counter (RAPL)',
      code: 'rapl-permission',
    });
  });
});

describe('the power of the whole machine', () => {
  it("is a server's power meter", async () => {
    const { values } = await readOnce({
      [`${MONITOR}3/name`]: 'power_meter\n',
      [`${MONITOR}3/power1_average`]: '412000000\n',
    });
    expect(values.systemPowerWatts).toBe(412);
  });

  it('is the input rail of a Jetson', async () => {
    const { values } = await readOnce({
      [`${MONITOR}3/name`]: 'ina3221\n',
      [`${MONITOR}3/in1_label`]: 'VDD_IN\n',
      [`${MONITOR}3/in1_input`]: '5000\n',
      [`${MONITOR}3/curr1_input`]: '2400\n',
    });
    expect(values.systemPowerWatts).toBeCloseTo(12, 6);
  });

  it('is what the battery gives, unknown on mains power, and never that of a mouse', async () => {
    const battery = (status: string): Record<string, string> => ({
      '/sys/class/power_supply/AC/type': 'Mains\n',
      '/sys/class/power_supply/BAT0/type': 'Battery\n',
      '/sys/class/power_supply/BAT0/status': `${status}\n`,
      '/sys/class/power_supply/BAT0/voltage_now': '15000000\n',
      '/sys/class/power_supply/BAT0/current_now': '2000000\n',
      '/sys/class/power_supply/ABC_mouse/type': 'Battery\n',
      '/sys/class/power_supply/ABC_mouse/scope': 'Device\n',
      '/sys/class/power_supply/ABC_mouse/status': 'Discharging\n',
      '/sys/class/power_supply/ABC_mouse/power_now': '1\n',
    });
    expect((await readOnce(battery('Discharging'))).values.systemPowerWatts).toBeCloseTo(30, 6);
    expect((await readOnce(battery('Full'))).values.systemPowerWatts).toEqual({
      kind: 'unknown',
      reason: 'on AC power, which is not measured',
    });
  });
});

describe('a sensor that answers late', () => {
  it('keeps a beat waiting only so long, and is not asked twice', async () => {
    const clock = new VirtualClock();
    const late = Promise.withResolvers<string>();
    let queriedCount = 0;
    const recorded = recordedFiles([
      filesAt({ [`${MONITOR}0/name`]: 'power_meter\n', [`${MONITOR}0/power1_average`]: '1\n' }),
    ]);
    const files: MachineFiles = {
      ...recorded,
      text: () => {
        queriedCount += 1;
        return late.promise;
      },
    };
    using sensors = new Sensors(files, clock);
    for (let beat = 0; beat < 3; beat++) {
      const reading = sensors.read(250);
      await clock.advance(250);
      expect((await reading).systemPowerWatts).toEqual({
        kind: 'unknown',
        reason: 'the sensor has not answered yet',
      });
    }
    expect(queriedCount).toBe(1);
    late.resolve('77000000\n');
    expect((await sensors.read(250)).systemPowerWatts).toBe(77);
  });
});

const readOnce = async (
  files: Readonly<Record<string, string>>,
): Promise<{ readonly values: SensorValues; readonly names: readonly string[] }> => {
  using sensors = new Sensors(recordedFiles([filesAt(files)]), new VirtualClock());
  const values = await sensors.read(250);
  return { values, names: sensors.names };
};

/** Shows what `tree` holds at the time of each reading. */
const liveFiles = (tree: Readonly<Record<string, string>>): MachineFiles => {
  const now = (): MachineFiles => recordedFiles([filesAt(tree)]);
  return {
    textNow: path => now().textNow(path),
    text: path => now().text(path),
    namesNow: path => now().namesNow(path),
    linkNow: path => now().linkNow(path),
    keepOpen: path => ({
      readNow: () => now().textNow(path),
      read: () => now().text(path),
      [Symbol.dispose]: () => {},
    }),
  };
};
