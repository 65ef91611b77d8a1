// What the macOS gatherers are given. Times are settings, so that tests scale them down.

import type { Env } from '../process/child.ts';
import type { GatherSettings } from './gatherer.ts';
import type { MacosHost } from './macos-host.ts';

/** ms */
export interface MacosIntervals {
  /** Of `macmon pipe`, and so of memory, system and GPU load. */
  readonly telemetryMs: number;
  readonly thunderboltMs: number;
  readonly bridgeMs: number;
  readonly networkMs: number;
  readonly rdmaMs: number;
  readonly diskMs: number;
  readonly identityMs: number;
  /** Pressure and swap by sysctl. */
  readonly memoryGaugeMs: number;
}

/** ms */
export interface MacosTimeouts {
  /** Of a tool that is run to its end. */
  readonly toolMs: number;
  /** A streaming tool silent for longer is killed, reported and started again. */
  readonly silentMs: number;
  /** First pause before macmon is tried again after it broke; doubles to `macmonRetryMsMax`. */
  readonly macmonRetryMs: number;
  /** Also how often a missing macmon is looked for. */
  readonly macmonRetryMsMax: number;
}

export interface MacosOptions {
  readonly env: Env;
  readonly settings: () => GatherSettings;
  readonly plimsollVersion: string;
  readonly intervals: MacosIntervals;
  readonly timeouts: MacosTimeouts;
  readonly host: MacosHost;
}

/**
 * DESIGN §3.4, but for memory: macmon reads every power and temperature sensor for each line, so that half a second
 * would double the cost of the child for one figure; memory comes each second here.
 */
export const MACOS_INTERVALS: MacosIntervals = {
  telemetryMs: 1_000,
  thunderboltMs: 5_000,
  bridgeMs: 30_000,
  networkMs: 10_000,
  rdmaMs: 10_000,
  diskMs: 30_000,
  identityMs: 30_000,
  memoryGaugeMs: 5_000,
};

export const MACOS_TIMEOUTS: MacosTimeouts = {
  toolMs: 20_000,
  silentMs: 10_000,
  macmonRetryMs: 2_000,
  macmonRetryMsMax: 60_000,
};
