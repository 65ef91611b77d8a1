// How a session ends, and why turns of it never ran: planned = issued + skipped, always.

/** Why a turn of a session that had begun was not issued. */
export const SKIP_REASONS = ['turn-failed', 'answer-too-long', 'run-ended', 'answer-not-kept'] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

/** Which session a request belongs to, by its number in the run, and its place in it. */
export interface SampleTurn {
  readonly session: number;
  readonly turn: number;
  /** That its session has: what was planned is known also where a run was killed. */
  readonly turns: number;
}

/** A turn that was planned and never issued. */
export interface SkippedTurn extends SampleTurn {
  readonly sampleId: number;
  /** As of a sample: OUTSIDE_WINDOWS where its session is not measured. */
  readonly window: number;
  readonly reason: SkipReason;
}
