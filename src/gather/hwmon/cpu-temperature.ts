// Which sensor reports the processor's temperature. Names are those of kernel drivers (Documentation/hwmon); the list
// runs from sensors inside the processor to the firmware's, which may measure the board and comes last.

import { isUnreadable, type MachineFiles, textOr } from '../machine-files.ts';

interface SensorFile {
  /** Path of the attribute that holds the value. */
  readonly path: string;
  /** For people: "k10temp Tctl". */
  readonly name: string;
}

/** The sensors to read (one per socket); their highest value is the processor's. Empty if there is none. */
export const findCpuTemperatureSensors = (files: MachineFiles): readonly SensorFile[] => {
  const chips = hardwareMonitors(files);
  for (const { chip, labels } of CPU_CHIPS) {
    const sensors = chips
      .filter(candidate => candidate.name === chip)
      .flatMap(candidate => chooseInput(files, candidate, labels));
    if (sensors.length > 0) return sensors;
  }
  return thermalZones(files);
};

interface HardwareMonitor {
  readonly path: string;
  readonly name: string;
  readonly attributes: readonly string[];
}

export const hardwareMonitors = (files: MachineFiles): readonly HardwareMonitor[] => {
  const names = files.namesNow('/sys/class/hwmon');
  if (isUnreadable(names)) return [];
  return [...names].sort().flatMap(folder => {
    const path = `/sys/class/hwmon/${folder}`;
    const attributes = files.namesNow(path);
    const name = textOr(files.textNow(`${path}/name`), undefined);
    return isUnreadable(attributes) || name === undefined ? [] : [{ path, name, attributes }];
  });
};

/** Millidegrees to degrees; undefined for values that no running processor can have. */
export const parseMillidegrees = (text: string): number | undefined => {
  if (!/^-?\d{1,7}$/.test(text)) return undefined;
  const celsius = Number(text) / 1000;
  return celsius > CELSIUS_MIN && celsius < CELSIUS_MAX ? celsius : undefined;
};

const chooseInput = (
  files: MachineFiles,
  monitor: HardwareMonitor,
  labels: readonly string[],
): readonly SensorFile[] => {
  const inputs = monitor.attributes.filter(name => /^temp\d+_input$/.test(name)).sort();
  const labelled = inputs.map(input => ({
    path: `${monitor.path}/${input}`,
    label: textOr(files.textNow(`${monitor.path}/${input.replace('_input', '_label')}`), ''),
  }));
  for (const label of labels) {
    const found = labelled.find(input => input.label.startsWith(label));
    if (found !== undefined) return [{ path: found.path, name: `${monitor.name} ${found.label}`.trim() }];
  }
  const first = labelled[0];
  return first === undefined ? [] : [{ path: first.path, name: `${monitor.name} ${first.label}`.trim() }];
};

const thermalZones = (files: MachineFiles): readonly SensorFile[] => {
  const names = files.namesNow('/sys/class/thermal');
  if (isUnreadable(names)) return [];
  const zones = [...names]
    .filter(name => /^thermal_zone\d+$/.test(name))
    .sort()
    .map(name => ({
      path: `/sys/class/thermal/${name}/temp`,
      type: textOr(files.textNow(`/sys/class/thermal/${name}/type`), ''),
    }));
  for (const pattern of CPU_ZONES) {
    const found = zones.filter(zone => pattern.test(zone.type));
    if (found.length > 0) return found.map(({ path, type }) => ({ path, name: `thermal zone ${type}` }));
  }
  return [];
};

/** Tdie before Tctl: on some Ryzen parts Tctl carries an offset of up to 27 °C for the fans. */
const CPU_CHIPS: readonly { readonly chip: string; readonly labels: readonly string[] }[] = [
  { chip: 'coretemp', labels: ['Package id'] },
  { chip: 'k10temp', labels: ['Tdie', 'Tctl'] },
  { chip: 'zenpower', labels: ['Tdie', 'Tctl'] },
  { chip: 'cpu_thermal', labels: [] },
  { chip: 'cpu-thermal', labels: [] },
  { chip: 'soc_thermal', labels: [] },
  { chip: 'macsmc_hwmon', labels: ['CPU'] },
  { chip: 'acpitz', labels: [] },
];

const CPU_ZONES: readonly RegExp[] = [
  /^x86_pkg_temp$/,
  /^cpu[-_]?(?:therm|[0-9])/i,
  /^soc[-_]?therm/i,
  /^acpitz$/,
];

const CELSIUS_MIN = -60;
const CELSIUS_MAX = 150;
