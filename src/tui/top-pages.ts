// The pages of `plimsoll top`: the whole cluster, all links, all runs, all warnings, one machine, and the keys. Each shows what fits around the
// chosen row, and states which part of the whole that is.

import { maximumOf } from '../core/extremes.ts';
import { figureText, formatBytesOf, UNKNOWN_FIGURE } from '../core/figure/figure.ts';
import { FIGURE_UNITS } from '../core/figure/figure-row.ts';
import type { LinkView } from '../core/link/link-view.ts';
import { GPU_FIGURES, type GpuSubject } from '../core/node/gpu-figures.ts';
import { gpusOf, hostMemoryUse, usedShare } from '../core/node/memory-use.ts';
import { freshGpuUse, type NodeView, nodeName } from '../core/node/node-view.ts';
import { hottestCelsius, nodeVitals } from '../core/node/node-vitals.ts';
import type { Sentences } from '../core/problem.ts';
import { type RunView, runViews } from '../core/run/run-selectors.ts';
import type { State } from '../core/state.ts';
import { clipped, inColumns } from '../core/text/columns.ts';
import { knownOr } from '../core/unknown.ts';
import type { Warning } from '../core/warnings/warning.ts';
import { type ScopedCluster, scopedCluster, WHOLE_CLUSTER } from './cluster-scope.ts';
import { brokenLine } from './layout.ts';
import { byNeed, linkTable } from './link-table.ts';
import { type Line, paint, part } from './part.ts';
import { renderSummary } from './render.ts';
import { statusLines, warningLines } from './render-status.ts';
import { renderTop, type TopOptions } from './render-top.ts';
import { runTable } from './run-table.ts';
import { type Column, layoutTable } from './table.ts';
import { chosenRow, TOP_HELP, type TopRows, type TopSort, type TopView } from './top-view.ts';

interface TopFrame {
  readonly lines: readonly string[];
  readonly rows: TopRows;
}

export const topFrame = (
  state: State,
  nowMs: number,
  reported: readonly Sentences[],
  { view, ...options }: TopOptions & { readonly view: TopView },
): TopFrame => {
  const { columns, rows } = options;
  // A title above the table, a blank line and the keys below it.
  const room = Math.max(1, rows - 3);
  const footer = paint([part(clipped(footerText(view), columns), 'dim')], options);
  // The keys stay where they are, however much is shown above them.
  const framed = (lines: readonly string[], shown: TopRows): TopFrame => ({
    lines: [...Array.from({ length: rows - 1 }, (_, row) => lines[row] ?? ''), footer],
    rows: shown,
  });
  if (view.isHelp)
    return framed(
      ['Keys', ...inColumns(TOP_HELP)].map(line => paint([part(clipped(line, columns))], options)),
      { count: 0, nodes: [], room },
    );
  const scrolled = (lines: readonly string[]): TopFrame => {
    const last = Math.max(0, lines.length - room);
    const from = Math.min(view.cursor, last);
    return framed(lines.slice(from, from + room), { count: last + 1, nodes: [], room });
  };
  const list = (
    title: string,
    count: number,
    draw: (from: number, to: number) => readonly string[],
  ): TopFrame => {
    const last = Math.max(0, count - room);
    const from = Math.min(view.cursor, last);
    const to = Math.min(count, from + room);
    const which = last === 0 ? `${count}` : `${from + 1}–${to} of ${count}`;
    const head = paint([part(`${title}: ${which}`, 'strong')], options);
    return framed([head, ...draw(from, to)], { count: last + 1, nodes: [], room });
  };
  const cluster = arranged(scopedCluster(state, nowMs, options.scope ?? WHOLE_CLUSTER), state, view);
  switch (view.page) {
    case 'links':
      return list('Links', cluster.links.length, (from, to) =>
        linkTable(state, nowMs, {
          columns,
          rowsMax: Number.POSITIVE_INFINITY,
          links: cluster.links.toSorted(byNeed).slice(from, to),
        }).map(line => paint(line, options)),
      );
    case 'runs': {
      const runs = runViews(state, nowMs).filter(run => isFound(view, runTexts(state, run)));
      return list('Runs', runs.length, (from, to) =>
        runTable(state, nowMs, { columns, rowsMax: to - from, views: runs.slice(from, to) }).map(line =>
          paint(line, options),
        ),
      );
    }
    case 'warnings':
      return scrolled(warningPage(reported, cluster.warnings, options, view));
    case 'node':
      return scrolled(nodeLines(state, nowMs, cluster.whole, { ...options, node: view.node }));
    case 'all': {
      const nodes = cluster.views.map(({ nodeId }) => nodeId);
      const chosen = chosenRow(view, { nodes, count: nodes.length });
      const isGrouped = view.by !== undefined;
      return framed(
        renderTop(state, nowMs, reported, {
          ...options,
          rows: rows - 1,
          scope: { ...(options.scope ?? WHOLE_CLUSTER), by: view.by },
          arranged: cluster,
          ...(isGrouped ? {} : { chosen }),
        }),
        {
          count: isGrouped ? 0 : cluster.views.length,
          nodes: isGrouped ? [] : nodes,
          room: Math.max(3, Math.floor(rows / 3)),
        },
      );
    }
    default:
      return view.page satisfies never;
  }
};

/** Sorted, and only what is searched for. */
const arranged = (
  cluster: ScopedCluster,
  state: State,
  view: TopView,
): ScopedCluster & { readonly whole: ScopedCluster } => {
  const views = cluster.views.filter(({ name, nodeId }) => isFound(view, [name, nodeId]));
  const value = SORT_VALUES[view.sort];
  return {
    ...cluster,
    whole: cluster,
    // The order of names stays among equals.
    views: value === undefined ? views : views.toSorted((a, b) => (value(b) ?? -1) - (value(a) ?? -1)),
    links: cluster.links.filter(({ nodes }) =>
      isFound(
        view,
        nodes.map(id => nodeName(state, id)),
      ),
    ),
    nothing:
      cluster.nothing ??
      (views.length === 0 ? `No machine has "${view.search}" in its name. Esc shows all.` : undefined),
  };
};

const isFound = ({ search }: TopView, texts: readonly string[]): boolean =>
  search === '' || texts.some(text => text.toLowerCase().includes(search.toLowerCase()));

const runTexts = (state: State, { run, node }: RunView): readonly string[] => [
  run.runId,
  run.target,
  knownOr(run.model, ''),
  knownOr(run.runName, ''),
  nodeName(state, node),
];

/** Wrapped and one below the other, so that no command is cut off. */
const warningPage = (
  reported: readonly Sentences[],
  warnings: readonly Warning[],
  options: TopOptions,
  view: TopView,
): readonly string[] => {
  const found = warnings.filter(({ title, why }) => isFound(view, [title, why]));
  const blocks = [...reported.map(statusLines), ...found.map(warningLines)];
  const head = part(`Warnings: ${blocks.length === 0 ? 'none' : blocks.length}`, 'strong');
  return [[head], ...blocks.flatMap(block => [[], ...block])].flatMap(line =>
    brokenLine(line, options.columns).map(broken => paint(broken, options)),
  );
};

const nodeLines = (
  state: State,
  nowMs: number,
  { views, links }: ScopedCluster,
  { node, ...options }: TopOptions & { readonly node: TopView['node'] },
): readonly string[] => {
  const view = views.find(({ nodeId }) => nodeId === node);
  if (view === undefined) return ['This machine is gone. Esc goes back.'];
  const own: readonly LinkView[] = links.filter(({ nodes }) => nodes.includes(view.nodeId));
  const tables = [
    gpuTable(view, nowMs, options.columns),
    linkTable(state, nowMs, {
      columns: options.columns,
      rowsMax: Number.POSITIVE_INFINITY,
      links: own,
    }),
  ];
  return [
    ...renderSummary(state, view.nodeId, nowMs, { ...options, hasGpuTable: true }),
    ...tables.flatMap(table => (table.length === 0 ? [] : ['', ...table.map(line => paint(line, options))])),
  ];
};

const footerText = ({ page, search, isTyping, sort, isHelp }: TopView): string => {
  if (isTyping) return `/${search}_`;
  if (isHelp) return 'any key: back   q quit';
  const found = search === '' ? '' : `   only "${search}"`;
  return page === 'all'
    ? `q quit  ? keys  w warnings  l links  r runs  Enter open  / find  g group  s by ${sort}${found}`
    : `q quit  ? keys  j k move  Esc back  / find  w warnings  l links  r runs${found}`;
};

/** As the columns of the table show it; what is not known sorts last. */
const SORT_VALUES: Readonly<Record<TopSort, ((view: NodeView) => number | undefined) | undefined>> = {
  name: undefined,
  memory: view => usedShare(hostMemoryUse(view)),
  GPU: view => maximumOf([-1, ...gpusOf(view).map(gpu => freshGpuUse(gpu) ?? -1)]),
  temperature: view => hottestCelsius(nodeVitals(view)),
  power: view => nodeVitals(view).watts,
};

// The GPUs of one machine as a table, one row each: what they do now, and what they were measured at.

/** Empty where there is none. */
const gpuTable = ({ gpus }: NodeView, nowMs: number, columns: number): readonly Line[] => {
  const subjects = gpus.flatMap(vendor => vendor.devices.map(gpu => ({ gpu, vendor, nowMs })));
  return subjects.length === 0 ? [] : layoutTable(COLUMNS, subjects.map(cellsOf), columns);
};

const cellsOf = (subject: GpuSubject): readonly Line[] => {
  const { device, load } = subject.gpu;
  return [
    [part(`${device.index}`, 'strong')],
    [part(device.name)],
    ...ROWS.map(row => figureCell(row, subject)),
    [part(knownOr(load?.throttleReasons ?? [], []).join(', '), 'caution')],
  ];
};

const figureCell = (row: GpuRow, subject: GpuSubject): Line => {
  const value = row.of(subject);
  const { isLoadStale, profile, device } = subject.gpu;
  const whole = row.whole === undefined ? undefined : knownOr(row.whole(subject), undefined);
  if (row.whole !== undefined && whole === undefined && device.memoryIsUnified)
    return [part('unified', 'dim')];
  if (typeof value !== 'number') return UNKNOWN;
  const text = figureText(
    row.whole === undefined ? FIGURE_UNITS[row.unit].format(value) : formatBytesOf(value, whole ?? value),
  );
  return row.aging === 'profile'
    ? [part(`${profile?.value.isLowerBound === true ? '≥ ' : ''}${text}`)]
    : [part(text, isLoadStale ? 'caution' : 'plain')];
};

type GpuRow = (typeof GPU_FIGURES)[number];

const ROWS = GPU_FIGURES.filter(({ column }) => column !== undefined);
const UNKNOWN: Line = [part(UNKNOWN_FIGURE.figure, 'dim')];
const COLUMNS: readonly Column[] = [
  { title: 'GPU', isNumber: true, widthMax: 4, rank: 0 },
  { title: 'Name', isNumber: false, widthMax: 28, rank: 4 },
  ...ROWS.flatMap(({ column }) => (column === undefined ? [] : [{ ...column, isNumber: true }])),
  { title: 'Throttled', isNumber: false, widthMax: 30, rank: 5 },
];
