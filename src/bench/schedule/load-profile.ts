// The level of a load over the time of a run: consecutive linear pieces, derived from a pattern and its shape. Levels
// are requests a second or in flight; times are ns from the start of the load.

import { isOpenLoop, type RunPattern } from '../../core/run/run-pattern.ts';
import type { RunShape } from '../../core/run/run-shape.ts';

export interface LoadProfile {
  /** Without gaps, from 0; none of zero length. After the last one its level continues. */
  readonly pieces: readonly ProfilePiece[];
  /** Earlier samples belong to ramp and warm-up, and are not measured. */
  readonly measuredFromNs: number;
}

export interface ProfilePiece {
  readonly startNs: number;
  readonly endNs: number;
  readonly from: number;
  readonly to: number;
}

/** undefined if the load has one constant level. */
export const loadProfile = (
  pattern: RunPattern,
  { rampMs, warmupMs, steps }: Pick<RunShape, 'rampMs' | 'warmupMs' | 'steps'>,
  usersMax: number,
): LoadProfile | undefined => {
  if (rampMs === 0 && warmupMs === 0 && steps.length === 0) return undefined;
  const first = steps[0]?.from ?? levelOf(pattern, usersMax);
  const wanted = [
    { from: 0, to: first, durationMs: rampMs },
    { from: first, to: first, durationMs: warmupMs },
    ...steps,
  ].filter(({ durationMs }) => durationMs > 0);
  const pieces: ProfilePiece[] = [];
  let startNs = 0;
  for (const { from, to, durationMs } of wanted) {
    const endNs = startNs + Math.round(durationMs * 1e6);
    pieces.push({ startNs, endNs, from, to });
    startNs = endNs;
  }
  return { pieces, measuredFromNs: Math.round(rampMs * 1e6) + Math.round(warmupMs * 1e6) };
};

const levelOf = (pattern: RunPattern, usersMax: number): number => {
  if (isOpenLoop(pattern)) return pattern.requestsPerSecond;
  switch (pattern.kind) {
    case 'concurrency':
      return pattern.concurrency;
    case 'max-throughput':
      return usersMax;
    default:
      return pattern satisfies never;
  }
};
