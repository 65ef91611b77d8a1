// One line of `tegrastats`, as the Jetson Linux Developer Guide describes it ("Tegrastats Utility", releases 35 and 36, for
// JetPack 5 and 6). Written from that description and not verified on hardware. Fields differ by module and release: what is
// not on the line is unknown. Memory, processors and power of the board are on it too; those come from procfs and
// hwmon.

import { maximumOf } from '../../core/extremes.ts';
import type { GpuLoad } from '../../core/node/gpu.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { NO_PCIE_LINK, UNIFIED_MEMORY } from '../nvidia/parse-inventory.ts';
import { answered, type ToolAnswer, unanswered } from '../tool-output.ts';

export const parseTegrastats = (line: string, deviceId: string): ToolAnswer<GpuLoad> => {
  if (!/\bRAM \d+\/\d+MB\b/.test(line)) return unanswered('tegrastats printed a line without its figures');
  const engine = /\bGR3D_FREQ (?:(\d{1,3})%)?(?:@\[?([\d,]{1,60})\]?)?/.exec(line);
  return answered({
    deviceId,
    use: shareOf(engine?.[1]),
    memoryUsedBytes: unknown(UNIFIED_MEMORY),
    memoryReservedUsedBytes: unknown(NOT_REPORTED),
    temperatureCelsius: temperatureIn(line),
    powerWatts: powerIn(line),
    clockMhz: highestOf(engine?.[2]),
    pcieNow: unknown(NO_PCIE_LINK),
    throttleReasons: unknown(NOT_REPORTED),
    processes: unknown(NOT_REPORTED),
  });
};

const shareOf = (percent: string | undefined): Reported<number> => {
  if (percent === undefined) return unknown(NOT_REPORTED);
  const share = Number(percent) / 100;
  return share <= 1 ? share : unknown(`not a share: ${percent} %`);
};

/** "305", or one clock for each cluster of the GPU: "1300,1300". Not on every line of every release. */
const highestOf = (clocks: string | undefined): Reported<number> => {
  const known = (clocks ?? '').split(',').filter(clock => /^\d{1,5}$/.test(clock));
  return known.length === 0 ? unknown(NOT_REPORTED) : maximumOf(known.map(Number));
};

/** "gpu@49.625C", capitals in release 35. A sensor that is off reads -256. */
const temperatureIn = (line: string): Reported<number> => {
  const text = /(?:^|\s)gpu@(-?\d{1,3}(?:\.\d{1,3})?)C/i.exec(line)?.[1];
  if (text === undefined) return unknown(NOT_REPORTED);
  const celsius = Number(text);
  return celsius > CELSIUS_MIN ? celsius : unknown('the sensor is off');
};

/**
 * "NAME 512mW/1944mW", now and on average; without units before release 34. Most modules have no rail for the GPU
 * alone.
 */
const powerIn = (line: string): Reported<number> => {
  const own = /(?:^|\s)(?:GPU|VDD_GPU|VDD_SYS_GPU|POM_5V_GPU) (\d{1,6})(?:mW)?\//.exec(line)?.[1];
  if (own !== undefined) return Number(own) / 1_000;
  const shared = /(?:^|\s)(VDD_\w*GPU\w*) \d/.exec(line)?.[1];
  return unknown(
    shared === undefined ? NOT_REPORTED : `measured only together with other parts of the chip (${shared})`,
  );
};

const NOT_REPORTED = 'tegrastats does not report it';
const CELSIUS_MIN = -60;
