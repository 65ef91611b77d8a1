// How many sessions at a time a search tries next while it has no bracket. Few sessions take long to decide, so the number
// grows faster than that of requests. Beyond the capacity sessions take longer: a number at which too few ended for a
// verdict, and these missed, is followed by a smaller one, down to one.

import type { StageEvidence, StageVerdict } from '../../core/sweep/stage.ts';
import type { Trials } from './trials.ts';

interface NumberOptions {
  readonly loadMax: number;
  /** A number that the remaining time probably decides to be met; undefined: not known. */
  readonly probable: number | undefined;
  /** The last stage at the highest number, except the first look at one session. */
  readonly last: { readonly verdict: StageVerdict; readonly evidence: StageEvidence } | undefined;
}

/** undefined: there is none left that is worth a stage. */
export const numberOfSessions = (
  trials: Trials,
  { loadMax, probable, last }: NumberOptions,
): number | undefined => {
  const { holds, fails, highest = 1 } = trials;
  const isTooMany = last?.verdict === 'undecided' && (last.evidence.excess?.value ?? 1) > TOO_MANY_EXCESS;
  if (fails === undefined && trials.clientLimit === undefined && !isTooMany)
    return highest >= loadMax ? undefined : Math.min(loadMax, highest * GROWTH);
  const ceiling = fails?.load ?? highest;
  const middle = Math.sqrt((holds?.load ?? 1) * ceiling);
  return (probable === undefined ? [middle] : [probable * BELOW_PROBABLE, middle])
    .map(next => Math.max(1, Math.round(next)))
    .find(next => {
      // One session was only looked at, when the search began.
      const isTried = next > 1 ? trials.at(next) !== undefined : (trials.at(1)?.undecided ?? 0) > 1;
      return !isTried && next < ceiling && next > (holds?.load ?? 0);
    });
};

const GROWTH = 3;
/** The time is planned in requests, and a verdict on whole sessions takes several requests for each. */
const BELOW_PROBABLE = 0.8;
/** Twice the limit: it would have been missed if more sessions had ended. */
const TOO_MANY_EXCESS = Math.log(2);
