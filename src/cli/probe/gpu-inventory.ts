// The GPUs of this machine as its gatherers find them, read once and without a daemon, with the sources that were tried: for
// `plimsoll probe gpu`.

import { systemClock } from '../../clock/system-clock.ts';
import { defaultConfig } from '../../config/read-config.ts';
import type { GpuVendor, NodeGpus } from '../../core/node/gpu.ts';
import type { GatheredKind, Gatherer } from '../../gather/gatherer.ts';
import { platformGatherers } from '../../gather/platform-gatherers.ts';
import { runGatherers } from '../../gather/run-gatherers.ts';
import type { Env } from '../../process/child.ts';

export interface GpuInventory {
  /** One entry for each vendor whose source answered; its list may be empty. */
  readonly gpus: readonly NodeGpus[];
  /** The result of every source that reported no device. */
  readonly sources: readonly GpuSource[];
}

interface GpuSource {
  readonly vendor: GpuVendor;
  readonly source: string;
  readonly reason: string;
  /** True: there are none. False: no source could determine it. */
  readonly isAbsence: boolean;
}

interface GpuInventoryOptions {
  readonly platform: string;
  readonly env: Env;
  readonly plimsollVersion: string;
  readonly signal: AbortSignal;
}

/** @throws the signal's reason, when it aborts. */
export const gpuInventory = async (options: GpuInventoryOptions): Promise<GpuInventory> => {
  const gatherers = platformGatherers({
    ...options,
    root: '/',
    settings: () => ({ name: undefined, ignoredInterfaces: [] }),
    onSettings: () => () => undefined,
    intervals: defaultConfig().gather,
  }).filter(gatherer => vendorsOf(gatherer).length > 0);
  const waiting = new Set(gatherers.flatMap(vendorsOf));
  const gpus = new Map<GpuVendor, NodeGpus>();
  const sources = new Map<GpuVendor, GpuSource>();
  const done = new AbortController();
  const settle = (vendor: GpuVendor): void => {
    waiting.delete(vendor);
    if (waiting.size === 0) done.abort();
  };
  const saw = (kind: GatheredKind, source: string, reason: string, isAbsence: boolean): void => {
    if (kind.reading !== 'gpus' || kind.vendor === 'none') return;
    sources.set(kind.vendor, { vendor: kind.vendor, source, reason, isAbsence });
    settle(kind.vendor);
  };
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const signal = AbortSignal.any([options.signal, done.signal, patience]);
  if (waiting.size > 0) {
    await runGatherers(gatherers, {
      clock: systemClock,
      signal,
      sink: {
        reading: (_, source, reading) => {
          if (reading.kind !== 'gpus') return;
          const { vendor, devices } = reading.value;
          gpus.set(vendor, reading.value);
          if (devices.length === 0) {
            sources.set(vendor, { vendor, source, reason: 'it lists no device', isAbsence: true });
          }
          settle(vendor);
        },
        failure: (_, kind, source, reason) => saw(kind, source, reason, false),
        absence: (_, kind, source, reason) => saw(kind, source, reason, true),
      },
    });
  }
  options.signal.throwIfAborted();
  for (const vendor of waiting) {
    const reason = `no answer in ${PATIENCE_MS / 1_000} s`;
    sources.set(vendor, { vendor, source: `${vendor} gatherer`, reason, isAbsence: false });
  }
  return { gpus: [...gpus.values()], sources: [...sources.values()] };
};

const vendorsOf = (gatherer: Gatherer): readonly GpuVendor[] =>
  gatherer.reports.flatMap(({ reading, vendor }) =>
    reading === 'gpus' && vendor !== 'none' ? [vendor] : [],
  );

/** A driver without persistence mode takes seconds to start. */
const PATIENCE_MS = 15_000;
