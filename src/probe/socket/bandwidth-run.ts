// One measurement of one direction: its limits and its result.

import { type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import type { RateEstimate } from './rate-estimate.ts';

export type ProbeDirection = 'upload' | 'download';

export interface RunOptions {
  readonly streams: number;
  /** Limit for all streams together. */
  readonly bytesMax: number;
  readonly durationMsMax: number;
  readonly roundTripMs: number;
  readonly measuresQueue: boolean;
}

/** Why a figure is missing that costs much and changes little. */
export const HOURLY: Unknown = unknown('measured once an hour');

export interface RunResult {
  /** undefined if not one byte arrived in time. */
  readonly bitsPerSecond: number | undefined;
  readonly elapsedMs: number;
  readonly bytes: number;
  readonly retransmits: Reported<number>;
  readonly streams: number;
  /** How much longer a round trip takes during it than without it. */
  readonly queueNs: Reported<number>;
}

export const runFiguresOf = (
  estimate: RateEstimate,
): Pick<RunResult, 'bitsPerSecond' | 'elapsedMs' | 'bytes'> => ({
  bitsPerSecond: estimate.bitsPerSecond,
  elapsedMs: estimate.elapsedMs,
  bytes: estimate.bytes,
});

/** How much longer the sink may run than the source requested. */
export const RUN_SLACK_MS = 3_000;
