// A spread of times in a cell or a sentence, with a dash for what is unknown or has too few values.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { figureText } from '../../core/figure/figure.ts';
import type { SpreadFigures } from '../../core/statistics/bounded-spread.ts';
import { hasEnoughFor } from '../../core/statistics/early-stopping.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';

export const spreadTime = (figures: Reported<SpreadFigures>, key: keyof SpreadFigures): string =>
  isUnknown(figures) ? '–' : figureText(formatMeasuredNanoseconds(figures[key]));

/** p90 of this many values; a dash if they are too few. */
export const spreadTail = (figures: Reported<SpreadFigures>, count: number): string =>
  hasEnoughFor(90, count) ? spreadTime(figures, 'p90') : '–';
