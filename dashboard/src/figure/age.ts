// The age of a reading as it stands in a table or under a card: under a second it only says so, because tenths that
// change twice a second are unrest and not news.

import { formatAge } from '../../../src/core/figure/duration.ts';
import { figureText } from '../../../src/core/figure/figure.ts';

export const ageText = (ageMs: number): string =>
  ageMs < UNDER_MS ? '<\u00a01\u00a0s' : figureText(formatAge(ageMs));

/** Where core's own ages begin to be whole seconds. */
const UNDER_MS = 950;
