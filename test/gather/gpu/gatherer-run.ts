// Gatherers running as in the daemon, with all their reports kept in order and awaitable.

import type { Clock } from '../../../src/clock/clock.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { FailedGpu } from '../../../src/core/node/failed-gpu.ts';
import type { GpuDevice, GpuLoad } from '../../../src/core/node/gpu.ts';
import type { GpuHealth } from '../../../src/core/node/gpu-health.ts';
import { knownOr } from '../../../src/core/unknown.ts';
import type { Gatherer } from '../../../src/gather/gatherer.ts';
import { runGatherers } from '../../../src/gather/run-gatherers.ts';

export type ReportedState =
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
  readonly reported: ReportedState[] = [];
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
            this.#report({ kind, source, devices: value.devices, failed: knownOr(value.failed ?? [], []) });
          if (kind === 'gpuHealths') this.#report({ kind, source, devices: value.devices });
          if (kind === 'gpuLoads') this.#report({ kind, source, devices: value.devices });
        },
        failure: (_gatherer, { reading }, _source, reason) =>
          this.#report({ kind: 'failure', reading, reason }),
        absence: (_gatherer, { reading }, _source, reason) =>
          this.#report({ kind: 'absence', reading, reason }),
      },
    });
  }

  /** The first matching report from the given position on; waits for it. */
  async until<T extends ReportedState>(
    fits: (reported: ReportedState) => reported is T,
    from?: number,
  ): Promise<T>;
  async until(fits: (reported: ReportedState) => boolean, from?: number): Promise<ReportedState>;
  async until(fits: (reported: ReportedState) => boolean, from = 0): Promise<ReportedState> {
    for (let at = from; ; at += 1) {
      while (at >= this.reported.length) {
        await new Promise<void>(resolve => {
          const waiter = (): void => {
            this.#waiters.delete(waiter);
            resolve();
          };
          this.#waiters.add(waiter);
        });
      }
      const reported = this.reported[at];
      if (reported !== undefined && fits(reported)) return reported;
    }
  }

  /** Resolves when every gatherer has ended, on request or because it has nothing to report. */
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

  #report(reported: ReportedState): void {
    this.reported.push(reported);
    for (const waiter of [...this.#waiters]) waiter();
  }
}

export const isInventory = (reported: ReportedState): reported is Extract<ReportedState, { kind: 'gpus' }> =>
  reported.kind === 'gpus';
export const isLoads = (reported: ReportedState): reported is Extract<ReportedState, { kind: 'gpuLoads' }> =>
  reported.kind === 'gpuLoads';
export const isHealths = (
  reported: ReportedState,
): reported is Extract<ReportedState, { kind: 'gpuHealths' }> => reported.kind === 'gpuHealths';
export const isFailure = (reported: ReportedState): reported is Extract<ReportedState, { kind: 'failure' }> =>
  reported.kind === 'failure';
export const isAbsence = (reported: ReportedState): reported is Extract<ReportedState, { kind: 'absence' }> =>
  reported.kind === 'absence';
