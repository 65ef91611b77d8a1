// The nodes of the cluster as a table, one row each: hardware, load, and measured performance.

import { entriesOf } from '../core/entry-maps.ts';
import { maximumOf } from '../core/extremes.ts';
import { formatAge } from '../core/figure/duration.ts';
import {
  figureText,
  formatBitsPerSecond,
  formatBytesOf,
  formatBytesPerSecond,
  formatCelsius,
  formatFlopsPerSecond,
  formatNominalBitsPerSecond,
  formatPercent,
  formatWatts,
  UNKNOWN_FIGURE,
} from '../core/figure/figure.ts';
import type { NodeId } from '../core/ids.ts';
import type { GpuProfile } from '../core/node/gpu-profile.ts';
import { gpuMemoryUseOf, gpusOf, hostMemoryUse, ownMemoryGpus, usedShare } from '../core/node/memory-use.ts';
import type { NodeView } from '../core/node/node-view.ts';
import { knownValue, type ReadingView } from '../core/node/reading-view.ts';
import { busiestRate } from '../core/node/traffic.ts';
import type { State } from '../core/state.ts';
import { isKnown, knownOr } from '../core/unknown.ts';
import { bar } from './memory-facts.ts';
import { type Line, part, type Tone } from './part.ts';
import { type Column, layoutTable } from './table.ts';

/** `self`: marked, to show which node the daemon runs on. `chosen`: by a sign before it. */
export const nodeTable = (
  state: State,
  views: readonly NodeView[],
  {
    columns,
    self,
    chosen,
    fields,
  }: {
    readonly columns: number;
    readonly self?: NodeId | undefined;
    readonly chosen?: NodeId | undefined;
    /** Only these columns next to the name, at any width of the terminal. */
    readonly fields?: readonly NodeField[] | undefined;
  },
): readonly Line[] => {
  // If no GPU has its own memory, or no node reports its traffic, those columns are empty: shown only on request.
  const hasOwnMemory = views.some(view => ownMemoryGpus(view).length > 0);
  const hasTraffic = views.some(view => knownValue(view.traffic) !== undefined);
  const isShown = ({ title, field }: NodeColumn): boolean =>
    fields === undefined
      ? (title !== GPU_MEMORY || hasOwnMemory) && ((title !== IN && title !== OUT) || hasTraffic)
      : field === 'name' || fields.includes(field);
  return layoutTable(
    COLUMNS.filter(isShown).map(column => (fields === undefined ? column : { ...column, rank: 0 })),
    views
      .map(view => cellsOf(state, view, views.length > 1 && view.nodeId === self))
      .map((cells, index) =>
        chosen === undefined ? cells : withChoice(cells, views[index]?.nodeId === chosen),
      )
      .map(cells => cells.filter((_, index) => COLUMNS[index] === undefined || isShown(COLUMNS[index]))),
    columns,
  );
};

const withChoice = ([name = [], ...cells]: readonly Line[], isChosen: boolean): readonly Line[] => [
  [part(isChosen ? '> ' : '  ', 'strong'), ...name],
  ...cells,
];

const cellsOf = (state: State, view: NodeView, isMarked: boolean): readonly Line[] => {
  const identity = knownValue(view.identity);
  return [
    [
      mark(view),
      part(view.name, 'strong'),
      ...(isMarked ? [part(' (here)', 'dim')] : []),
      ...(identity?.isSimulated === true ? [part(' simulated', 'caution')] : []),
    ],
    [part(identity !== undefined && isKnown(identity.model) ? identity.model : UNKNOWN_FIGURE.figure)],
    memoryBar(view),
    memoryCell(view),
    gpuMemoryCell(view),
    cell(view.system, toneOf(view.system), ({ cpuUse }) =>
      isKnown(cpuUse) ? formatPercent(cpuUse) : undefined,
    ),
    gpuCell(view),
    temperatureCell(view),
    powerCell(view),
    computeCell(state, view),
    bandwidthCell(state, view),
    networkCell(view),
    trafficCell(view, 'received'),
    trafficCell(view, 'sent'),
    ageCell(view),
  ];
};

/** Never by colour alone: the sign and the word in the age column show it too. */
const mark = ({ presence, stoppedMs }: NodeView): Line[number] => {
  switch (presence) {
    case 'live':
      return part('● ', 'good');
    case 'stale':
      return part('○ ', 'caution');
    case 'offline':
      return part('× ', stoppedMs === undefined ? 'bad' : 'dim');
    default:
      return presence satisfies never;
  }
};

const memoryBar = (view: NodeView): Line => {
  const share = usedShare(hostMemoryUse(view));
  return share === undefined ? [] : bar(share, 10);
};

const memoryCell = (view: NodeView): Line => {
  const use = hostMemoryUse(view);
  return use === undefined
    ? [part(UNKNOWN_FIGURE.figure, 'dim')]
    : [part(figureText(formatBytesOf(use.usedBytes, use.totalBytes)), toneOf(view.memory))];
};

/** "unified" if GPUs use the host's; empty if there is none. */
const gpuMemoryCell = (view: NodeView): Line => {
  const gpus = gpusOf(view);
  if (gpus.length === 0) return [];
  if (ownMemoryGpus(view).length === 0) return [part('unified', 'dim')];
  const use = gpuMemoryUseOf(view);
  if (use === undefined) return [part(UNKNOWN_FIGURE.figure, 'dim')];
  const tone = gpus.some(({ isLoadStale }) => isLoadStale) ? 'caution' : 'plain';
  return [part(figureText(formatBytesOf(use.usedBytes, use.totalBytes)), tone)];
};

/** The busiest of the machine's GPUs, with their number if there are several. */
const gpuCell = (view: NodeView): Line => {
  const gpus = gpusOf(view);
  const uses = gpus.map(gpu => gpu.load?.use).filter(use => typeof use === 'number');
  if (uses.length === 0) return [part(UNKNOWN_FIGURE.figure, 'dim')];
  const count = gpus.length > 1 ? ` ×${gpus.length}` : '';
  const tone = gpus.some(gpu => gpu.isLoadStale) ? 'caution' : 'plain';
  return [part(`${figureText(formatPercent(maximumOf(uses)))}${count}`, tone)];
};

/** The hottest sensor of the machine. */
const temperatureCell = (view: NodeView): Line => {
  const system = knownValue(view.system)?.cpuTemperatureCelsius;
  const all = [system, ...gpusOf(view).map(({ load }) => load?.temperatureCelsius)];
  const known = all.filter(value => typeof value === 'number');
  if (known.length === 0) return [part(UNKNOWN_FIGURE.figure, 'dim')];
  return [part(figureText(formatCelsius(maximumOf(known))))];
};

/** Of the whole machine if it reports that, else the sum of the processors that do. */
const powerCell = (view: NodeView): Line => {
  const system = knownValue(view.system);
  if (system !== undefined && isKnown(system.systemPowerWatts)) {
    return [part(figureText(formatWatts(system.systemPowerWatts)))];
  }
  const parts = [system?.cpuPowerWatts, ...gpusOf(view).map(({ load }) => load?.powerWatts)];
  const known = parts.filter(value => typeof value === 'number');
  if (known.length === 0) return [part(UNKNOWN_FIGURE.figure, 'dim')];
  return [part(figureText(formatWatts(known.reduce((sum, watts) => sum + watts, 0))))];
};

/** FP16 of its GPUs together; "≥" if an engine cannot reach the peak. A processor's figure is not comparable. */
const computeCell = (state: State, view: NodeView): Line =>
  sumCell(gpuProfiles(state, view), profile => profile.fp16FlopsPerSecond, formatFlopsPerSecond);

const bandwidthCell = (state: State, view: NodeView): Line => {
  const gpus = gpuProfiles(state, view);
  const profiles = gpus.length > 0 ? gpus : profilesOf(state, view);
  return sumCell(profiles, profile => profile.memoryReadBytesPerSecond, formatBytesPerSecond);
};

const sumCell = (
  profiles: readonly GpuProfile[],
  of: (profile: GpuProfile) => GpuProfile['fp16FlopsPerSecond'],
  format: (sum: number) => { readonly figure: string; readonly unit: string },
): Line => {
  const known = profiles.map(profile => knownOr(of(profile), undefined)).filter(value => value !== undefined);
  if (known.length === 0) return [part(UNKNOWN_FIGURE.figure, 'dim')];
  const bound = profiles.some(profile => profile.isLowerBound) ? '≥ ' : '';
  return [part(`${bound}${figureText(format(known.reduce((sum, value) => sum + value, 0)))}`)];
};

const profilesOf = (state: State, { nodeId }: NodeView): readonly GpuProfile[] =>
  entriesOf(state.nodeGpuProfiles[nodeId]).map(({ value }) => value);

const gpuProfiles = (state: State, view: NodeView): readonly GpuProfile[] =>
  profilesOf(state, view).filter(({ deviceKind }) => deviceKind === 'gpu');

/** The fastest interface that is up. */
const networkCell = ({ network }: NodeView): Line => {
  const up = (knownValue(network)?.interfaces ?? []).filter(
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

/** Of its busiest port. */
const trafficCell = ({ traffic }: NodeView, way: 'received' | 'sent'): Line => {
  const busiest = traffic.kind === 'current' ? busiestRate(traffic.value, way) : undefined;
  return busiest === undefined
    ? [part(UNKNOWN_FIGURE.figure, 'dim')]
    : [part(figureText(formatBitsPerSecond(busiest * 8)))];
};

const ageCell = ({ presence, silentMs, stoppedMs, memory }: NodeView): Line => {
  if (presence === 'live') {
    return [part('ageMs' in memory ? figureText(formatAge(memory.ageMs)) : UNKNOWN_FIGURE.figure, 'dim')];
  }
  if (stoppedMs !== undefined) return [part(`stopped ${figureText(formatAge(stoppedMs))}`, 'dim')];
  const silent = Number.isFinite(silentMs) ? ` ${figureText(formatAge(silentMs))}` : '';
  return [part(`${presence}${silent}`, presence === 'stale' ? 'caution' : 'bad')];
};

const toneOf = (view: ReadingView<unknown>): Tone => (view.kind === 'stale' ? 'caution' : 'plain');

const cell = <T>(
  view: ReadingView<T>,
  tone: Tone,
  figure: (value: T) => { readonly figure: string; readonly unit: string } | undefined,
): Line => {
  const value = knownValue(view);
  const shown = value === undefined ? undefined : figure(value);
  return shown === undefined ? [part(UNKNOWN_FIGURE.figure, 'dim')] : [part(figureText(shown), tone)];
};

const GPU_MEMORY = 'GPU memory';
const IN = 'In';
const OUT = 'Out';
export type NodeField = (typeof NODE_FIELDS)[number];

export const NODE_FIELDS = [
  'name',
  'model',
  'memory',
  'gpu-memory',
  'cpu',
  'gpu',
  'temperature',
  'power',
  'fp16',
  'memory-read',
  'network',
  'in',
  'out',
  'age',
] as const;

type NodeColumn = Column & { readonly field: NodeField };

const COLUMNS: readonly NodeColumn[] = [
  { field: 'name', title: '  Node', isNumber: false, widthMax: 24, rank: 0 },
  { field: 'model', title: 'Model', isNumber: false, widthMax: 26, rank: 9 },
  { field: 'memory', title: '', isNumber: false, widthMax: 10, rank: 8 },
  { field: 'memory', title: 'Host memory', isNumber: true, widthMax: 18, rank: 0 },
  { field: 'gpu-memory', title: GPU_MEMORY, isNumber: true, widthMax: 18, rank: 1 },
  { field: 'cpu', title: 'CPU', isNumber: true, widthMax: 6, rank: 1 },
  { field: 'gpu', title: 'GPU', isNumber: true, widthMax: 9, rank: 2 },
  { field: 'temperature', title: 'Temp', isNumber: true, widthMax: 6, rank: 3 },
  { field: 'power', title: 'Power', isNumber: true, widthMax: 8, rank: 4 },
  { field: 'fp16', title: 'FP16', isNumber: true, widthMax: 14, rank: 5 },
  { field: 'memory-read', title: 'Mem. read', isNumber: true, widthMax: 12, rank: 6 },
  { field: 'network', title: 'Network', isNumber: false, widthMax: 22, rank: 7 },
  { field: 'in', title: IN, isNumber: true, widthMax: 10, rank: 3 },
  { field: 'out', title: OUT, isNumber: true, widthMax: 10, rank: 3 },
  { field: 'age', title: 'Age', isNumber: true, widthMax: 14, rank: 0 },
];
