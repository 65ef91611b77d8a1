// A reported value as text, with the reason if there is none, so no view can omit it.

import { type Figure, figureText, UNKNOWN_FIGURE } from '../../../src/core/figure/figure.ts';
import { isUnknown, type Unknown } from '../../../src/core/unknown.ts';

export interface ReportedText {
  readonly text: string;
  /** Why the text is "–"; '' where it is not. */
  readonly reason: string;
}

export const reportedFigure = (
  value: number | Unknown | undefined,
  format: (value: number) => Figure,
  absent = 'not read yet',
): ReportedText => {
  if (value === undefined) return { text: UNKNOWN_FIGURE.figure, reason: absent };
  if (isUnknown(value)) return { text: UNKNOWN_FIGURE.figure, reason: value.reason };
  return { text: figureText(format(value)), reason: '' };
};

export const reportedText = (value: string | Unknown | undefined, absent = 'not read yet'): ReportedText => {
  if (value === undefined) return { text: UNKNOWN_FIGURE.figure, reason: absent };
  return isUnknown(value)
    ? { text: UNKNOWN_FIGURE.figure, reason: value.reason }
    : { text: value, reason: '' };
};
