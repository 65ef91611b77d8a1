// The power sensors of a node with their readings, and what else may have drawn power there apart from the
// server: from the node's readings and the last quarter of an hour of them.

import { counted, ofCount } from '../figure/figure.ts';
import type { HistorySeries } from '../live-history.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { isUnknown, knownOr, type Reported, unknown } from '../unknown.ts';
import type { PowerMeter } from './account-energy.ts';
import { type EnergyReason, type EnergyScope, METERS_MAX } from './energy.ts';
import type { PowerReading, PowerWindow } from './integrate-power.ts';
import type { Run } from './run.ts';

/** Values of series by their second, oldest first, on the caller's clock. */
export class PowerHistory {
  readonly #series = new Map<string, PowerReading[]>();

  /**
   * Values that are already there are not replaced.
   * @param nowMs of the history's own clock
   * @param offsetMs from that clock to the caller's
   */
  add({ series }: HistorySeries, nowMs: number, offsetMs: number): void {
    const lastMs = Math.floor(nowMs / 1_000) * 1_000 + HALF_SECOND_MS + offsetMs;
    for (const [name, values] of Object.entries(series)) {
      if (!/(PowerWatts| powerWatts| use)$/.test(name)) continue;
      const spans = this.#series.get(name) ?? [];
      this.#series.set(name, spans);
      const validUntilMs = spans.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
      for (const [at, watts] of values.entries()) {
        const atMs = lastMs - (values.length - 1 - at) * 1_000;
        // The seconds of two replies differ by their transfer times.
        if (watts !== null && atMs > validUntilMs + HALF_SECOND_MS && spans.length < READINGS_MAX)
          spans.push({ atMs, watts });
      }
    }
  }

  of(name: string): readonly PowerReading[] {
    return this.#series.get(name) ?? [];
  }
}

export const nodeMeters = (
  view: NodeView,
  history: PowerHistory,
  window: PowerWindow,
): readonly PowerMeter[] => {
  const system = knownValue(view.system);
  const reported = (
    name: string,
    newest: Reported<number> | undefined,
  ): Reported<readonly PowerReading[]> => {
    const readings = history.of(name);
    if (readings.length > 0) return readings;
    if (newest === undefined) return unknown('not reported by the node');
    return isUnknown(newest) ? newest : unknown('no readings of it were stored');
  };
  const gpus = view.gpus
    .flatMap(({ devices }) => devices)
    .map(
      ({ device: { deviceId, name }, load }): PowerMeter => ({
        scope: 'gpu',
        name: `${name} ${deviceId}`,
        readings: reported(`gpu ${deviceId} powerWatts`, load?.powerWatts),
        use: meanIn(history.of(`gpu ${deviceId} use`), window),
      }),
    );
  const others = [
    { scope: 'processor', name: 'processor packages', series: 'cpuPowerWatts' },
    { scope: 'machine', name: 'the whole machine', series: 'systemPowerWatts' },
  ] as const;
  return [
    ...gpus.slice(0, METERS_MAX - others.length),
    ...others.map(
      ({ scope, name, series }): PowerMeter => ({
        scope,
        name,
        readings: reported(series, system?.[series]),
        use: unknown('not of a GPU'),
      }),
    ),
  ];
};

/**
 * Only seconds in which all sensors of a scope reported: a sum over some of a node's devices is not the
 * node's.
 */
export const powerByScope = (
  meters: readonly PowerMeter[],
  { fromMs, untilMs }: PowerWindow,
): readonly { readonly seconds: number; readonly watts: ReadonlyMap<EnergyScope, number> }[] => {
  const sums = new Map<number, Map<EnergyScope, { watts: number; count: number }>>();
  const needed = Map.groupBy(meters, ({ scope }) => scope);
  for (const { scope, readings } of meters)
    for (const { atMs, watts } of isUnknown(readings) ? [] : readings) {
      if (atMs < fromMs || atMs > untilMs) continue;
      const at = sums.get(atMs) ?? new Map<EnergyScope, { watts: number; count: number }>();
      sums.set(atMs, at);
      const { watts: before, count } = at.get(scope) ?? { watts: 0, count: 0 };
      at.set(scope, { watts: before + watts, count: count + 1 });
    }
  return [...sums]
    .sort(([a], [b]) => a - b)
    .map(([atMs, of]) => ({
      seconds: (atMs - fromMs) / 1_000,
      watts: new Map(
        [...of].flatMap(([scope, { watts, count }]) =>
          count === needed.get(scope)?.length ? [[scope, watts] as const] : [],
        ),
      ),
    }));
};

interface SharedPower {
  readonly view: NodeView;
  /** The load came from this node too. */
  readonly isClientHere: boolean;
  /** Other runs against the same target. */
  readonly otherRuns: readonly Pick<Run, 'runId' | 'runName'>[];
}

/**
 * Other processes use part of the processors and of the machine; of a GPU only if it has several processes.
 */
export const sharedPower = ({ view, isClientHere, otherRuns }: SharedPower): readonly EnergyReason[] => {
  const all = ['gpu', 'processor', 'machine'];
  const busy = view.gpus
    .flatMap(({ devices }) => devices)
    .flatMap(({ device, load }) => {
      const processes = knownOr(load?.processes ?? [], []);
      return processes.length < 2 ? [] : [{ device, processes }];
    });
  return [
    ...(knownValue(view.identity)?.isSimulated === true
      ? [{ code: 'simulated', scopes: all, problem: `${view.name} is simulated, and so is its power` }]
      : []),
    ...(isClientHere
      ? [
          {
            code: 'client-here',
            scopes: ['processor', 'machine'],
            problem: `The load came from ${view.name} too, and its share of the power is not known`,
          },
        ]
      : []),
    ...(otherRuns.length === 0
      ? []
      : [
          {
            code: 'other-runs',
            scopes: all,
            problem: `Another run loaded ${view.name} at the same time: ${otherRuns
              .slice(0, NAMED_MAX)
              .map(({ runId }) => runId)
              .join(', ')}`,
          },
        ]),
    ...busy.map(({ device, processes }) => ({
      code: 'other-processes',
      scopes: ['gpu'],
      problem: `${counted(processes.length, 'process', 'processes')} ${ofCount(processes.length, 'is', 'are')} on ${device.name} ${device.deviceId}: ${processes
        .slice(0, NAMED_MAX)
        .map(({ pid, name }) => knownOr(name, `process ${pid}`))
        .join(', ')}`,
    })),
  ];
};

const meanIn = (readings: readonly PowerReading[], { fromMs, untilMs }: PowerWindow): Reported<number> => {
  const inside = readings.filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs);
  return inside.length === 0
    ? unknown('not reported')
    : inside.reduce((sum, { watts }) => sum + watts, 0) / inside.length;
};

/** A value was taken at some point in its second. */
const HALF_SECOND_MS = 500;
/** One day. */
const READINGS_MAX = 86_400;
const NAMED_MAX = 3;
