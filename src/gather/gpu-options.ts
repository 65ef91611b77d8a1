// What every GPU gatherer is given. `root` stands before every /sys, /proc and /usr path, so that a tree of fixtures
// can stand in for a machine.

import type { Env } from '../process/child.ts';

export interface GpuOptions {
  /** "/" on a real machine. */
  readonly root: string;
  readonly env: Env;
  /** Default 1 s. */
  readonly loadIntervalMs?: number;
  /** Default 30 s. */
  readonly inventoryIntervalMs?: number;
  /** A streaming tool silent for longer is killed and started again. Default 15 s. */
  readonly idleTimeoutMs?: number;
  /** For one answer of a tool; a driver without persistence mode takes seconds. Default 30 s. */
  readonly toolTimeoutMs?: number;
}

export type GpuSettings = Required<GpuOptions>;

export const gpuSettings = (options: GpuOptions): GpuSettings => ({
  root: options.root,
  env: options.env,
  loadIntervalMs: options.loadIntervalMs ?? 1_000,
  inventoryIntervalMs: options.inventoryIntervalMs ?? 30_000,
  idleTimeoutMs: options.idleTimeoutMs ?? 15_000,
  toolTimeoutMs: options.toolTimeoutMs ?? 30_000,
});
