// The three totals of the cluster as tiles: a figure, what it covers, and a bar with one segment a node.

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
import { FIGURE_UNITS } from '../../../src/core/figure/figure-row.ts';
import { slowestCable } from '../../../src/core/link/link-share.ts';
import { linkShortfall } from '../../../src/core/link/link-shortfall.ts';
import { typeText } from '../../../src/core/link/link-text.ts';
import type { LinkView } from '../../../src/core/link/link-view.ts';
import { BANDWIDTH, FP16_RATE, FP32_RATE, type MeasureRow } from '../../../src/core/node/gpu-profile.ts';
import { allMemoryUse, gpusOf, ownMemoryGpus } from '../../../src/core/node/memory-use.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { type ClusterTotals, type Total, totalsOf } from '../../../src/core/totals.ts';
import { isKnown, knownOr } from '../../../src/core/unknown.ts';
import type { Segment } from '../chart/segment-bar.ts';
import { negotiatedText, type RateUnit, rateFigure } from '../link/link-text.ts';
import { currentGpuUse } from '../node/node-load.ts';

export interface Tile {
  readonly name: string;
  readonly value: Figure;
  readonly part: string;
  readonly segments: readonly Segment[];
}

export const tiles = (views: readonly NodeView[]): readonly Tile[] => {
  const totals = totalsOf(views);
  const here = views.filter(view => view.presence !== 'offline');
  return [computeTile(totals, here), bandwidthTile(totals, here), memoryTile(totals, here)];
};

const computeTile = (totals: ClusterTotals, views: readonly NodeView[]): Tile => {
  const use = meanUse(views);
  const busy = use === undefined ? '' : ` · ${figureText(formatPercent(use))} busy`;
  return {
    name: 'FP16 compute',
    value: measured(totals.gpuFlopsPerSecond, formatFlopsPerSecond),
    part: `${coverage(totals.gpuFlopsPerSecond, views)}${busy}${cpusApart(views, FP16_RATE)}`,
    segments: segmentsOf(views, {
      shareOf: view => profiled(view, FP16_RATE.figure),
      loadOf: currentGpuUse,
      format: formatFlopsPerSecond,
    }),
  };
};

const bandwidthTile = (totals: ClusterTotals, views: readonly NodeView[]): Tile => ({
  name: 'Memory bandwidth',
  value: measured(totals.gpuMemoryBytesPerSecond, formatBytesPerSecond),
  part: `${coverage(totals.gpuMemoryBytesPerSecond, views)}${totals.gpuMemoryBytesPerSecond.knownCount > 0 ? ' · load not measured' : ''}${cpusApart(views, BANDWIDTH)}`,
  segments: segmentsOf(views, {
    shareOf: view => profiled(view, BANDWIDTH.figure),
    loadOf: () => undefined,
    format: formatBytesPerSecond,
  }),
});

const memoryTile = (totals: ClusterTotals, views: readonly NodeView[]): Tile => {
  const { memoryTotalBytes: total, memoryUsedBytes: used } = totals;
  const gpuBytes = views
    .flatMap(ownMemoryGpus)
    .reduce((sum, gpu) => sum + knownOr(gpu.device.memoryTotalBytes, 0), 0);
  // Of what there is, not of what is used.
  const onGpus = gpuBytes > 0 ? ` · GPUs have ${figureText(formatBytes(gpuBytes))}` : '';
  return {
    name: 'Memory',
    value: total.knownCount === 0 ? UNKNOWN_FIGURE : formatBytes(total.sum),
    part: used.knownCount === 0 ? 'not read yet' : `${figureText(formatBytes(used.sum))} used${onGpus}`,
    segments: views.length === 0 ? UNKNOWN_SEGMENTS : views.map(memorySegment),
  };
};

const memorySegment = (view: NodeView): Segment => {
  const { totalBytes, usedBytes } = allMemoryUse(view) ?? { totalBytes: 0, usedBytes: 0 };
  if (totalBytes === 0) return { share: 0, load: undefined, lines: [view.name, 'not read yet'] };
  const load = usedBytes / totalBytes;
  const used = `${figureText(formatBytesOf(usedBytes, totalBytes))} used`;
  return { share: totalBytes, load, lines: [view.name, used, figureText(formatPercent(load))] };
};

const measured = (total: Total, format: (value: number) => Figure): Figure => {
  if (total.knownCount === 0) return UNKNOWN_FIGURE;
  const { figure, unit } = format(total.sum);
  return { figure: total.isLowerBound ? `at least ${figure}` : figure, unit };
};

const coverage = ({ knownCount, count }: Total, views: readonly NodeView[]): string => {
  if (count === 0)
    return views.some(({ absentGpus }) => absentGpus.length > 0) ? 'no GPU found' : 'GPUs not detected yet';
  const gpus = count === 1 ? '1 GPU' : `${count} GPUs`;
  return knownCount === count ? gpus : `${knownCount} of ${gpus} measured`;
};

/** Processors of machines without a GPU: shown next to the sum, never included in it. */
const cpusApart = (views: readonly NodeView[], { figure, unit }: MeasureRow): string => {
  const values = views.flatMap(({ cpu }) => {
    const profile = cpu.profile?.value;
    if (profile === undefined) return [];
    const [value, single] = [profile[figure], profile[FP32_RATE.figure]];
    if (isKnown(value)) return value;
    return figure === FP16_RATE.figure && isKnown(single) ? single : [];
  });
  if (values.length === 0) return '';
  const cpus = ` · ${values.length === 1 ? 'CPU' : `${values.length} CPUs`} apart`;
  // Next to GPUs there is no room for a second figure; the pages of the nodes have theirs.
  if (views.some(view => gpusOf(view).length > 0)) return cpus;
  return `${cpus}: ${figureText(FIGURE_UNITS[unit].format(values.reduce((total, value) => total + value, 0)))}`;
};

const segmentsOf = (
  views: readonly NodeView[],
  {
    shareOf,
    loadOf,
    format,
  }: {
    readonly shareOf: (view: NodeView) => number;
    readonly loadOf: (view: NodeView) => number | undefined;
    readonly format: (value: number) => Figure;
  },
): readonly Segment[] => {
  const withGpus = views.filter(view => gpusOf(view).length > 0);
  if (withGpus.length === 0) return UNKNOWN_SEGMENTS;
  return withGpus.map(view => {
    const [share, load] = [shareOf(view), loadOf(view)];
    const figure = share > 0 ? figureText(format(share)) : 'not measured yet';
    const busy = load === undefined ? [] : [`${figureText(formatPercent(load))} busy`];
    return { share, load, lines: [view.name, figure, ...busy] };
  });
};

const profiled = (view: NodeView, figure: MeasureRow['figure']): number =>
  gpusOf(view).reduce(
    (sum, gpu) => sum + (gpu.profile === undefined ? 0 : knownOr(gpu.profile.value[figure], 0)),
    0,
  );

const meanUse = (views: readonly NodeView[]): number | undefined => {
  const uses = views.map(currentGpuUse).filter(use => use !== undefined);
  return uses.length === 0 ? undefined : uses.reduce((sum, use) => sum + use, 0) / uses.length;
};

const UNKNOWN_SEGMENTS: readonly Segment[] = [{ share: 1, load: undefined, lines: [] }];

// What a cluster's owner looks for first: the cable with the smallest share of its expected rate.
export interface SlowestTile {
  /** Of the link. */
  readonly key: string;
  readonly value: Figure;
  readonly from: string;
  readonly to: string;
  /** Of what it should carry: "49 %" */
  readonly share: string;
  /** The same as one sentence. */
  readonly reported: string;
  readonly isFlagged: boolean;
}

export const slowestTile = (
  links: readonly LinkView[],
  { nameOf, unit }: { readonly nameOf: (id: string) => string; readonly unit: RateUnit },
): SlowestTile | undefined => {
  const slowest = slowestCable(links);
  if (slowest === undefined) return undefined;
  const { link, direction, figure } = slowest;
  const [one, other] = [nameOf(link.nodes[0]), nameOf(link.nodes[1])];
  const [from, to] = direction === 'there' ? [one, other] : [other, one];
  const value = rateFigure(figure.value, unit);
  const negotiated = negotiatedText(figure.of, unit);
  const share = figureText(formatPercent(slowest.share));
  return {
    key: link.key,
    value,
    from,
    to,
    share,
    reported: `${from}→${to} carries ${figureText(value)} of ${negotiated} (${typeText(figure.of)}), ${share} of what it should`,
    isFlagged: linkShortfall(link) !== undefined,
  };
};
