// What can only be seen over time: how counters grow at both ends of a cable, ports that go down and come back, what a device does
// while it is busy, and whether repeated measurements stay the same. Read about once a second; what it returns can be stored and
// continued, and a counter that grew in between counts.

import * as v from 'valibot';
import type { LinkView } from '../link/link-view.ts';
import { xidMeaning } from '../node/gpu-errors.ts';
import { DEVICE_MEASURES } from '../node/gpu-profile.ts';
import { freshGpuUse, type GpuView, type NodeView } from '../node/node-view.ts';
import type { PortCounterName } from '../node/port-health.ts';
import { knownValue } from '../node/reading-view.ts';
import { count, figure, type Infer, list, nonNegative, openObject, reported, text } from '../schema.ts';
import type { State } from '../state.ts';
import { isKnown, isUnknown, knownOr, type Reported, unknown } from '../unknown.ts';
import { BUSY_SHARE } from '../warnings/machine-warnings.ts';
import { type Loads, loadsSchema, NO_LOADS } from './load-watch.ts';

const counterSchema = openObject({
  last: figure,
  /** Since it was first seen; a counter that went back starts again. */
  grown: nonNegative,
});

const deviceSchema = openObject({
  /** How often it was seen busy. */
  busyCount: count,
  /** Why its clock was throttled while it was busy. */
  throttled: list(text),
  /** Lanes and generation of the widest link to the host. */
  lanes: count,
  generation: count,
  /** Lanes of the narrowest link to the host while it was busy. */
  lanesBusyMin: reported(count),
  /** While it was busy; 0 if it never was. */
  hottestCelsius: nonNegative,
});

const measuredSchema = openObject({ low: figure, high: figure, count });

/** Sixty-four nodes with sixteen GPUs and as many ports have fewer. */
const WATCHED_MAX = 100_000;
const key = v.pipe(v.string(), v.maxLength(512));

export const watchedSchema = openObject({
  /** Without interruptions, ms. */
  watchedMs: nonNegative,
  /** By "ecc-corrected NODE DEVICE". */
  counters: v.pipe(v.record(key, counterSchema), v.maxEntries(WATCHED_MAX)),
  /** By "NODE DEVICE". */
  devices: v.pipe(v.record(key, deviceSchema), v.maxEntries(WATCHED_MAX)),
  /** By "memoryReadBytesPerSecond NODE DEVICE". */
  measured: v.pipe(v.record(key, measuredSchema), v.maxEntries(WATCHED_MAX)),
  loads: reported(loadsSchema),
});

export type Watched = Infer<typeof watchedSchema>;
export type WatchedDevice = Watched['devices'][string];

export const NOTHING_WATCHED: Watched = {
  watchedMs: 0,
  counters: {},
  devices: {},
  measured: {},
  loads: NO_LOADS,
};

export type CounterKind =
  | 'ecc-corrected'
  | 'ecc-uncorrected'
  | 'pcie-replays'
  | 'driver-errors'
  | 'port-packets'
  | 'port-errors'
  | 'port-drops'
  | 'port-flaps'
  | 'path-losses'
  | PortCounterName;

export const counterKey = (kind: CounterKind, node: string, part: string): string =>
  `${kind} ${node} ${part}`;

export const deviceKey = (node: string, deviceId: string): string => `${node} ${deviceId}`;

interface Look {
  readonly state: State;
  readonly nodes: readonly NodeView[];
  /** Between two of them. */
  readonly links: readonly LinkView[];
  readonly nowMs: number;
}

export class ClusterWatch {
  readonly #counters: Map<string, Watched['counters'][string]>;
  readonly #devices: Map<string, WatchedDevice>;
  readonly #measured: Map<string, Watched['measured'][string]>;
  /** Profiles that were counted, by key. */
  readonly #profiles = new Map<string, object>();
  #watchedMs: number;
  #lookedAtMs: number | undefined;
  /** What was reached under load: its requester adds to it. */
  loads: Loads;

  constructor({ watchedMs, counters, devices, measured, loads }: Watched = NOTHING_WATCHED) {
    this.loads = knownOr(loads, NO_LOADS);
    this.#watchedMs = watchedMs;
    this.#counters = new Map(Object.entries(counters));
    this.#devices = new Map(Object.entries(devices));
    this.#measured = new Map(Object.entries(measured));
  }

  get watched(): Watched {
    return {
      watchedMs: this.#watchedMs,
      counters: Object.fromEntries(this.#counters),
      devices: Object.fromEntries(this.#devices),
      measured: Object.fromEntries(this.#measured),
      loads: this.loads,
    };
  }

  look({ state, nodes, links, nowMs }: Look): void {
    const sinceMs = nowMs - (this.#lookedAtMs ?? nowMs);
    if (sinceMs < GAP_MS) this.#watchedMs += Math.max(0, sinceMs);
    this.#lookedAtMs = nowMs;
    for (const view of nodes) {
      this.#lookAtNode(view);
      for (const { devices } of view.gpus) for (const gpu of devices) this.#lookAtGpu(view, gpu);
      this.#lookAtProfiles(state, view);
    }
    for (const link of links) this.#lookAtLink(link);
  }

  #lookAtNode({ nodeId, gpuErrors, traffic, network, portHealth }: NodeView): void {
    const errors = knownValue(gpuErrors)?.errors;
    if (errors !== undefined) {
      const ofDevices = errors.filter(error => xidMeaning(error).fault === 'device');
      this.#count(
        counterKey('driver-errors', nodeId, ''),
        ofDevices.reduce((sum, error) => sum + error.count, 0),
      );
    }
    for (const { name, kind, received, sent } of knownValue(traffic)?.ports ?? []) {
      const part = `${kind} ${name}`;
      for (const [way, counts] of [
        ['received', received],
        ['sent', sent],
      ] as const) {
        this.#count(counterKey('port-packets', nodeId, `${part} ${way}`), counts.packets);
        this.#count(counterKey('port-errors', nodeId, `${part} ${way}`), counts.errors);
        this.#count(counterKey('port-drops', nodeId, `${part} ${way}`), counts.drops);
      }
    }
    const { ports = [], slots = [] } = knownValue(portHealth) ?? {};
    for (const { name, counters } of [...ports, ...(isUnknown(slots) ? [] : slots)])
      for (const { counter, total } of counters) this.#count(counterKey(counter, nodeId, name), total);
    for (const { name, isUp, type } of knownValue(network)?.interfaces ?? [])
      if (isKnown(isUp) && isKnown(type) && PLUGGED.has(type))
        this.#change(counterKey('port-flaps', nodeId, name), isUp);
  }

  #lookAtGpu({ nodeId }: NodeView, gpu: GpuView): void {
    const { device, load, isLoadStale, health } = gpu;
    if (health !== undefined) {
      this.#count(counterKey('ecc-corrected', nodeId, device.deviceId), health.eccVolatile.corrected);
      this.#count(counterKey('ecc-uncorrected', nodeId, device.deviceId), health.eccVolatile.uncorrected);
      this.#count(counterKey('pcie-replays', nodeId, device.deviceId), health.pcieReplays);
    }
    if (load === undefined || isLoadStale) return;
    const at = deviceKey(nodeId, device.deviceId);
    const before = this.#devices.get(at) ?? NEVER_BUSY;
    const isBusy = (freshGpuUse(gpu) ?? 0) >= BUSY_SHARE;
    const now = isKnown(load.pcieNow) ? load.pcieNow : { width: 0, generation: 0 };
    this.#devices.set(at, {
      busyCount: before.busyCount + (isBusy ? 1 : 0),
      throttled:
        isBusy && isKnown(load.throttleReasons)
          ? [...new Set([...before.throttled, ...load.throttleReasons])].slice(0, REASONS_MAX)
          : before.throttled,
      lanes: Math.max(before.lanes, now.width),
      lanesBusyMin:
        isBusy && isKnown(load.pcieNow)
          ? Math.min(knownOr(before.lanesBusyMin, now.width), now.width)
          : before.lanesBusyMin,
      generation: Math.max(before.generation, now.generation),
      hottestCelsius:
        isBusy && isKnown(load.temperatureCelsius)
          ? Math.max(before.hottestCelsius, load.temperatureCelsius)
          : before.hottestCelsius,
    });
  }

  #lookAtProfiles(state: State, { nodeId }: NodeView): void {
    for (const [deviceId, { value }] of Object.entries(state.nodeGpuProfiles[nodeId] ?? {})) {
      const at = deviceKey(nodeId, deviceId);
      if (isUnknown(value.failure) || this.#profiles.get(at) === value) continue;
      this.#profiles.set(at, value);
      for (const { figure } of DEVICE_MEASURES) this.#measure(`${figure} ${at}`, value[figure]);
    }
  }

  #lookAtLink({ key, connections, lost }: LinkView): void {
    for (const { path } of connections) this.#change(counterKey('path-losses', key, path), true);
    for (const { path } of lost) this.#change(counterKey('path-losses', key, path), false);
  }

  #count(at: string, value: Reported<number>): void {
    if (isUnknown(value)) return;
    const { last, grown } = this.#counters.get(at) ?? { last: value, grown: 0 };
    this.#counters.set(at, { last: value, grown: grown + Math.max(0, value - last) });
  }

  /** How often it went down: 1 is up. */
  #change(at: string, isUp: boolean): void {
    const { last, grown } = this.#counters.get(at) ?? { last: isUp ? 1 : 0, grown: 0 };
    this.#counters.set(at, { last: isUp ? 1 : 0, grown: grown + (last === 1 && !isUp ? 1 : 0) });
  }

  #measure(at: string, value: Reported<number>): void {
    if (isUnknown(value)) return;
    const { low, high, count } = this.#measured.get(at) ?? { low: value, high: value, count: 0 };
    this.#measured.set(at, {
      low: Math.min(low, value),
      high: Math.max(high, value),
      count: count + 1,
    });
  }
}

export const NEVER_BUSY: WatchedDevice = {
  busyCount: 0,
  throttled: [],
  lanes: 0,
  generation: 0,
  lanesBusyMin: unknown('never seen busy'),
  hottestCelsius: 0,
};
const REASONS_MAX = 16;
/** A longer time between two looks was an interruption. */
const GAP_MS = 10_000;
/** With a cable or a radio: others come and go with programs. */
const PLUGGED: ReadonlySet<string> = new Set(['ethernet', 'infiniband', 'thunderbolt', 'wifi']);
