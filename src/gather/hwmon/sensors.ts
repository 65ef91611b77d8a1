// The sensors of a machine, read together at each interval. Some are answered by slow firmware: a read waits for them
// only briefly, continues with the last value, and never queries again while a query is open.

import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/until-aborted.ts';
import { maximumOf } from '../../core/extremes.ts';
import { type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { digitsIn, isUnreadable, type KeptFile, type MachineFiles, notRead } from '../machine-files.ts';
import { findCpuTemperatureSensors, parseMillidegrees } from './cpu-temperature.ts';
import { type EnergyReading, findPackageCounters, wattsBetween } from './rapl.ts';
import { findSystemPower, type PowerSource, readSystemPower } from './system-power.ts';

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
