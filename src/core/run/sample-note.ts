// What a client notes of a request beside what its reply said: which of several kinds of request it was, whether its answer
// was what was asked for, and whether it was broken off on purpose. Most requests have none.

export interface SampleNote {
  /** The client broke it off as --cancel-after says: no failure. */
  readonly isCancelledAsPlanned: boolean;
  /** The load was over, and its answer did not come within --grace: no failure. */
  readonly isCutAfterGrace: boolean;
  /** Which of the run's variants it was, from 0: a model, a URL. NO_FIGURE: the run has none. */
  readonly variant: number;
  readonly check: AnswerCheck;
}

/** Of calls of tools and of answers that a schema was given for. 'absent': it was asked for and is not there. */
export type AnswerCheck = (typeof ANSWER_CHECKS)[number];

/** In the order in which they are stored. */
export const ANSWER_CHECKS = ['none', 'fits', 'not-json', 'misfit', 'absent'] as const;
