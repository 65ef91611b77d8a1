// The cluster as a table, one row a node, and beneath it what a person should know: what is stale, what is missing and why.

import { formatAge } from '../core/figure/duration.ts';
import {
  figureText,
  formatBytesOf,
  formatCelsius,
  formatNominalBitsPerSecond,
  formatPercent,
  formatWatts,
  UNKNOWN_FIGURE,
} from '../core/figure/figure.ts';
import type { NodeView, ReadingView } from '../core/selectors.ts';
import { nodeIds, nodeView } from '../core/selectors.ts';
import type { State } from '../core/state.ts';
import { isKnown } from '../core/unknown.ts';
import { brokenLine } from './layout.ts';
import type { Line, Tone } from './part.ts';
import { paint, part } from './part.ts';
import { bar } from './reading-rows.ts';
import type { RenderOptions } from './render.ts';
import type { Column } from './table.ts';
import { layoutTable } from './table.ts';

export interface StatusOptions extends RenderOptions {
  /** The screen shows nothing past its last column, so that sentences are broken here. Default: it wraps by itself. */
  readonly isCutAtEdge?: boolean;
}

export const renderStatus = (
  state: State,
  nowMs: number,
  notices: readonly string[],
  options: StatusOptions,
): readonly string[] => {
  const views = nodeIds(state).map(id => nodeView(state, id, nowMs));
  if (views.length === 0) return ['No node has said anything yet.'];
  const lines = [
    ...layoutTable(COLUMNS, views.map(cellsOf), options.columns),
    ...spaced(sentences(views.flatMap(troubles), options)),
    ...spaced(
      sentences(
        notices.flatMap(notice => notice.split('\n').map((text): Line => [part(text, 'caution')])),
        options,
      ),
    ),
  ];
  return lines.map(line => paint(line, options));
};

const sentences = (lines: readonly Line[], { columns, isCutAtEdge }: StatusOptions): readonly Line[] =>
  isCutAtEdge === true ? lines.flatMap(line => brokenLine(line, columns)) : lines;

const spaced = (lines: readonly Line[]): readonly Line[] => (lines.length === 0 ? [] : [[], ...lines]);

const cellsOf = (view: NodeView): readonly Line[] => {
  const identity = heldValue(view.identity);
  return [
    [
      mark(view),
      part(view.name, 'strong'),
      ...(identity?.isSimulated === true ? [part(' simulated', 'caution')] : []),
    ],
    [part(identity !== undefined && isKnown(identity.model) ? identity.model : UNKNOWN_FIGURE.figure)],
    memoryBar(view),
    memoryCell(view),
    cell(view.system, toneOf(view.system), ({ cpuUse }) =>
      isKnown(cpuUse) ? formatPercent(cpuUse) : undefined,
    ),
    gpuCell(view),
    temperatureCell(view),
    powerCell(view),
    networkCell(view),
    ageCell(view),
  ];
};

/** Colour never stands alone: the sign and the word in the age column say it too. */
const mark = ({ presence }: NodeView): Line[number] => {
  switch (presence) {
    case 'live':
      return part('● ', 'good');
    case 'stale':
      return part('○ ', 'caution');
    case 'offline':
      return part('× ', 'bad');
    default:
      return presence satisfies never;
  }
};

const memoryBar = ({ memory }: NodeView): Line => {
  const value = heldValue(memory);
  if (value === undefined || !isKnown(value.availableBytes)) return [];
  return bar(1 - value.availableBytes / value.totalBytes, 10);
};

const memoryCell = ({ memory }: NodeView): Line =>
  cell(memory, toneOf(memory), ({ totalBytes, availableBytes }) =>
    isKnown(availableBytes) ? formatBytesOf(totalBytes - availableBytes, totalBytes) : undefined,
  );

/** The busiest of the machine's GPUs, with their number where there are several. */
const gpuCell = (view: NodeView): Line => {
  const gpus = view.gpus.flatMap(vendor => vendor.devices);
  const uses = gpus.map(gpu => gpu.load?.use).filter(use => typeof use === 'number');
  if (uses.length === 0) return [part(UNKNOWN_FIGURE.figure, 'dim')];
  const count = gpus.length > 1 ? ` ×${gpus.length}` : '';
  const tone = gpus.some(gpu => gpu.isLoadStale) ? 'caution' : 'plain';
  return [part(`${figureText(formatPercent(Math.max(...uses)))}${count}`, tone)];
};

/** The hottest sensor of the machine. */
const temperatureCell = (view: NodeView): Line => {
  const system = heldValue(view.system)?.cpuTemperatureCelsius;
  const all = [
    system,
    ...view.gpus.flatMap(({ devices }) => devices.map(({ load }) => load?.temperatureCelsius)),
  ];
  const known = all.filter(value => typeof value === 'number');
  if (known.length === 0) return [part(UNKNOWN_FIGURE.figure, 'dim')];
  return [part(figureText(formatCelsius(Math.max(...known))))];
};

/** Of the whole machine where it can tell, else the sum of the processors that can. */
const powerCell = (view: NodeView): Line => {
  const system = heldValue(view.system);
  if (system !== undefined && isKnown(system.systemPowerWatts)) {
    return [part(figureText(formatWatts(system.systemPowerWatts)))];
  }
  const parts = [
    system?.cpuPowerWatts,
    ...view.gpus.flatMap(({ devices }) => devices.map(({ load }) => load?.powerWatts)),
  ];
  const known = parts.filter(value => typeof value === 'number');
  if (known.length === 0) return [part(UNKNOWN_FIGURE.figure, 'dim')];
  return [part(figureText(formatWatts(known.reduce((sum, watts) => sum + watts, 0))))];
};

/** The fastest interface that is up. */
const networkCell = ({ network }: NodeView): Line => {
  const up = (heldValue(network)?.interfaces ?? []).filter(
    ({ type, isUp }) => type !== 'loopback' && isUp !== false,
  );
  const speed = (item: (typeof up)[number]): number =>
    isKnown(item.speedBitsPerSecond) ? item.speedBitsPerSecond : -1;
  const [fastest] = up.toSorted((a, b) => speed(b) - speed(a));
  if (fastest === undefined) return [part(UNKNOWN_FIGURE.figure, 'dim')];
  const rate = speed(fastest);
  const figure = rate < 0 ? UNKNOWN_FIGURE.figure : figureText(formatNominalBitsPerSecond(rate));
  return [part(`${figure} `, toneOf(network)), part(fastest.name, 'dim')];
};

const ageCell = ({ presence, silentMs, memory }: NodeView): Line => {
  if (presence === 'live') {
    return [part('ageMs' in memory ? figureText(formatAge(memory.ageMs)) : UNKNOWN_FIGURE.figure, 'dim')];
  }
  const silent = Number.isFinite(silentMs) ? ` ${figureText(formatAge(silentMs))}` : '';
  return [part(`${presence}${silent}`, presence === 'stale' ? 'caution' : 'bad')];
};

/** Readings that are late or not to be had, with the reason; what a machine does not have is no trouble. */
const troubles = (view: NodeView): readonly Line[] => {
  if (view.presence === 'offline') return [];
  const readings: readonly (readonly [string, ReadingView<unknown>])[] = [
    ['identity', view.identity],
    ['memory', view.memory],
    ['system', view.system],
    ['network', view.network],
    ['Thunderbolt', view.thunderbolt],
    ['RDMA', view.rdmaDevices],
    ['disk', view.disk],
    ['config', view.config],
    ...view.gpus.flatMap(({ vendor, inventory, loads }): [string, ReadingView<unknown>][] => [
      [`${vendor} GPUs`, inventory],
      [`${vendor} GPU load`, loads],
    ]),
  ];
  return readings.flatMap(([name, reading]): Line[] => {
    if (reading.kind === 'stale') {
      const age = figureText(formatAge(reading.ageMs));
      return [[part(`${view.name}: ${name} is stale, ${age} old: ${reading.reason}`, 'caution')]];
    }
    if (reading.kind === 'unavailable')
      return [[part(`${view.name}: ${name} is unknown: ${reading.reason}`, 'dim')]];
    return [];
  });
};

const heldValue = <T>(view: ReadingView<T>): T | undefined => ('value' in view ? view.value : undefined);

const toneOf = (view: ReadingView<unknown>): Tone => (view.kind === 'stale' ? 'caution' : 'plain');

const cell = <T>(
  view: ReadingView<T>,
  tone: Tone,
  figure: (value: T) => { readonly figure: string; readonly unit: string } | undefined,
): Line => {
  const value = heldValue(view);
  const shown = value === undefined ? undefined : figure(value);
  return shown === undefined ? [part(UNKNOWN_FIGURE.figure, 'dim')] : [part(figureText(shown), tone)];
};

const COLUMNS: readonly Column[] = [
  { title: '  Node', isNumber: false, widthMax: 24, rank: 0 },
  { title: 'Model', isNumber: false, widthMax: 26, rank: 9 },
  { title: '', isNumber: false, widthMax: 10, rank: 8 },
  { title: 'Memory', isNumber: true, widthMax: 18, rank: 0 },
  { title: 'CPU', isNumber: true, widthMax: 6, rank: 1 },
  { title: 'GPU', isNumber: true, widthMax: 9, rank: 2 },
  { title: 'Heat', isNumber: true, widthMax: 6, rank: 3 },
  { title: 'Power', isNumber: true, widthMax: 8, rank: 4 },
  { title: 'Network', isNumber: false, widthMax: 22, rank: 7 },
  { title: 'Age', isNumber: true, widthMax: 14, rank: 0 },
];
