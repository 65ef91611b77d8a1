// How far a verdict on the load generator applies. It covers what was observed: for a run that was cut off or
// is incomplete it must not be read as a verdict on the whole, so "trustworthy" is only used for complete
// runs.

import type { ClientFigures, RunState } from './run.ts';

/** 'so-far': in progress. 'until-then': it was cut off. 'partly': its report is incomplete. */
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

/** For a cell or a line: the verdict, limited to what it covers. */
export const verdictText = (verdict: ClientFigures['verdict'], state: RunState): string => {
  const scope = verdictScope(state);
  return verdict !== 'trustworthy' || scope === 'whole' || scope === 'so-far' ? verdict : KEPT_UP[scope];
};

const KEPT_UP = { 'until-then': 'kept up until then', partly: 'kept up, in part' } as const;
