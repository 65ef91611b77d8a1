// `plimsoll top`: the whole cluster on one screen, live. If the terminal is too small, the least important parts are
// dropped first, and every table states how much is not shown.

import {
  type ServingEngine,
  type ServingWatch,
  secondNodeLabel,
  servingLabel,
} from '../core/engine/second-node.ts';
import {
  counted,
  figureText,
  formatBytes,
  formatBytesPerSecond,
  formatFlopsPerSecond,
  UNKNOWN_FIGURE,
} from '../core/figure/figure.ts';
import {
  gpuMemoryUseOf,
  hostMemoryUse,
  type MemoryUse,
  memoryUseSum,
  ownMemoryGpus,
} from '../core/node/memory-use.ts';
import type { NodeView } from '../core/node/node-view.ts';
import type { Sentences } from '../core/problem.ts';
import type { State } from '../core/state.ts';
import { clipped } from '../core/text/columns.ts';
import { type Total, totalsOf } from '../core/totals.ts';
import { knownOr } from '../core/unknown.ts';
import {
  type ClusterScope,
  type ScopedCluster,
  scopedCluster,
  scopeLinks,
  scopeTable,
  WHOLE_CLUSTER,
} from './cluster-scope.ts';
import { brokenLine } from './layout.ts';
import { type Line, lineWidth, paint, part } from './part.ts';
import type { RenderOptions } from './render.ts';
import { statusLines, warningLines } from './render-status.ts';
import { runTable } from './run-table.ts';

export interface TopOptions extends RenderOptions {
  readonly rows: number;
  /** Default: every node, one by one. */
  readonly scope?: ClusterScope;
  /** As it was sorted and filtered; default: as the scope has it. */
  readonly arranged?: ScopedCluster;
  /** Which machine is marked, and always among those that are shown. */
  readonly chosen?: number;
  /** Of the engines that serve models; default: they are not shown. */
  readonly serving?: ServingWatch;
}

/** `reported`: the daemon's notices about itself, shown before the warnings of the cluster. */
export const renderTop = (
  state: State,
  nowMs: number,
  reported: readonly Sentences[],
  options: TopOptions,
): readonly string[] => {
  const { columns, rows } = options;
  const scope = options.scope ?? WHOLE_CLUSTER;
  const shown = options.arranged ?? scopedCluster(state, nowMs, scope);
  const { views, warnings, nothing } = shown;
  if (nothing !== undefined) return [nothing];
  const broken = [...reported.flatMap(statusLines), ...warnings.flatMap(warningLines)].flatMap(line =>
    brokenLine(line, columns),
  );
  // The header, a blank line before each table, and at least a third of the screen for the machines.
  const rowsMax = Math.max(3, Math.floor(rows / 3));
  const table = { ...options, state, nowMs, by: scope.by };
  const nodeLines = scopeTable(shown, { ...table, rowsMax });
  // The worst link has its row before further runs and warnings have theirs.
  const worst = scopeLinks(shown, { ...table, rowsMax: 2 });
  const engines = servingLines(options.serving?.read({ state, ...shown, nowMs }) ?? [], columns);
  const engineLines = cut(engines, Math.max(3, Math.floor(rows / 6)));
  const room = rows - 2 - nodeLines.length - spacedLength(worst.length) - spacedLength(engineLines.length);
  const run = runTable(state, nowMs, { columns, rowsMax: 1 });
  const alarmRoom = Math.min(
    broken.length,
    Math.max(2, Math.min(Math.floor(rows / 4), room - spacedLength(run.length) - 1)),
  );
  const others = room - spacedLength(alarmRoom);
  const runs = runTable(state, nowMs, { columns, rowsMax: Math.min(4, Math.max(1, others - 2)) });
  const linkLines = scopeLinks(shown, {
    ...table,
    rowsMax: Math.max(2, others - spacedLength(runs.length) + 2),
  });
  const lines: readonly Line[] = [
    totalsLine(views),
    [],
    ...nodeLines,
    ...spaced(engineLines),
    ...spaced(linkLines),
    ...spaced(runs),
    ...spaced(cut(broken, alarmRoom)),
  ];
  return lines.map(line => paint(lineWidth(line) > columns ? clippedLine(line, columns) : line, options));
};

/** "4 nodes · 3 of 5 GPUs: ≥ 330 TFLOPS FP16 · 1.84 TB/s · host memory 318 GB of 512 GB · GPU memory 12 GB of 24 GB". */
const totalsLine = (views: readonly NodeView[]): Line => {
  const here = views.filter(({ presence }) => presence !== 'offline');
  const totals = totalsOf(views);
  const { gpuFlopsPerSecond: flops, gpuMemoryBytesPerSecond: bandwidth } = totals;
  const gpus =
    totals.gpuCount === 0
      ? 'no GPUs'
      : `${flops.knownCount} of ${counted(totals.gpuCount, 'GPU')} measured: ${sumText(flops, formatFlopsPerSecond)} FP16, ${sumText(bandwidth, formatBytesPerSecond)}`;
  return [
    part(counted(totals.nodeCount, 'node'), 'strong'),
    part(` · ${gpus} · host memory ${memoryText(here.map(hostMemoryUse))}`),
    ...(here.some(view => ownMemoryGpus(view).length > 0)
      ? [part(` · GPU memory ${memoryText(here.map(gpuMemoryUseOf))}`)]
      : []),
  ];
};

/** Each with what a second machine would give, the busiest first. */
const servingLines = (serving: readonly ServingEngine[], columns: number): readonly Line[] =>
  serving
    .toSorted((a, b) => knownOr(b.engine.requestsInFlight, 0) - knownOr(a.engine.requestsInFlight, 0))
    .flatMap(one => {
      const second = secondNodeLabel(one);
      const about: Line = [part(one.nodeName, 'strong'), part(`  ${servingLabel(one)}`)];
      return [about, ...(second === '' ? [] : brokenLine([part(second, 'dim')], columns - 2).map(indented))];
    });

const indented = (line: Line): Line => [part('  '), ...line];

const memoryText = (uses: readonly (MemoryUse | undefined)[]): string => {
  const sum = memoryUseSum(uses);
  return sum === undefined
    ? UNKNOWN_FIGURE.figure
    : `${figureText(formatBytes(sum.usedBytes))} of ${figureText(formatBytes(sum.totalBytes))}`;
};

const sumText = (
  total: Total,
  format: (sum: number) => { readonly figure: string; readonly unit: string },
): string =>
  total.knownCount === 0
    ? UNKNOWN_FIGURE.figure
    : `${total.isLowerBound ? '≥ ' : ''}${figureText(format(total.sum))}`;

const cut = (lines: readonly Line[], room: number): readonly Line[] =>
  lines.length <= room
    ? lines
    : [
        ...lines.slice(0, room - 1),
        [part(`… ${counted(lines.length - room + 1, 'more line')}: press w`, 'dim')],
      ];

const spaced = (lines: readonly Line[]): readonly Line[] => (lines.length === 0 ? [] : [[], ...lines]);

const spacedLength = (count: number): number => (count === 0 ? 0 : count + 1);

const clippedLine = (line: Line, columns: number): Line => {
  let left = columns;
  return line.flatMap(({ text, tone }) => {
    if (left <= 0) return [];
    const shown = clipped(text, left);
    left -= lineWidth([{ text: shown, tone }]);
    return [{ text: shown, tone }];
  });
};
