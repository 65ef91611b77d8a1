// The energy of a run from what a node's sensors reported: integrated over the window, summed by scope,
// divided by requests and tokens, and judged: whether it is complete, and whether it is only the server's.

import { formatMeasuredNanoseconds } from '../figure/duration.ts';
import { counted, figureText, formatCount } from '../figure/figure.ts';
import { capitalized } from '../text/single-line.ts';
import { isKnown, isUnknown, type Reported, reportedSum, type Unknown, unknown } from '../unknown.ts';
import {
  ENERGY_SCOPES,
  type EnergyReason,
  type EnergyScope,
  type MeterEnergy,
  type RunEnergy,
  type ScopeEnergy,
} from './energy.ts';
import { type PowerReading, type PowerWindow, powerIn, type WindowPower } from './integrate-power.ts';

export interface PowerMeter {
  readonly scope: EnergyScope;
  readonly name: string;
  /**
   * Oldest first, including readings from before the run. Unknown: there is no such sensor, or it reports
   * nothing.
   */
  readonly readings: Reported<readonly PowerReading[]>;
  /** Mean utilization of a GPU in the window, 0..1. */
  readonly use: Reported<number>;
}

export interface EnergySources {
  readonly node: string;
  readonly window: PowerWindow;
  /** Start of everything that belongs to the run: the time before it is idle time. */
  readonly beganMs: number;
  readonly meters: readonly PowerMeter[];
  readonly answered: AnsweredLoad;
  /** Other load that was seen there. */
  readonly others: readonly EnergyReason[];
  /** The last seconds of a run in progress: not judged by their short duration. */
  readonly isLive?: boolean;
}

export interface AnsweredLoad {
  readonly requests: number;
  readonly inputTokens: Reported<number>;
  readonly outputTokens: Reported<number>;
}

export const accountEnergy = (sources: EnergySources): RunEnergy => {
  const { node, window, meters, answered } = sources;
  const windowMs = Math.max(0, window.untilMs - window.fromMs);
  const measured = meters.map(meter => measuredMeter(meter, sources));
  const reasons = [
    ...(sources.isLive === true ? [] : shortReasons(windowMs, measured)),
    ...measured.flatMap(meterReasons),
    ...idleReasons(measured),
    ...sources.others,
  ];
  const scopes = ENERGY_SCOPES.flatMap(scope => {
    const own = measured.filter(({ meter }) => meter.scope === scope);
    return own.length === 0 ? [] : [scopeEnergy(scope, own, answered, reasons)];
  });
  return { node, windowMs, meters: measured.map(({ energy }) => energy), scopes, reasons };
};

interface MeasuredMeter {
  readonly meter: PowerMeter;
  readonly power: WindowPower;
  readonly energy: MeterEnergy;
}

const measuredMeter = (meter: PowerMeter, { window, beganMs }: EnergySources): MeasuredMeter => {
  const { scope, name, readings } = meter;
  const power = isUnknown(readings) ? nothingReported(readings) : powerIn(readings, window);
  const rest = isUnknown(readings)
    ? nothingReported(readings)
    : powerIn(readings, { fromMs: beganMs - REST_MS, untilMs: beganMs });
  const { joules, wattsMean, wattsMax, coveredShare } = power;
  const energy = {
    scope,
    name,
    joules,
    wattsMean,
    wattsMax,
    idleWatts: isUnknown(rest.wattsMean) ? unknown('nothing was read before the run began') : rest.wattsMean,
    readings: power.readings,
    coveredShare,
  };
  return { meter, power, energy };
};

const nothingReported = (reason: Unknown): WindowPower => ({
  readings: 0,
  coveredShare: 0,
  joules: reason,
  wattsMean: reason,
  wattsMin: reason,
  wattsMax: reason,
  isStuck: false,
});

const scopeEnergy = (
  scope: EnergyScope,
  own: readonly MeasuredMeter[],
  answered: AnsweredLoad,
  reasons: readonly EnergyReason[],
): ScopeEnergy => {
  const joules = reportedSum(own.map(({ energy }) => energy.joules));
  const by = (count: Reported<number>, none: string): Reported<number> => {
    if (isUnknown(joules)) return joules;
    if (isUnknown(count)) return count;
    return count > 0 ? joules / count : unknown(none);
  };
  const { inputTokens, outputTokens } = answered;
  const tokens = reportedSum([inputTokens, outputTokens]);
  return {
    scope,
    isValid: isKnown(joules) && !reasons.some(({ scopes }) => scopes.includes(scope)),
    joules,
    joulesError: reportedSum(own.map(({ power, energy }) => edgeError(power, energy.idleWatts))),
    joulesPerRequest: by(answered.requests, 'no request completed'),
    joulesPerOutputToken: by(outputTokens, 'no token came'),
    joulesPerToken: by(tokens, 'no token came'),
    wattsMean: reportedSum(own.map(({ energy }) => energy.wattsMean)),
    idleWatts: reportedSum(own.map(({ energy }) => energy.idleWatts)),
  };
};

/** Half a second at each end may be on the wrong side, and differ by as much as readings do. */
const edgeError = ({ wattsMin, wattsMax }: WindowPower, idleWatts: Reported<number>): Reported<number> => {
  if (isUnknown(wattsMin)) return wattsMin;
  if (isUnknown(wattsMax)) return wattsMax;
  const least = isUnknown(idleWatts) ? 0 : Math.min(wattsMin, idleWatts);
  return (wattsMax - least) * EDGES_SECONDS;
};

const shortReasons = (windowMs: number, measured: readonly MeasuredMeter[]): readonly EnergyReason[] =>
  windowMs >= WINDOW_MS_LEAST || measured.length === 0
    ? []
    : [
        {
          code: 'short',
          scopes: scopesOf(measured),
          problem: `The run was measured for ${figureText(formatMeasuredNanoseconds(windowMs * 1e6))}, and power is read once a second`,
        },
      ];

const meterReasons = ({ meter, power }: MeasuredMeter): readonly EnergyReason[] => {
  const reason = (code: string, problem: string): readonly EnergyReason[] => [
    { code, scopes: [meter.scope], problem: `${capitalized(meter.name)}: ${problem}` },
  ];
  if (isUnknown(meter.readings)) return reason('no-reading', meter.readings.reason);
  if (power.readings === 0) return reason('no-reading', 'the sensor reported nothing in that time');
  const missing = 1 - power.coveredShare;
  if (missing > GAP_SHARE_LEAST)
    return reason('gap', `readings are missing for ${(100 * missing).toFixed(0)} % of the time`);
  if (power.isStuck) return reason('stuck', `all ${counted(power.readings, 'reading')} are the same figure`);
  return [];
};

/** Which device the server uses is not reported; idle devices are in the sum too. */
const idleReasons = (measured: readonly MeasuredMeter[]): readonly EnergyReason[] => {
  const gpus = measured.filter(({ meter }) => meter.scope === 'gpu');
  const idle = gpus.filter(({ meter }) => isKnown(meter.use) && meter.use < USE_LEAST);
  return idle.length === 0
    ? []
    : [
        {
          code: 'idle-devices',
          scopes: ['gpu'],
          problem: `${formatCount(idle.length)} of ${counted(gpus.length, 'GPU')} were nearly idle, and their power is in the sum`,
        },
      ];
};

const scopesOf = (measured: readonly MeasuredMeter[]): readonly EnergyScope[] =>
  ENERGY_SCOPES.filter(scope => measured.some(({ meter }) => meter.scope === scope));

const REST_MS = 30_000;
/** Each edge is known to half a second: of a shorter window that is more than a tenth. */
const WINDOW_MS_LEAST = 10_000;
const EDGES_SECONDS = 1;
const GAP_SHARE_LEAST = 0.05;
const USE_LEAST = 0.02;
