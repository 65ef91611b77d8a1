// What a client notes about a request in addition to its reply: which of several kinds of request it was,
// whether its answer was as requested, and whether it was cancelled on purpose. Most requests have no note.

export interface SampleNote {
  /** The client cancelled it because of --cancel-after: no failure. */
  readonly isCancelledAsPlanned: boolean;
  /** The load was over, and its answer did not arrive within --grace: no failure. */
  readonly isCutAfterGrace: boolean;
  /** Which of the run's variants it was, from 0: a model, a URL. NO_FIGURE: the run has none. */
  readonly variant: number;
  readonly check: AnswerCheck;
}

/** For tool calls and answers with a schema. 'absent': it was requested and is missing. */
export type AnswerCheck = (typeof ANSWER_CHECKS)[number];

/** In the order in which they are stored. */
export const ANSWER_CHECKS = ['none', 'fits', 'not-json', 'misfit', 'absent'] as const;
