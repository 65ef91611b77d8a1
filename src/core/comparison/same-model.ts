// Two engines name one model differently: a path, a repository's id, a file. Whoever knows that it is the same says so, and the
// difference is listed as a notice instead of a refusal; everything else still refuses.

import type { ComparisonRefusal } from './comparison-document.ts';

/** @param canSay whether whoever reads the refusal has a command line to say it on */
export const judgedModels = (
  refusals: readonly ComparisonRefusal[],
  { isSameModel, canSay }: { readonly isSameModel: boolean; readonly canSay: boolean },
): { readonly refusals: readonly ComparisonRefusal[]; readonly notices: readonly string[] } => ({
  refusals: isSameModel
    ? refusals.filter(({ code }) => code !== 'model')
    : refusals.map(refusal =>
        refusal.code === 'model' && canSay
          ? {
              ...refusal,
              problem: `${refusal.problem}; if they are one model under two names, add --same-model`,
            }
          : refusal,
      ),
  notices: isSameModel
    ? refusals.flatMap(({ code, a, b }) =>
        code === 'model' ? [`A calls its model ${a}, B ${b}: compared as the same model, as was said`] : [],
      )
    : [],
});
