// Which labels a link should have on the map, by what is known about it and the room between its nodes. Each label has
// room for any figure, so a new one never moves it.

import type { Detail } from './arrangement.ts';
import type { MapFrame } from './geometry.ts';
import { labelHeight, type WantedLabel } from './labels.ts';
import { drawnTextWidth } from './text-width.ts';

/** The label of a link: nothing, a text in place of figures, or its figures. */
export type LinkTexts =
  | 'none'
  | 'measuring'
  | 'waits'
  | 'failed'
  | 'lost'
  | 'reconnecting'
  | 'not measured'
  | 'figures';

interface LabelRequest {
  readonly texts: LinkTexts;
  readonly isPicked: boolean;
  readonly isFlagged: boolean;
}

interface LabelRoom {
  readonly detail: Detail;
  readonly fontSize: number;
  /** Of the line, px. */
  readonly length: number;
  readonly isBent: boolean;
}

/** Sets of labels, the fullest first; none for a link without labels. */
export const wantedLabels = (
  { texts, isPicked, isFlagged }: LabelRequest,
  { detail, fontSize, length, isBent }: LabelRoom,
): readonly (readonly WantedLabel[])[] => {
  if (texts === 'none') return [];
  if (texts === 'figures' && isPicked) return pickedLabels(detail, fontSize);
  if (texts !== 'figures') {
    return detail === 'phone' ? [] : [[{ role: 'text', width: textWidth(texts, fontSize) }]];
  }
  const flag: readonly WantedLabel[] = [{ role: 'flag', width: flagWidth(detail, fontSize) }];
  if (detail === 'phone') return isFlagged ? [flag] : [];
  const delay = delayLabel(fontSize);
  const ways = waysLabels(fontSize);
  const all = [...ways, delay];
  if (isFlagged) return isBent ? [flag] : [all, flag];
  if (detail === 'full') return [all];
  const both: WantedLabel = { role: 'both', width: lowerWidth(fontSize) };
  return length < SHORT_LINE ? [[both, delay], [both]] : [all, ways, [both, delay], [both]];
};

/** A picked link shows both directions, however little room there is. */
const pickedLabels = (detail: Detail, fontSize: number): readonly (readonly WantedLabel[])[] => {
  const ways = waysLabels(fontSize);
  return detail === 'phone' ? [ways] : [[...ways, delayLabel(fontSize)], ways];
};

const waysLabels = (fontSize: number): readonly WantedLabel[] => [
  { role: 'toFirst', width: rateWidth(fontSize) },
  { role: 'toSecond', width: rateWidth(fontSize) },
];

const delayLabel = (fontSize: number): WantedLabel => ({ role: 'delay', width: delayWidth(fontSize) });

/** Before a figure for both directions: it is the lower one. */
export const LOWER_MARK = 'min';

const lowerWidth = (fontSize: number): number =>
  drawnTextWidth(`${LOWER_MARK} `, { face: 'condensed', size: fontSize - 1 }) + rateWidth(fontSize);

const rateWidth = (fontSize: number): number =>
  drawnTextWidth('88.8', { face: 'condensed-medium', size: fontSize }) +
  drawnTextWidth(' MB/s', { face: 'condensed', size: fontSize - 1 }) +
  3;

const delayWidth = (fontSize: number): number =>
  drawnTextWidth('888', { face: 'condensed', size: fontSize }) +
  drawnTextWidth(' ms', { face: 'condensed', size: fontSize - 1 }) +
  3;

export const flagSize = (detail: Detail, fontSize: number): MapFrame => ({
  width: flagWidth(detail, fontSize),
  height: labelHeight('flag', fontSize),
});

/** "of 100 Gb/s" is the longer one of its two lines; a phone has room for the figure and its unit alone. */
const flagWidth = (detail: Detail, fontSize: number): number =>
  drawnTextWidth(detail === 'phone' ? 'MB/s' : 'of 88.8 MB/s', { face: 'condensed-medium', size: fontSize }) +
  3;

const textWidth = (text: string, fontSize: number): number =>
  drawnTextWidth(text, { face: 'condensed', size: fontSize }) + 3;

/** Two labels need a line so long, px. */
const SHORT_LINE = 110;
