// The sensors of a machine, read together at each interval. Some are answered by slow firmware: a read waits for them
// only briefly, continues with the last value, and never queries again while a query is open.

import { type Clock, pause } from '../../clock/clock.ts';
import { maximumOf } from '../../core/extremes.ts';
import { isKnown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import {
  digitsIn,
  isUnreadable,
  type KeptFile,
  type MachineFiles,
  notRead,
  textOr,
} from '../machine-files.ts';
import { findCpuTemperatureSensors, hardwareMonitors, parseMillidegrees } from './cpu-temperature.ts';

export interface SensorValues {
  readonly cpuTemperatureCelsius: Reported<number>;
  readonly cpuPowerWatts: Reported<number>;
  readonly systemPowerWatts: Reported<number>;
}

export class Sensors implements Disposable {
  readonly #files: MachineFiles;
  readonly #clock: Clock;
  #foundAtMs = Number.NEGATIVE_INFINITY;
  #temperatures: readonly OpenTemperature[] = [];
  #counters: readonly OpenCounter[] = [];
  #power: PowerSource | undefined;
  #lastEnergies = new Map<string, EnergyReading>();
  #last: SensorValues = NOT_YET;
  #reading: Promise<void> | undefined;

  constructor(files: MachineFiles, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  /** Names of what is read, for the reading's source. */
  get names(): readonly string[] {
    const names = [
      ...this.#temperatures.map(sensor => sensor.name),
      ...(this.#counters.length > 0 ? ['RAPL'] : []),
      ...(this.#power === undefined ? [] : [this.#power.name]),
    ];
    return [...new Set(names)].map(name => name.slice(0, NAME_LENGTH_MAX)).slice(0, NAMES_MAX);
  }

  /** The newest values available after at most `waitMs`, which an abort does not shorten. */
  async read(waitMs: number): Promise<SensorValues> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    const answered = new AbortController();
    await Promise.race([this.#reading, pause(this.#clock, waitMs, answered.signal)]);
    answered.abort();
    return this.#last;
  }

  [Symbol.dispose](): void {
    for (const { file } of [...this.#temperatures, ...this.#counters]) file[Symbol.dispose]();
    this.#temperatures = [];
    this.#counters = [];
  }

  async #readAll(): Promise<void> {
    if (this.#clock.nowMs() - this.#foundAtMs >= FIND_AGAIN_MS) this.#find();
    const [cpuTemperatureCelsius, cpuPowerWatts, systemPowerWatts] = await Promise.all([
      this.#readTemperature(),
      this.#readCpuPower(),
      readSystemPower(this.#files, this.#power),
    ]);
    this.#last = { cpuTemperatureCelsius, cpuPowerWatts, systemPowerWatts };
  }

  /** Repeated now and then: drivers are loaded late, and reloaded. */
  #find(): void {
    this[Symbol.dispose]();
    const open = (path: string): KeptFile => this.#files.keepOpen(path);
    this.#temperatures = findCpuTemperatureSensors(this.#files).map(({ path, name }) => ({
      name,
      file: open(path),
    }));
    this.#counters = findPackageCounters(this.#files).map(counter => ({
      ...counter,
      file: open(counter.path),
    }));
    this.#power = findSystemPower(this.#files);
    this.#foundAtMs = this.#clock.nowMs();
  }

  async #readTemperature(): Promise<Reported<number>> {
    if (this.#temperatures.length === 0) return unknown('no sensor', 'no-sensor');
    const texts = await Promise.all(this.#temperatures.map(({ file }) => file.read()));
    const celsius = texts.flatMap(text => (isUnreadable(text) ? [] : (parseMillidegrees(text.trim()) ?? [])));
    if (celsius.length > 0) return maximumOf(celsius);
    const failed = texts.find(isUnreadable);
    return failed === undefined ? unknown('the sensor gives no plausible temperature') : notRead(failed);
  }

  /** The sum over sockets; unknown when one of them is, because half a machine's power is not the machine's power. */
  async #readCpuPower(): Promise<Reported<number>> {
    if (this.#counters.length === 0) return unknown('no energy counter (RAPL)');
    const texts = await Promise.all(this.#counters.map(({ file }) => file.read()));
    const atMs = this.#clock.nowMs();
    const before = this.#lastEnergies;
    this.#lastEnergies = new Map();
    let sum = 0;
    let missing: Unknown | undefined;
    for (const [index, { path, rangeMicrojoules }] of this.#counters.entries()) {
      const text = texts[index] ?? '';
      if (isUnreadable(text)) {
        missing =
          text.code === 'EACCES'
            ? unknown('only root may read the energy counter (RAPL)', 'rapl-permission')
            : notRead(text);
        continue;
      }
      const microjoules = digitsIn(text.trim());
      if (microjoules === undefined) {
        missing = unknown('the energy counter is not a number');
        continue;
      }
      this.#lastEnergies.set(path, { atMs, microjoules });
      const earlier = before.get(path);
      const watts = earlier && wattsBetween(earlier, { atMs, microjoules }, rangeMicrojoules);
      if (watts === undefined) missing ??= unknown('needs two readings of the energy counter');
      else sum += watts;
    }
    return missing ?? sum;
  }
}

interface OpenTemperature {
  readonly name: string;
  readonly file: KeptFile;
}

interface OpenCounter {
  readonly path: string;
  readonly rangeMicrojoules: number;
  readonly file: KeptFile;
}

const LATE = unknown('the sensor has not answered yet');
const NOT_YET: SensorValues = { cpuTemperatureCelsius: LATE, cpuPowerWatts: LATE, systemPowerWatts: LATE };
const FIND_AGAIN_MS = 60_000;
const NAME_LENGTH_MAX = 60;
const NAMES_MAX = 8;

// Processor power from the energy counters of RAPL (Documentation/power/powercap/powercap.rst). Only package domains:
// cores, uncore and memory are parts of them, and intel-rapl-mmio counts the same packages a second time.
interface EnergyCounter {
  readonly path: string;
  /** The value at which the counter wraps to 0, in microjoules. */
  readonly rangeMicrojoules: number;
}

const findPackageCounters = (files: MachineFiles): readonly EnergyCounter[] => {
  const zones = files.namesNow('/sys/class/powercap');
  if (isUnreadable(zones)) return [];
  return [...zones].sort().flatMap(zone => {
    if (!/^(?:intel|amd)-rapl:\d+$/.test(zone)) return [];
    const path = `/sys/class/powercap/${zone}`;
    if (!/^package-\d+$/.test(textOr(files.textNow(`${path}/name`), ''))) return [];
    const rangeMicrojoules = digitsIn(textOr(files.textNow(`${path}/max_energy_range_uj`), undefined));
    return [{ path: `${path}/energy_uj`, rangeMicrojoules: rangeMicrojoules ?? 0 }];
  });
};

interface EnergyReading {
  readonly atMs: number;
  readonly microjoules: number;
}

/** Undefined if the counter went back without a known range, or no time has passed. */
export const wattsBetween = (
  before: EnergyReading,
  after: EnergyReading,
  rangeMicrojoules: number,
): number | undefined => {
  const seconds = (after.atMs - before.atMs) / 1000;
  if (seconds <= 0) return undefined;
  let microjoules = after.microjoules - before.microjoules;
  if (microjoules < 0) microjoules += rangeMicrojoules;
  const watts = microjoules / 1e6 / seconds;
  // A counter reset by a suspend looks like one that wrapped: no package draws this much.
  return watts < 0 || watts > PACKAGE_WATTS_MAX ? undefined : watts;
};

const PACKAGE_WATTS_MAX = 2_000;

// Power of the whole machine, if one sensor is known to measure it: a server's ACPI power meter, the input rail of a
// Jetson, the total of an Apple system controller, or a battery while the machine runs on it.
type PowerSource =
  | { readonly kind: 'power'; readonly path: string; readonly name: string }
  | {
      readonly kind: 'rail';
      readonly millivolts: string;
      readonly milliamperes: string;
      readonly name: string;
    }
  | { readonly kind: 'battery'; readonly folder: string; readonly name: string };

const findSystemPower = (files: MachineFiles): PowerSource | undefined =>
  findMonitor(files) ?? findBattery(files);

const readSystemPower = async (
  files: MachineFiles,
  source: PowerSource | undefined,
): Promise<Reported<number>> => {
  if (source === undefined) return unknown('no sensor for the whole machine');
  switch (source.kind) {
    case 'power':
      return await wattsIn(files, source.path, MICRO);
    case 'rail':
      return await productIn(files, source.millivolts, source.milliamperes, MILLI * MILLI);
    case 'battery': {
      const status = textOr(await files.text(`${source.folder}/status`), '');
      if (status !== 'Discharging') return unknown('on AC power, which is not measured');
      const watts = await wattsIn(files, `${source.folder}/power_now`, MICRO);
      if (isKnown(watts)) return watts;
      return await productIn(
        files,
        `${source.folder}/voltage_now`,
        `${source.folder}/current_now`,
        MICRO * MICRO,
      );
    }
    default:
      return source satisfies never;
  }
};

const findMonitor = (files: MachineFiles): PowerSource | undefined => {
  for (const { path, name, attributes } of hardwareMonitors(files)) {
    if (name === 'power_meter') {
      const input = ['power1_average', 'power1_input'].find(attribute => attributes.includes(attribute));
      if (input !== undefined) return { kind: 'power', path: `${path}/${input}`, name };
    }
    for (const attribute of attributes) {
      const label = /^(power|in)(\d+)_label$/.exec(attribute);
      if (label === null) continue;
      const text = textOr(files.textNow(`${path}/${attribute}`), '');
      const [, quantity, number] = label;
      if (quantity === 'power' && text === 'Total System Power') {
        return { kind: 'power', path: `${path}/power${number}_input`, name: `${name} ${text}` };
      }
      if (quantity === 'in' && (text === 'VDD_IN' || text === 'POM_5V_IN')) {
        return {
          kind: 'rail',
          millivolts: `${path}/in${number}_input`,
          milliamperes: `${path}/curr${number}_input`,
          name: `${name} ${text}`,
        };
      }
    }
  }
  return undefined;
};

const findBattery = (files: MachineFiles): PowerSource | undefined => {
  const supplies = files.namesNow('/sys/class/power_supply');
  if (isUnreadable(supplies)) return undefined;
  for (const supply of [...supplies].sort()) {
    const folder = `/sys/class/power_supply/${supply}`;
    if (textOr(files.textNow(`${folder}/type`), '') !== 'Battery') continue;
    // A mouse or a headset has a battery too: its scope is "Device".
    if (textOr(files.textNow(`${folder}/scope`), 'System') !== 'System') continue;
    return { kind: 'battery', folder, name: `battery ${supply}` };
  }
  return undefined;
};

const wattsIn = async (files: MachineFiles, path: string, unit: number): Promise<Reported<number>> => {
  const text = await files.text(path);
  if (isUnreadable(text)) return notRead(text);
  const value = digitsIn(text.trim());
  return value === undefined ? unknown(`${path} is not a number`) : value * unit;
};

const productIn = async (
  files: MachineFiles,
  pathA: string,
  pathB: string,
  unit: number,
): Promise<Reported<number>> => {
  const [a, b] = await Promise.all([wattsIn(files, pathA, 1), wattsIn(files, pathB, 1)]);
  return !isKnown(a) ? a : !isKnown(b) ? b : a * b * unit;
};

const MILLI = 1e-3;
const MICRO = 1e-6;
