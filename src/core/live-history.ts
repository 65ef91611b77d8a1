// The last quarter of an hour of live figures, for sparklines: one value per second and series, in typed
// arrays, never journaled. Written by the daemon and, from the same events, by each page.

import type { Event } from './event.ts';
import type { NodeId } from './ids.ts';
import { GPU_FIGURES } from './node/gpu-figures.ts';
import { memoryUsedBytes } from './node/memory.ts';
import { NODE_FIGURES } from './node/node-figures.ts';
import { isUnknown } from './unknown.ts';

export const HISTORY_SECONDS = 900;
/** Series of one node; more (a node with very many GPUs) are not stored. */
export const SERIES_PER_NODE_MAX = 128;

/** Ports of one node, so that its GPUs have room for theirs. */
const TRAFFIC_PORTS_MAX = 16;
const DISKS_DRAWN_MAX = 8;

export interface HistorySeries {
  /** Ms between two values. */
  readonly stepMs: 1_000;
  /** Oldest first, ending with the second of `nowMs`; null if not reported. */
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

export class LiveHistory {
  readonly #nodes = new Map<NodeId, Map<string, SecondRing>>();

  /** Takes the figures of a live event; other events change nothing. */
  record(event: Event): void {
    const points = pointsOf(event);
    if (points.length === 0) return;
    const second = Math.floor((event.receivedAtMs - event.ageMs) / 1_000);
    let series = this.#nodes.get(event.origin);
    if (series === undefined) {
      series = new Map();
      this.#nodes.set(event.origin, series);
    }
    for (const { name, value } of points) {
      let ring = series.get(name);
      if (ring === undefined) {
        if (series.size >= SERIES_PER_NODE_MAX) continue;
        ring = new SecondRing();
        series.set(name, ring);
      }
      ring.put(second, value);
    }
  }

  /** Takes over the content of another history, as of its own time. */
  load(node: NodeId, history: HistorySeries, nowMs: number): void {
    const series = new Map<string, SecondRing>();
    const lastSecond = Math.floor(nowMs / 1_000);
    for (const [name, values] of Object.entries(history.series).slice(0, SERIES_PER_NODE_MAX)) {
      const ring = new SecondRing();
      values.forEach((value, index) => {
        if (value !== null) ring.put(lastSecond - values.length + 1 + index, value);
      });
      series.set(name, ring);
    }
    this.#nodes.set(node, series);
  }

  series(node: NodeId, nowMs: number): HistorySeries {
    const lastSecond = Math.floor(nowMs / 1_000);
    const series: Record<string, readonly (number | null)[]> = {};
    for (const [name, ring] of this.#nodes.get(node) ?? []) series[name] = ring.until(lastSecond);
    return { stepMs: 1_000, series };
  }

  forget(node: NodeId): void {
    this.#nodes.delete(node);
  }
}

interface LivePoint {
  readonly name: string;
  readonly value: number;
}

/**
 * The figures of a live reading, by name with unit: "memoryUsedBytes", "gpu GPU-1a2b use".
 * Unknown figures give no point: a gap is a gap.
 */
export const pointsOf = (event: Event): readonly LivePoint[] => {
  const points: LivePoint[] = [];
  const add = (name: string, value: unknown): void => {
    if (typeof value === 'number' && Number.isFinite(value)) points.push({ name, value });
  };
  const addAll = (prefix: string, figures: object, names: ReadonlySet<string>): void => {
    for (const [name, value] of Object.entries(figures)) if (names.has(name)) add(`${prefix}${name}`, value);
  };
  switch (event.kind) {
    case 'memory.gathered': {
      const memory = event.payload.value;
      const { stalledShare: memoryStalledShare } = memory.pressure;
      addAll('', { memoryUsedBytes: memoryUsedBytes(memory), ...memory, memoryStalledShare }, NODE_SERIES);
      break;
    }
    case 'system.gathered':
      addAll('', event.payload.value, NODE_SERIES);
      break;
    case 'gpuLoads.gathered':
      for (const load of event.payload.value.devices) addAll(`gpu ${load.deviceId} `, load, GPU_SERIES);
      break;
    case 'traffic.gathered':
      for (const { name, received, sent, rates } of event.payload.value.ports.slice(0, TRAFFIC_PORTS_MAX)) {
        // A port that has never carried anything has nothing to draw.
        if (isUnknown(rates) || received.bytes + sent.bytes === 0) continue;
        add(`${name} receivedBytesPerSecond`, rates.received.bytesPerSecond);
        add(`${name} sentBytesPerSecond`, rates.sent.bytesPerSecond);
      }
      break;
    case 'diskTraffic.gathered':
      for (const { name, rates } of event.payload.value.devices.slice(0, DISKS_DRAWN_MAX)) {
        if (isUnknown(rates)) continue;
        add(`disk ${name} readBytesPerSecond`, rates.readBytesPerSecond);
        add(`disk ${name} writtenBytesPerSecond`, rates.writtenBytesPerSecond);
      }
      break;
    default:
      break;
  }
  return points;
};

// A row's series has the name of its field in the reading.
const NODE_SERIES: ReadonlySet<string> = new Set(NODE_FIGURES.flatMap(({ history }) => history ?? []));
const GPU_SERIES: ReadonlySet<string> = new Set(GPU_FIGURES.flatMap(({ history }) => history ?? []));

/** The last value of each of the last 900 s. A slot that is empty contains the number of another second. */
class SecondRing {
  readonly #values = new Float32Array(HISTORY_SECONDS);
  readonly #seconds = new Int32Array(HISTORY_SECONDS).fill(EMPTY);

  put(second: number, value: number): void {
    const slot = slotOf(second);
    if ((this.#seconds[slot] ?? EMPTY) > second) return;
    this.#values[slot] = value;
    this.#seconds[slot] = second;
  }

  until(lastSecond: number): readonly (number | null)[] {
    const values: (number | null)[] = [];
    for (let second = lastSecond - HISTORY_SECONDS + 1; second <= lastSecond; second += 1) {
      const slot = slotOf(second);
      const value = this.#values[slot];
      if (this.#seconds[slot] === second && value !== undefined) values.push(value);
      else if (values.length > 0) values.push(null);
    }
    return values;
  }
}

/** Also for seconds before the clock's zero. */
const slotOf = (second: number): number => ((second % HISTORY_SECONDS) + HISTORY_SECONDS) % HISTORY_SECONDS;

const EMPTY = -2_147_483_648;
