// Gatherers running as in the daemon, with everything they tell kept in order and awaitable.

import type { Clock } from '../../../src/clock/clock.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { FailedGpu } from '../../../src/core/node/failed-gpu.ts';
import type { GpuDevice, GpuLoad } from '../../../src/core/node/gpu.ts';
import type { GpuHealth } from '../../../src/core/node/gpu-health.ts';
import { knownOr } from '../../../src/core/unknown.ts';
import type { Gatherer } from '../../../src/gather/gatherer.ts';
import { runGatherers } from '../../../src/gather/run-gatherers.ts';

export type Told =
  | {
      readonly kind: 'gpus';
      readonly source: string;
      readonly devices: readonly GpuDevice[];
      readonly failed: readonly FailedGpu[];
    }
  | { readonly kind: 'gpuLoads'; readonly source: string; readonly devices: readonly GpuLoad[] }
  | { readonly kind: 'gpuHealths'; readonly source: string; readonly devices: readonly GpuHealth[] }
  | { readonly kind: 'failure'; readonly reading: string; readonly reason: string }
  | { readonly kind: 'absence'; readonly reading: string; readonly reason: string };

type Waiter = () => void;

export class GathererRun {
  readonly told: Told[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;

  constructor(gatherers: readonly Gatherer[], clock: Clock = systemClock) {
    this.#ended = runGatherers(gatherers, {
      clock,
      signal: this.#stopping.signal,
      sink: {
        reading: (_gatherer, source, { kind, value }) => {
          if (kind === 'gpus')
            this.#tell({ kind, source, devices: value.devices, failed: knownOr(value.failed ?? [], []) });
          if (kind === 'gpuHealths') this.#tell({ kind, source, devices: value.devices });
          if (kind === 'gpuLoads') this.#tell({ kind, source, devices: value.devices });
        },
        failure: (_gatherer, { reading }, _source, reason) =>
          this.#tell({ kind: 'failure', reading, reason }),
        absence: (_gatherer, { reading }, _source, reason) =>
          this.#tell({ kind: 'absence', reading, reason }),
      },
    });
  }

  /** The first thing told, from the given position on, that fits; waits for it. */
  async until<T extends Told>(fits: (told: Told) => told is T, from?: number): Promise<T>;
  async until(fits: (told: Told) => boolean, from?: number): Promise<Told>;
  async until(fits: (told: Told) => boolean, from = 0): Promise<Told> {
    for (let at = from; ; at += 1) {
      while (at >= this.told.length) {
        await new Promise<void>(resolve => {
          const waiter = (): void => {
            this.#waiters.delete(waiter);
            resolve();
          };
          this.#waiters.add(waiter);
        });
      }
      const told = this.told[at];
      if (told !== undefined && fits(told)) return told;
    }
  }

  /** Resolves when every gatherer has ended, whether asked to or because it has nothing to tell. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #tell(told: Told): void {
    this.told.push(told);
    for (const waiter of [...this.#waiters]) waiter();
  }
}

export const isInventory = (told: Told): told is Extract<Told, { kind: 'gpus' }> => told.kind === 'gpus';
export const isLoads = (told: Told): told is Extract<Told, { kind: 'gpuLoads' }> => told.kind === 'gpuLoads';
export const isHealths = (told: Told): told is Extract<Told, { kind: 'gpuHealths' }> =>
  told.kind === 'gpuHealths';
export const isFailure = (told: Told): told is Extract<Told, { kind: 'failure' }> => told.kind === 'failure';
export const isAbsence = (told: Told): told is Extract<Told, { kind: 'absence' }> => told.kind === 'absence';
