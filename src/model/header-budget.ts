// Limit for the expansion of all headers of one model together: a model may be split over a thousand files, each of
// them within its own limit.

import { ExpansionBudget } from '../core/input/expansion-budget.ts';
import type { InputKind } from '../core/input/input-limits.ts';
import { parseAnyJson } from '../core/json.ts';
import { ModelError } from './model-error.ts';

export const headerBudget = (kind: InputKind, place: string): ExpansionBudget =>
  new ExpansionBudget(
    kind,
    ({ problem, advice }) => new ModelError({ code: 'damaged', problem: `${place}: ${problem}`, advice }),
  );

/** undefined for what is not JSON. @throws ModelError for what expands too far */
export const parsedModelJson = (text: string, place: string): unknown => {
  headerBudget('modelConfig', place).addJson(text);
  return parseAnyJson(text);
};
