// Figures as parts of a terminal line: what is unknown is a dash with its reason.

import { type Figure, figureText } from '../core/figure/figure.ts';
import { isUnknown, type Unknown } from '../core/unknown.ts';
import { type Line, part, type Tone } from './part.ts';

/** The figure, or "– (no sensor)". */
export const figureFact = (
  value: number | Unknown,
  format: (value: number) => Figure,
  tone: Tone = 'plain',
): Line => (isUnknown(value) ? unknownFact(value) : [part(figureText(format(value)), tone)]);

export const textFact = (value: string | Unknown, tone: Tone = 'plain'): Line =>
  isUnknown(value) ? unknownFact(value) : [part(value, tone)];

export const unknownFact = ({ reason }: Unknown): Line => [part(`– (${reason})`, 'dim')];

/** With the name of what is unknown, if the figure alone is unclear. */
export const named = (name: string, fact: Line): Line => [part(`${name} `, 'dim'), ...fact];
