// Two engines name one model differently: a path, a repository's id, a file. A person can state that it is
// the same model: then the difference is listed as a notice instead of a refusal; all other differences are
// still refused.

import type { ComparisonRefusal } from './comparison-document.ts';

/** @param isVerifiable whether the reader of the refusal has a command line for the option */
export const judgedModels = (
  refusals: readonly ComparisonRefusal[],
  { isSameModel, isVerifiable }: { readonly isSameModel: boolean; readonly isVerifiable: boolean },
): { readonly refusals: readonly ComparisonRefusal[]; readonly notices: readonly string[] } => ({
  refusals: isSameModel
    ? refusals.filter(({ code }) => code !== 'model')
    : refusals.map(refusal =>
        refusal.code === 'model' && isVerifiable
          ? {
              ...refusal,
              problem: `${refusal.problem}; if they are one model under two names, add --same-model`,
            }
          : refusal,
      ),
  notices: isSameModel
    ? refusals.flatMap(({ code, a, b }) =>
        code === 'model' ? [`A calls its model ${a}, B ${b}: compared as the same model (--same-model)`] : [],
      )
    : [],
});
