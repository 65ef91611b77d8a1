// What a fleet can carry, in three sums; the segments of a total are its groups.

import {
  type Figure,
  figureText,
  formatBytes,
  formatBytesOf,
  formatBytesPerSecond,
  formatFlopsPerSecond,
  formatPercent,
  UNKNOWN_FIGURE,
} from '../../../src/core/figure/figure.ts';
import type { FleetPicture, GroupLevels, GroupSums } from '../../../src/core/fleet/fleet-picture.ts';
import type { Total } from '../../../src/core/totals.ts';
import type { Segment } from '../chart/segment-bar.ts';
import type { Tile } from '../cluster/tiles.ts';

export const fleetTiles = ({
  roster,
  sums,
  levels,
}: Pick<FleetPicture, 'roster' | 'sums' | 'levels'>): readonly Tile[] => {
  const named = sums.map((sum, index) => ({
    sum,
    name: roster.groups[index]?.name ?? '',
    usedBytes: levels[index]?.usedBytes ?? 0,
    gpuUse: levels[index]?.gpuUse,
  }));
  const flops = totalOver(sums, sum => sum.flopsPerSecond);
  const bandwidth = totalOver(sums, sum => sum.bandwidthBytesPerSecond);
  const totalBytes = sums.reduce((all, sum) => all + sum.memoryTotalBytes, 0);
  const usedBytes = named.reduce((all, one) => all + one.usedBytes, 0);
  const busy = meanBusy(named);
  return [
    {
      name: 'FP16 compute',
      value: measured(flops, formatFlopsPerSecond),
      part: `${coverage(flops)}${busy === undefined ? '' : ` · ${figureText(formatPercent(busy))} busy`}`,
      segments: named.map(({ sum, name, gpuUse }) =>
        segment(name, sum.flopsPerSecond.sum, gpuUse, {
          figure: figureText(formatFlopsPerSecond(sum.flopsPerSecond.sum)),
          load: 'busy',
        }),
      ),
    },
    {
      name: 'Memory bandwidth',
      value: measured(bandwidth, formatBytesPerSecond),
      part: `${coverage(bandwidth)} · load not measured`,
      segments: named.map(({ sum, name }) =>
        segment(name, sum.bandwidthBytesPerSecond.sum, undefined, {
          figure: figureText(formatBytesPerSecond(sum.bandwidthBytesPerSecond.sum)),
          load: '',
        }),
      ),
    },
    {
      name: 'Memory',
      value: totalBytes === 0 ? UNKNOWN_FIGURE : formatBytes(totalBytes),
      part: totalBytes === 0 ? 'not read yet' : `${figureText(formatBytes(usedBytes))} used`,
      segments: named.map(({ sum, name, usedBytes }) =>
        segment(
          name,
          sum.memoryTotalBytes,
          sum.memoryTotalBytes === 0 ? undefined : usedBytes / sum.memoryTotalBytes,
          {
            figure: `${figureText(formatBytesOf(usedBytes, sum.memoryTotalBytes))} used`,
            load: '',
          },
        ),
      ),
    },
  ];
};

/** "45 % of 5.12 TB": of a group's head. */
export const groupMemoryText = (
  { modelMemoryBytes }: GroupSums,
  { memoryUse }: Pick<GroupLevels, 'memoryUse'>,
): string =>
  memoryUse === undefined || modelMemoryBytes === 0
    ? 'memory not read'
    : `${figureText(formatPercent(memoryUse))} of ${figureText(formatBytes(modelMemoryBytes))}`;

export const computeText = ({ flopsPerSecond }: GroupSums): string =>
  flopsPerSecond.knownCount === 0 ? '' : figureText(measured(flopsPerSecond, formatFlopsPerSecond));

const segment = (
  name: string,
  share: number,
  load: number | undefined,
  labels: { readonly figure: string; readonly load: string },
): Segment => ({
  share,
  load,
  lines: [
    name,
    share > 0 ? labels.figure : 'not measured yet',
    ...(load === undefined ? [] : [`${figureText(formatPercent(load))} ${labels.load}`.trim()]),
  ],
});

const totalOver = (sums: readonly GroupSums[], of: (sum: GroupSums) => Total): Total => {
  const totals = sums.map(of);
  return {
    sum: totals.reduce((all, { sum }) => all + sum, 0),
    knownCount: totals.reduce((all, { knownCount }) => all + knownCount, 0),
    count: totals.reduce((all, { count }) => all + count, 0),
    isLowerBound: totals.some(({ isLowerBound }) => isLowerBound),
  };
};

/** By nodes: a group of many weighs more. */
const meanBusy = (
  groups: readonly { readonly sum: GroupSums; readonly gpuUse: number | undefined }[],
): number | undefined => {
  const reported = groups.filter(({ gpuUse }) => gpuUse !== undefined);
  const nodes = reported.reduce((all, { sum }) => all + sum.upCount, 0);
  return nodes === 0
    ? undefined
    : reported.reduce((all, { gpuUse = 0, sum }) => all + gpuUse * sum.upCount, 0) / nodes;
};

const measured = (total: Total, format: (value: number) => Figure): Figure => {
  if (total.knownCount === 0) return UNKNOWN_FIGURE;
  const { figure, unit } = format(total.sum);
  return {
    figure: total.isLowerBound || total.knownCount < total.count ? `at least ${figure}` : figure,
    unit,
  };
};

const coverage = ({ knownCount, count }: Total): string => {
  if (count === 0) return 'no GPU found';
  const gpus = count === 1 ? '1 GPU' : `${count} GPUs`;
  return knownCount === count ? gpus : `${knownCount} of ${gpus}`;
};
