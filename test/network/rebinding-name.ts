// The arguments of rebinding-process.ts.

export interface RebindingName {
  /** Where it answers. */
  readonly server: string;
  /** Given in the first `firstAnswers` answers, and what is given after them. */
  readonly first: string;
  readonly later: string;
  readonly firstAnswers: number;
  readonly trapPort: number;
}
