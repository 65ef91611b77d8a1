// How a session ends, and why turns of it never ran: planned = issued + skipped, always.

/** Why a turn of a started session was not issued. */
export const SKIP_REASONS = ['turn-failed', 'answer-too-long', 'run-ended', 'answer-not-kept'] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

/** The session of a request, by its number in the run, and its position in it. */
export interface SampleTurn {
  readonly session: number;
  readonly turn: number;
  /** Number of turns of its session: what was planned is known even for a killed run. */
  readonly turns: number;
}

/** A turn that was planned and never issued. */
export interface SkippedTurn extends SampleTurn {
  readonly sampleId: number;
  /** As for a sample: OUTSIDE_WINDOWS if its session is not measured. */
  readonly window: number;
  readonly reason: SkipReason;
}
