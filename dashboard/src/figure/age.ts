// The age of a reading as shown in a table or under a card: below a second only as such, because tenths that change
// twice a second distract.

import { formatAge } from '../../../src/core/figure/duration.ts';
import { figureText } from '../../../src/core/figure/figure.ts';

export const ageText = (ageMs: number): string =>
  ageMs < UNDER_MS ? '<\u00a01\u00a0s' : figureText(formatAge(ageMs));

/** In lists, where a minute is soon and no row is watched: tens of seconds, so that a page nobody touches need not be drawn. */
export const listAgeText = (ageMs: number): string => {
  if (ageMs >= MINUTE_MS) return ageText(ageMs);
  if (ageMs < STEP_MS) return '<\u00a010\u00a0s';
  return figureText({ figure: String(Math.floor(ageMs / STEP_MS) * 10), unit: 's' });
};

/** Where core's own ages begin to be whole seconds. */
const UNDER_MS = 950;
/** And where they are whole minutes. */
const MINUTE_MS = 59_500;
const STEP_MS = 10_000;
