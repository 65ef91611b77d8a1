// One thing that `plimsoll doctor` looked at.

export type Verdict =
  | 'ok'
  /** Worth knowing; nothing is wrong. */
  | 'note'
  /** Something a person should put right. */
  | 'problem';

export interface Check {
  readonly section:
    | 'this computer'
    | 'home'
    | 'settings'
    | 'daemon'
    | 'mesh'
    | 'cluster'
    | 'tools'
    | 'readings';
  readonly verdict: Verdict;
  readonly text: string;
  /** What to do; '' where there is nothing to do. */
  readonly advice: string;
}
