// The nodes of the cluster as a table, one row each: hardware, load, and measured performance.

import { entriesOf } from '../core/entry-maps.ts';
import { maximumOf } from '../core/extremes.ts';
import { formatAge } from '../core/figure/duration.ts';
import {
  type Figure,
  figureText,
  formatBitsPerSecond,
  formatBytesOf,
  formatCelsius,
  formatNominalBitsPerSecond,
  formatPercent,
  formatWatts,
  UNKNOWN_FIGURE,
} from '../core/figure/figure.ts';
import { FIGURE_UNITS } from '../core/figure/figure-row.ts';
import type { NodeId } from '../core/ids.ts';
import { BANDWIDTH, FP16_RATE, type GpuProfile, type MeasureRow } from '../core/node/gpu-profile.ts';
import {
  gpuMemoryUseOf,
  gpusOf,
  hostMemoryUse,
  type MemoryUse,
  ownMemoryGpus,
  usedShare,
} from '../core/node/memory-use.ts';
import type { GpuView, NodeView } from '../core/node/node-view.ts';
import { hottestCelsius, type NodeVitals, nodeVitals } from '../core/node/node-vitals.ts';
import { knownValue, type ReadingView } from '../core/node/reading-view.ts';
import { busiestRate } from '../core/node/traffic.ts';
import type { State } from '../core/state.ts';
import { isKnown } from '../core/unknown.ts';
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
  const shown = COLUMNS.filter(({ field }) =>
    fields === undefined
      ? (field !== 'gpu-memory' || hasOwnMemory) && ((field !== 'in' && field !== 'out') || hasTraffic)
      : field === 'name' || fields.includes(field),
  );
  return layoutTable(
    fields === undefined ? shown : shown.map(column => ({ ...column, rank: 0 })),
    views.map(view => {
      const subject = {
        state,
        view,
        vitals: nodeVitals(view),
        isMarked: views.length > 1 && view.nodeId === self,
        isChosen: chosen === undefined ? undefined : view.nodeId === chosen,
      };
      return shown.map(({ cell }) => cell(subject));
    }),
    columns,
  );
};

interface Subject {
  readonly state: State;
  readonly view: NodeView;
  readonly vitals: NodeVitals;
  readonly isMarked: boolean;
  /** Undefined in a table of which no row can be chosen. */
  readonly isChosen: boolean | undefined;
}

const nameCell = ({ view, isMarked, isChosen }: Subject): Line => [
  ...(isChosen === undefined ? [] : [part(isChosen ? '> ' : '  ', 'strong')]),
  mark(view),
  part(view.name, 'strong'),
  ...(isMarked ? [part(' (here)', 'dim')] : []),
  ...(knownValue(view.identity)?.isSimulated === true ? [part(' simulated', 'caution')] : []),
];

const modelCell = ({ view }: Subject): Line => {
  const identity = knownValue(view.identity);
  return [part(identity !== undefined && isKnown(identity.model) ? identity.model : UNKNOWN_FIGURE.figure)];
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

const memoryBar = ({ view }: Subject): Line => {
  const share = usedShare(hostMemoryUse(view));
  return share === undefined ? [] : bar(share, 10);
};

const memoryCell = ({ view }: Subject): Line => memoryUseCell(hostMemoryUse(view), toneOf(view.memory));

const memoryUseCell = (use: MemoryUse | undefined, tone: Tone): Line =>
  use === undefined ? UNKNOWN : [part(figureText(formatBytesOf(use.usedBytes, use.totalBytes)), tone)];

/** "unified" if GPUs use the host's; empty if there is none. */
const gpuMemoryCell = ({ view }: Subject): Line => {
  const gpus = gpusOf(view);
  if (gpus.length === 0) return [];
  if (ownMemoryGpus(view).length === 0) return [part('unified', 'dim')];
  return memoryUseCell(gpuMemoryUseOf(view), loadTone(gpus));
};

/** The busiest of the machine's GPUs, with their number if there are several. */
const gpuCell = ({ view }: Subject): Line => {
  const gpus = gpusOf(view);
  const uses = gpus.map(gpu => gpu.load?.use).filter(use => typeof use === 'number');
  if (uses.length === 0) return UNKNOWN;
  const count = gpus.length > 1 ? ` ×${gpus.length}` : '';
  return [part(`${figureText(formatPercent(maximumOf(uses)))}${count}`, loadTone(gpus))];
};

const loadTone = (gpus: readonly GpuView[]): Tone =>
  gpus.some(({ isLoadStale }) => isLoadStale) ? 'caution' : 'plain';

const cpuCell = ({ view, vitals }: Subject): Line =>
  figureCell(vitals.cpu.use, formatPercent, toneOf(view.system));

const temperatureCell = ({ vitals }: Subject): Line => figureCell(hottestCelsius(vitals), formatCelsius);

const powerCell = ({ vitals }: Subject): Line => figureCell(vitals.watts, formatWatts);

/** FP16 of its GPUs together; "≥" if an engine cannot reach the peak. A processor's figure is not comparable. */
const computeCell = (subject: Subject): Line => sumCell(gpuProfiles(subject), FP16_RATE);

/** Of its GPUs together; without any, its processor's. */
const bandwidthCell = (subject: Subject): Line => {
  const gpus = gpuProfiles(subject);
  return sumCell(gpus.length > 0 ? gpus : profilesOf(subject), BANDWIDTH);
};

const sumCell = (profiles: readonly GpuProfile[], { figure, unit }: MeasureRow): Line => {
  const known = profiles.map(profile => profile[figure]).filter(isKnown);
  if (known.length === 0) return UNKNOWN;
  const bound = profiles.some(profile => profile.isLowerBound) ? '≥ ' : '';
  return [
    part(`${bound}${figureText(FIGURE_UNITS[unit].format(known.reduce((sum, value) => sum + value, 0)))}`),
  ];
};

const profilesOf = ({ state, view }: Subject): readonly GpuProfile[] =>
  entriesOf(state.nodeGpuProfiles[view.nodeId]).map(({ value }) => value);

const gpuProfiles = (subject: Subject): readonly GpuProfile[] =>
  profilesOf(subject).filter(({ deviceKind }) => deviceKind === 'gpu');

/** The fastest interface that is up. */
const networkCell = ({ view: { network } }: Subject): Line => {
  const up = (knownValue(network)?.interfaces ?? []).filter(
    ({ type, isUp }) => type !== 'loopback' && isUp !== false,
  );
  const speed = (item: (typeof up)[number]): number =>
    isKnown(item.speedBitsPerSecond) ? item.speedBitsPerSecond : -1;
  const [fastest] = up.toSorted((a, b) => speed(b) - speed(a));
  if (fastest === undefined) return UNKNOWN;
  const rate = speed(fastest);
  const figure = rate < 0 ? UNKNOWN_FIGURE.figure : figureText(formatNominalBitsPerSecond(rate));
  return [part(`${figure} `, toneOf(network)), part(fastest.name, 'dim')];
};

/** Of its busiest port. */
const trafficCell =
  (way: 'received' | 'sent') =>
  ({ view: { traffic } }: Subject): Line => {
    const busiest = traffic.kind === 'current' ? busiestRate(traffic.value, way) : undefined;
    return figureCell(busiest, rate => formatBitsPerSecond(rate * 8));
  };

const ageCell = ({ view: { presence, silentMs, stoppedMs, memory } }: Subject): Line => {
  if (presence === 'live') {
    return [part('ageMs' in memory ? figureText(formatAge(memory.ageMs)) : UNKNOWN_FIGURE.figure, 'dim')];
  }
  if (stoppedMs !== undefined) return [part(`stopped ${figureText(formatAge(stoppedMs))}`, 'dim')];
  const silent = Number.isFinite(silentMs) ? ` ${figureText(formatAge(silentMs))}` : '';
  return [part(`${presence}${silent}`, presence === 'stale' ? 'caution' : 'bad')];
};

const toneOf = (view: ReadingView<unknown>): Tone => (view.kind === 'stale' ? 'caution' : 'plain');

const figureCell = (value: number | undefined, format: (value: number) => Figure, tone?: Tone): Line =>
  value === undefined ? UNKNOWN : [part(figureText(format(value)), tone)];

const UNKNOWN: Line = [part(UNKNOWN_FIGURE.figure, 'dim')];

interface NodeColumn extends Column {
  /** As a person chooses it; a bar has that of its figure. */
  readonly field: string;
  readonly cell: (subject: Subject) => Line;
}

export type NodeField = (typeof COLUMNS)[number]['field'];

const COLUMNS = [
  { field: 'name', title: '  Node', isNumber: false, widthMax: 24, rank: 0, cell: nameCell },
  { field: 'model', title: 'Model', isNumber: false, widthMax: 26, rank: 9, cell: modelCell },
  { field: 'memory', title: '', isNumber: false, widthMax: 10, rank: 8, cell: memoryBar },
  { field: 'memory', title: 'Host memory', isNumber: true, widthMax: 18, rank: 0, cell: memoryCell },
  { field: 'gpu-memory', title: 'GPU memory', isNumber: true, widthMax: 18, rank: 1, cell: gpuMemoryCell },
  { field: 'cpu', title: 'CPU', isNumber: true, widthMax: 6, rank: 1, cell: cpuCell },
  { field: 'gpu', title: 'GPU', isNumber: true, widthMax: 9, rank: 2, cell: gpuCell },
  { field: 'temperature', title: 'Temp', isNumber: true, widthMax: 6, rank: 3, cell: temperatureCell },
  { field: 'power', title: 'Power', isNumber: true, widthMax: 8, rank: 4, cell: powerCell },
  { field: 'fp16', title: 'FP16', isNumber: true, widthMax: 14, rank: 5, cell: computeCell },
  { field: 'memory-read', title: 'Mem. read', isNumber: true, widthMax: 12, rank: 6, cell: bandwidthCell },
  { field: 'network', title: 'Network', isNumber: false, widthMax: 22, rank: 7, cell: networkCell },
  { field: 'in', title: 'In', isNumber: true, widthMax: 10, rank: 3, cell: trafficCell('received') },
  { field: 'out', title: 'Out', isNumber: true, widthMax: 10, rank: 3, cell: trafficCell('sent') },
  { field: 'age', title: 'Age', isNumber: true, widthMax: 14, rank: 0, cell: ageCell },
] as const satisfies readonly NodeColumn[];

export const NODE_FIELDS: readonly NodeField[] = [...new Set(COLUMNS.map(({ field }) => field))];
