// The few words next to a node's drawing: what it is, its memory, its measurements, its state.

import { maximumOf } from '../../../src/core/extremes.ts';
import {
  figureText,
  formatBytesOf,
  formatCapacityBytes,
  formatCelsius,
  formatPercent,
  formatWatts,
} from '../../../src/core/figure/figure.ts';
import { inFlightText } from '../../../src/core/node/engines.ts';
import {
  gpusOf,
  hostMemoryUse,
  type MemoryUse,
  modelMemoryUse,
  ownMemoryGpus,
  usedShare,
} from '../../../src/core/node/memory-use.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { gpuUse, nodeVitals } from '../../../src/core/node/node-vitals.ts';
import { knownValue } from '../../../src/core/node/reading-view.ts';
import { knownOr } from '../../../src/core/unknown.ts';
import { ageText } from '../figure/age.ts';
import { measuredText } from './measured-text.ts';

interface NodeText {
  /** With the mark of a simulated machine: every view has it. */
  readonly name: string;
  /** "Mac Studio · Apple M3 Ultra" */
  readonly model: string;
  /** "318 of 512 GB · 62 %"; of cards with their own, "GPU 37.9 of 48 GB · 79 %" */
  readonly memory: string;
  /** "host 18.1 of 64 GB · 28 %" in addition to that of cards; '' if the host's memory is the one above */
  readonly hostMemory: string;
  /** "vLLM 3 requests in flight", the busiest engine of several; '' without one */
  readonly engine: string;
  /** "62 %"; "62 %, 3 s old" */
  readonly usedShare: string;
  /** "62 % of 512 GB" */
  readonly memoryShareOf: string;
  /** "23.6 TFLOPS · 661 GB/s", or why not */
  readonly measured: string;
  /** "23.6 TFLOPS", "measuring" */
  readonly compute: string;
  /** "661 GB/s"; '' where it is not known. */
  readonly bandwidth: string;
  /** "GPU 41 % · 54 °C · 148 W", or how old that is, or what is being measured meanwhile */
  readonly vitals: string;
  /** Some readings are late, although the node is up. */
  readonly isLate: boolean;
}

/** `lagMs`: how far the picture lags behind now, where the page is cut off from its daemon. */
export const nodeText = (view: NodeView, lagMs?: number): NodeText => {
  const use = modelMemoryUse(view);
  const isOffline = view.presence === 'offline';
  const isLive = view.presence === 'live' && lagMs === undefined;
  const memoryAge = isLive ? lateMemory(view) : undefined;
  const lateVitals = isLive ? lateVitalText(view) : undefined;
  const { measured, compute, bandwidth, going } = measuredText(view);
  const late = memoryAge === undefined ? '' : `, ${memoryAge}`;
  const usedShare = isOffline
    ? view.stoppedMs === undefined
      ? 'no contact'
      : 'stopped'
    : percentOf(use) + late;
  const engine = isLive ? engineText(view) : '';
  const gpu = ownMemoryGpus(view).length > 0 ? 'GPU ' : '';
  return {
    name: knownValue(view.identity)?.isSimulated === true ? `${view.name} (simulated)` : view.name,
    model: modelLabel(view),
    memory: isOffline ? absenceText(view, lagMs) : gpu + memoryLabel(use, memoryAge),
    hostMemory: isOffline || gpu === '' ? '' : hostMemoryText(view),
    engine,
    usedShare,
    // A share that is late has its age in place of the total: there is no room for both.
    memoryShareOf:
      isOffline || use === undefined || memoryAge !== undefined
        ? usedShare
        : `${gpu}${usedShare} of ${figureText(formatCapacityBytes(use.totalBytes))}`,
    measured,
    compute,
    bandwidth,
    vitals: `${engine === '' ? '' : `${engine} · `}${isLive && going !== '' ? going : (lateVitals ?? vitalText(view, lagMs))}`,
    isLate: memoryAge !== undefined || lateVitals !== undefined,
  };
};

/** The busiest engine: "vLLM", "vLLM 3 requests in flight"; '' without one. */
const engineText = (view: NodeView): string => {
  const engines = knownValue(view.engines)?.engines ?? [];
  const [busiest] = engines.toSorted(
    (a, b) => knownOr(b.requestsInFlight, 0) - knownOr(a.requestsInFlight, 0),
  );
  if (busiest === undefined) return '';
  const name = knownOr(busiest.engine, 'engine');
  return knownOr(busiest.requestsInFlight, 0) > 0 ? `${name} ${knownOr(inFlightText(busiest), '')}` : name;
};

/** For an offline node: that it was stopped, or when it was last seen. */
export const absenceText = ({ silentMs, stoppedMs }: NodeView, lagMs = 0): string =>
  stoppedMs === undefined ? silenceText(silentMs + lagMs) : `stopped ${ageText(stoppedMs + lagMs)} ago`;

/** A node known only from the journal was never seen. */
const silenceText = (silentMs: number): string =>
  Number.isFinite(silentMs) ? `no contact for ${ageText(silentMs)}` : 'no contact yet';

const hostMemoryText = (view: NodeView): string => {
  const lateness = view.memory.kind === 'stale' ? `${ageText(view.memory.ageMs)} old` : undefined;
  return `host ${memoryLabel(hostMemoryUse(view), lateness)}`;
};

/** `lateness` replaces the share if the figures are not current. */
export const memoryLabel = (use: MemoryUse | undefined, lateness?: string): string =>
  use === undefined
    ? 'memory not read yet'
    : `${figureText(formatBytesOf(use.usedBytes, use.totalBytes))} · ${lateness ?? percentOf(use)}`;

/** Model and chip without redundant parts such as "(R)", "CPU @ 2.40GHz" and "32-Core Processor". */
export const shortChip = (chip: string): string =>
  chip
    .replace(/\((r|tm)\)/gi, '')
    .replace(/\s+(CPU\s*)?@.*$/i, '')
    .replace(/\s+\d+-Core Processor.*$/i, '')
    .replace(/^(Intel|AMD|Apple|NVIDIA)\s+/, '')
    .replace(/\s+(CPU|Processor)\b/gi, '')
    .replace(/\s+/g, ' ')
    .trim();

/** "Debian GNU/Linux 12 (bookworm)" is Debian 12 to those who run it. */
export const shortSystem = (name: string): string =>
  name.replace(/ GNU\/Linux/, '').replace(/\s*\([^)]*\)/, '');

const modelLabel = (view: NodeView): string => {
  const identity = knownValue(view.identity);
  if (identity === undefined) return 'not identified yet';
  const model = knownOr(identity.model, shortSystem(identity.operatingSystem.name)).replace(/^NVIDIA\s+/, '');
  const gpus = gpusOf(view).filter(gpu => !gpu.device.memoryIsUnified);
  const [first] = gpus;
  if (first !== undefined) {
    const name = first.device.name.replace(/^NVIDIA (GeForce )?/, '');
    const cards = `${gpus.length > 1 ? `${gpus.length} × ` : ''}${name}`;
    // The cards describe such a machine better than the manufacturer of its case.
    const whole = `${model} · ${cards}`;
    return whole.length <= MODEL_LENGTH_MAX
      ? whole
      : `${PLATFORMS[identity.operatingSystem.platform]} · ${cards}`;
  }
  const chip = shortChip(knownOr(identity.chip, ''));
  return chip === '' ? model : `${model} · ${chip}`;
};

const lateMemory = (view: NodeView): string | undefined =>
  ownMemoryGpus(view).length === 0 && view.memory.kind === 'stale'
    ? `${ageText(view.memory.ageMs)} old`
    : undefined;

const lateVitalText = (view: NodeView): string | undefined => {
  const late = gpusOf(view).filter(gpu => gpu.isLoadStale);
  if (late.length > 0) return `GPU figures are ${ageText(maximumOf(late.map(gpu => gpu.loadAgeMs)))} old`;
  if (gpuUse(view) !== undefined || view.system.kind !== 'stale') return undefined;
  return `CPU figures are ${ageText(view.system.ageMs)} old`;
};

/** Mean use, the hottest device's temperature and total power, as in the table of the command line. */
const vitalText = (view: NodeView, lagMs: number | undefined): string => {
  if (view.presence === 'stale' || lagMs !== undefined) return `${ageText(view.silentMs + (lagMs ?? 0))} old`;
  const { gpu, cpu, watts } = nodeVitals(view);
  const celsius = gpu.celsius ?? cpu.celsius;
  const parts = [
    gpu.use !== undefined ? `GPU ${figureText(formatPercent(gpu.use))}` : undefined,
    gpu.use === undefined && cpu.use !== undefined ? `CPU ${figureText(formatPercent(cpu.use))}` : undefined,
    celsius === undefined ? undefined : figureText(formatCelsius(celsius)),
    watts === undefined ? undefined : figureText(formatWatts(watts)),
  ].filter(part => part !== undefined);
  return parts.join(' · ');
};

const percentOf = (use: MemoryUse | undefined): string => {
  const part = usedShare(use);
  return part === undefined ? '–' : figureText(formatPercent(part));
};

/** What fits under a drawing on the map. */
export const MODEL_LENGTH_MAX = 31;

const PLATFORMS = { linux: 'Linux', macos: 'macOS', windows: 'Windows', other: 'Server' } as const;
