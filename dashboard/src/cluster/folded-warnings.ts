// Warnings with all but the first few of one sort folded away, each fold in the place of what it holds.

import { warningSort } from '../../../src/core/warnings/warning.ts';
import type { ListedWarning } from './warnings.ts';

type WarningRow =
  | { readonly kind: 'warning'; readonly key: string; readonly warning: ListedWarning }
  /** So many more of one sort. */
  | { readonly kind: 'fold'; readonly key: string; readonly sort: string; readonly count: number };

export const foldedWarnings = (
  warnings: readonly ListedWarning[],
  unfolded: ReadonlySet<string>,
): readonly WarningRow[] => {
  const groups = Map.groupBy(warnings, warningSort);
  return [...groups].flatMap(([sort, group]): readonly WarningRow[] => {
    const isFolded = group.length > UNFOLDED_MAX && !unfolded.has(sort);
    const shown = isFolded ? group.slice(0, FOLDED_SHOWN) : group;
    const rows = shown.map(warning => ({ kind: 'warning' as const, key: warning.id, warning }));
    const count = group.length - shown.length;
    return count === 0 ? rows : [...rows, { kind: 'fold', key: `fold ${sort}`, sort, count }];
  });
};

const UNFOLDED_MAX = 5;
const FOLDED_SHOWN = 3;
