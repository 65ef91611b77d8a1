// How far a verdict on the load generator goes. It speaks of what was observed: of a run that was cut off or lacks a part
// nobody may read it as a word on the whole, so that "trustworthy" is said of whole runs only.

import type { ClientFigures, RunState } from './run.ts';

/** 'so-far': it goes on. 'until-then': it broke off. 'partly': its account lacks something. */
export type VerdictScope = 'whole' | 'so-far' | 'until-then' | 'partly';

export const verdictScope = (state: RunState): VerdictScope => {
  switch (state) {
    case 'complete':
      return 'whole';
    case 'running':
      return 'so-far';
    case 'interrupted':
      return 'until-then';
    case 'incomplete':
    case 'failed':
      return 'partly';
    default:
      return state satisfies never;
  }
};

/** For a cell or a line: the verdict, or as far as it goes. */
export const verdictText = (verdict: ClientFigures['verdict'], state: RunState): string => {
  const scope = verdictScope(state);
  return verdict !== 'trustworthy' || scope === 'whole' || scope === 'so-far' ? verdict : KEPT_UP[scope];
};

const KEPT_UP = { 'until-then': 'kept up until then', partly: 'kept up, in part' } as const;
