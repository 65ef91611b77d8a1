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
    | 'fleet'
    | 'cluster'
    | 'tools'
    | 'readings';
  readonly verdict: Verdict;
  readonly text: string;
  /** What to do; '' where there is nothing to do. */
  readonly advice: string;
}

type Checker = (verdict: Verdict, text: string, advice?: string) => Check;

/** What makes the checks of a section. */
export const checksOf =
  (section: Check['section']): Checker =>
  (verdict, text, advice = '') => ({ section, verdict, text, advice });
