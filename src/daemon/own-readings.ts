// What a node reads from its own machine: the gatherers of the platform and its settings, recorded as events. A
// simulated node has none.

import type { GpuVendor } from '../core/node/gpu.ts';
import { platformGatherers } from '../gather/platform-gatherers.ts';
import { runGatherers } from '../gather/run-gatherers.ts';
import { configGatherer } from './config-gatherer.ts';
import type { DaemonOptions } from './daemon-options.ts';
import { FirstReadings } from './first-readings.ts';
import type { OwnNode } from './local-node.ts';
import { gpuVendorsOf } from './probes/daemon-probes.ts';
import { ReadingRecorder } from './reading-recorder.ts';

export interface OwnReadings {
  /** GPU vendors with a source on this machine. */
  readonly gpuVendors: readonly GpuVendor[];
  /** Gathers until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves once every reading was reported, failed or was absent, or when the signal aborts. */
  whenFirst(signal: AbortSignal): Promise<void>;
  /** Names of the readings without any report yet. */
  missing(): readonly string[];
}

export const ownReadings = (options: DaemonOptions, { settings, voice }: OwnNode): OwnReadings => {
  const ofMachine = () => [
    configGatherer(settings),
    ...platformGatherers({
      ...options,
      plimsollVersion: options.version,
      intervals: settings.config.gather,
      settings: () => ({
        name: options.name ?? settings.config.name,
        ignoredInterfaces: settings.config.network.ignoredInterfaces,
      }),
      onSettings: listener => settings.onChange(listener),
    }),
  ];
  const gatherers = options.simulation === undefined ? ofMachine() : [];
  const first = new FirstReadings(gatherers);
  const sink = new ReadingRecorder({ ...voice, onPublished: key => first.note(key) });
  return {
    gpuVendors: gpuVendorsOf(gatherers),
    run: signal => runGatherers(gatherers, { clock: voice.clock, signal, sink }),
    whenFirst: signal => first.wait(signal),
    missing: () => first.missing,
  };
};
