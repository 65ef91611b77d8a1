// Pieces of a terminal line with their tone. Lines are laid out by text width and coloured last, so colour never counts
// as width and everything can be tested as plain text.

import { type Figure, figureText } from '../core/figure/figure.ts';
import type { FigureValue } from '../core/figure/figure-row.ts';
import { textWidth } from '../core/text/columns.ts';
import { showable } from '../core/text/single-line.ts';
import { isUnknown, type Unknown } from '../core/unknown.ts';

export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'caution' | 'bad' | 'water';

export interface Part {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Part[];

/** Names come from other machines and tools: nothing in them may reach the terminal as a control sequence. */
export const part = (text: string, tone: Tone = 'plain'): Part => ({ text: showable(text), tone });

export interface PaintOptions {
  readonly color: boolean;
  /** false: only what every terminal can show. */
  readonly isUnicode: boolean;
}

export const paint = (line: Line, options: PaintOptions): string =>
  line
    .map(({ text, tone }) => {
      const shown = options.isUnicode ? text.replace(/[\u00a0\u202f]/g, ' ') : asciiOf(text);
      const code = TONE_CODES[tone];
      return options.color && code !== undefined && shown.trim() !== ''
        ? `\u001b[${code}m${shown}\u001b[0m`
        : shown;
    })
    .join('')
    .trimEnd();

export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + textWidth(text), 0);

const asciiOf = (text: string): string =>
  [...text].map(sign => ASCII.get(sign) ?? (sign.charCodeAt(0) < 0x7f ? sign : '?')).join('');

const ASCII: ReadonlyMap<string, string> = new Map([
  ['\u00a0', ' '],
  ['\u202f', ' '],
  ['–', '-'],
  ['·', '|'],
  ['×', 'x'],
  ['µ', 'u'],
  ['°', ''],
  ['…', '~'],
  ['█', '#'],
  ['▁', '.'],
  ['▂', '.'],
  ['▃', ':'],
  ['▄', '-'],
  ['▅', '='],
  ['▆', '+'],
  ['▇', '*'],
  ['░', '.'],
  ['●', '*'],
  ['○', 'o'],
  ['↑', '^'],
  ['↓', 'v'],
  ['≥', '>='],
]);

const TONE_CODES: Readonly<Record<Tone, string | undefined>> = {
  plain: undefined,
  strong: '1',
  dim: '2',
  good: '32',
  caution: '33',
  bad: '31',
  water: '34',
};

// Figures as parts of a terminal line: what is unknown is a dash with its reason.

/** The figure, or "– (no sensor)". */
export const figureFact = (
  value: FigureValue,
  format: (value: number) => Figure,
  tone: Tone = 'plain',
): Line => (typeof value === 'object' ? unknownFact(value) : [part(figureText(format(Number(value))), tone)]);

export const textFact = (value: string | Unknown, tone: Tone = 'plain'): Line =>
  isUnknown(value) ? unknownFact(value) : [part(value, tone)];

export const unknownFact = ({ reason }: Unknown): Line => [part(`– (${reason})`, 'dim')];

/** With the name of what is unknown, if the figure alone is unclear. */
export const named = (name: string, fact: Line): Line => [part(`${name} `, 'dim'), ...fact];
