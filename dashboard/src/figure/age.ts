// The age of a reading as shown in a table or under a card: below a second it only says so, because tenths that change
// twice a second distract.

import { formatAge } from '../../../src/core/figure/duration.ts';
import { figureText } from '../../../src/core/figure/figure.ts';

export const ageText = (ageMs: number): string =>
  ageMs < UNDER_MS ? '<\u00a01\u00a0s' : figureText(formatAge(ageMs));

/** Where core's own ages begin to be whole seconds. */
const UNDER_MS = 950;
