// What the profile history can show of a device: its compute or its memory, each with up to two figures in one unit.

import { maximumOf } from '../../../src/core/extremes.ts';
import { type Figure, formatBytesPerSecond, formatFlopsPerSecond } from '../../../src/core/figure/figure.ts';
import { BANDWIDTH, FP16_RATE, FP32_RATE } from '../../../src/core/node/gpu-profile.ts';
import { gpusOf } from '../../../src/core/node/memory-use.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import type { DeviceFigure } from '../../../src/core/probe/unusual-figures.ts';
import type { FigurePoint } from '../../../src/wire/api/figure-points.ts';
import type { PastPoint } from '../chart/past-chart.ts';
import { type Change, changeOf } from './profile-history.ts';
import type { RequestedDevice } from './profile-store.svelte.ts';

interface ProfileMeasure {
  readonly kind: 'memory' | 'compute';
  readonly title: string;
  readonly figures: readonly DeviceFigure[];
  /** Of the lines, one a figure. */
  readonly names: readonly string[];
  readonly format: (value: number) => Figure;
  readonly scales: readonly { readonly of: number; readonly unit: string }[];
}

export const MEMORY: ProfileMeasure = {
  kind: 'memory',
  title: 'memory bandwidth',
  figures: [BANDWIDTH.figure, 'memoryCopyBytesPerSecond'],
  names: ['read', 'copy'],
  format: formatBytesPerSecond,
  scales: [
    { of: 1e12, unit: 'TB/s' },
    { of: 1e9, unit: 'GB/s' },
    { of: 1e6, unit: 'MB/s' },
  ],
};

const COMPUTE: ProfileMeasure = {
  kind: 'compute',
  title: 'compute',
  figures: [FP16_RATE.figure, FP32_RATE.figure],
  names: ['FP16', 'FP32'],
  format: formatFlopsPerSecond,
  scales: [
    { of: 1e15, unit: 'PFLOPS' },
    { of: 1e12, unit: 'TFLOPS' },
    { of: 1e9, unit: 'GFLOPS' },
  ],
};

export const MEASURES: readonly ProfileMeasure[] = [MEMORY, COMPUTE];

interface HistoryDevice extends RequestedDevice {
  readonly name: string;
}

/** The GPUs, and the processor where it was measured or nothing else can be. */
export const historyDevices = (view: NodeView): readonly HistoryDevice[] => {
  const gpus = gpusOf(view).map(({ device, profile }) => ({
    deviceId: device.deviceId,
    name: `GPU ${device.index}`,
    receivedAtMs: profile?.receivedAtMs,
  }));
  const { profile } = view.cpu;
  return gpus.length > 0 && profile === undefined
    ? gpus
    : [...gpus, { deviceId: 'cpu', name: 'CPU', receivedAtMs: profile?.receivedAtMs }];
};

export interface Choice {
  readonly deviceId: string;
  readonly measure: ProfileMeasure;
  readonly change: Change | undefined;
}

/** Each device with each measure. The change shown is that of the figure that fell most. */
export const measureChoices = (
  devices: readonly HistoryDevice[],
  points: ReadonlyMap<string, readonly FigurePoint[]>,
): readonly Choice[] =>
  devices.flatMap(({ deviceId }) =>
    MEASURES.map(measure => {
      const changes = measure.figures.flatMap(name => changeOf(points.get(deviceId) ?? [], name) ?? []);
      return { deviceId, measure, change: changes.toSorted((a, b) => a.share - b.share)[0] };
    }),
  );

/** What fell most, if anything did; else the first device that has a past. */
export const firstChoice = (
  choices: readonly Choice[],
  points: ReadonlyMap<string, readonly FigurePoint[]>,
): Choice | undefined =>
  choices
    .filter(({ change }) => change !== undefined && change.share < 0)
    .toSorted((a, b) => (a.change?.share ?? 0) - (b.change?.share ?? 0))[0] ??
  choices.find(({ deviceId, measure }) => pointsFor(points.get(deviceId) ?? [], measure).length > 1) ??
  choices[0];

/** The points that contain at least one of the measure's figures. */
export const pointsFor = (
  points: readonly FigurePoint[],
  { figures }: ProfileMeasure,
): readonly PastPoint[] =>
  points.flatMap(point => {
    const values = figures.map(name => point.figures[name]);
    return values.some(value => value !== undefined) ? [{ atMs: point.atMs, values }] : [];
  });

/** The unit used for all the points. */
export const scaleOf = (
  points: readonly PastPoint[],
  { scales }: ProfileMeasure,
): { readonly of: number; readonly unit: string } => {
  const highest = maximumOf([0, ...points.flatMap(({ values }) => values.map(value => value ?? 0))]);
  return scales.find(({ of }) => highest >= of) ?? scales.at(-1) ?? { of: 1, unit: '' };
};
