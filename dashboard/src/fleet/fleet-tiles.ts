// What a fleet can carry, in three sums; the holds of a total are its groups.

import type { Figure } from '../../../src/core/figure/figure.ts';
import {
  figureText,
  formatBytes,
  formatBytesOf,
  formatBytesPerSecond,
  formatFlopsPerSecond,
  formatPercent,
  UNKNOWN_FIGURE,
} from '../../../src/core/figure/figure.ts';
import type { FleetPicture, GroupSums } from '../../../src/core/fleet/fleet-picture.ts';
import type { Total } from '../../../src/core/totals.ts';
import type { Hold } from '../chart/hull-bar.ts';
import type { Tile } from '../cluster/tiles.ts';

export const fleetTiles = ({ roster, sums }: Pick<FleetPicture, 'roster' | 'sums'>): readonly Tile[] => {
  const named = sums.map((sum, index) => ({ sum, name: roster.groups[index]?.name ?? '' }));
  const flops = totalOver(sums, sum => sum.flopsPerSecond);
  const bandwidth = totalOver(sums, sum => sum.bandwidthBytesPerSecond);
  const totalBytes = sums.reduce((all, sum) => all + sum.memoryTotalBytes, 0);
  const usedBytes = sums.reduce((all, sum) => all + sum.memoryUsedBytes, 0);
  const busy = meanBusy(sums);
  return [
    {
      name: 'FP16 compute',
      value: measured(flops, formatFlopsPerSecond),
      part: `${coverage(flops)}${busy === undefined ? '' : ` · ${figureText(formatPercent(busy))} busy`}`,
      holds: named.map(({ sum, name }) =>
        hold(name, sum.flopsPerSecond.sum, sum.gpuUse, {
          figure: figureText(formatFlopsPerSecond(sum.flopsPerSecond.sum)),
          load: 'busy',
        }),
      ),
    },
    {
      name: 'Memory bandwidth',
      value: measured(bandwidth, formatBytesPerSecond),
      part: `${coverage(bandwidth)} · load not measured`,
      holds: named.map(({ sum, name }) =>
        hold(name, sum.bandwidthBytesPerSecond.sum, undefined, {
          figure: figureText(formatBytesPerSecond(sum.bandwidthBytesPerSecond.sum)),
          load: '',
        }),
      ),
    },
    {
      name: 'Memory',
      value: totalBytes === 0 ? UNKNOWN_FIGURE : formatBytes(totalBytes),
      part: totalBytes === 0 ? 'not read yet' : `${figureText(formatBytes(usedBytes))} used`,
      holds: named.map(({ sum, name }) =>
        hold(
          name,
          sum.memoryTotalBytes,
          sum.memoryTotalBytes === 0 ? undefined : sum.memoryUsedBytes / sum.memoryTotalBytes,
          {
            figure: `${figureText(formatBytesOf(sum.memoryUsedBytes, sum.memoryTotalBytes))} used`,
            load: '',
          },
        ),
      ),
    },
  ];
};

/** "45 % of 5.12 TB": of a group's head. */
export const groupMemoryWords = ({ memoryTotalBytes, memoryUsedBytes }: GroupSums): string =>
  memoryTotalBytes === 0
    ? 'memory not read'
    : `${figureText(formatPercent(memoryUsedBytes / memoryTotalBytes))} of ${figureText(formatBytes(memoryTotalBytes))}`;

export const computeWords = ({ flopsPerSecond }: GroupSums): string =>
  flopsPerSecond.knownCount === 0 ? '' : figureText(measured(flopsPerSecond, formatFlopsPerSecond));

const hold = (
  name: string,
  share: number,
  load: number | undefined,
  words: { readonly figure: string; readonly load: string },
): Hold => ({
  share,
  load,
  lines: [
    name,
    share > 0 ? words.figure : 'not measured yet',
    ...(load === undefined ? [] : [`${figureText(formatPercent(load))} ${words.load}`.trim()]),
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
const meanBusy = (sums: readonly GroupSums[]): number | undefined => {
  const told = sums.filter(({ gpuUse }) => gpuUse !== undefined);
  const nodes = told.reduce((all, { upCount }) => all + upCount, 0);
  return nodes === 0
    ? undefined
    : told.reduce((all, { gpuUse = 0, upCount }) => all + gpuUse * upCount, 0) / nodes;
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
