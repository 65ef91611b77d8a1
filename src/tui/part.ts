// Pieces of a terminal line with their tone. Lines are laid out by the width of their text and painted last, so that
// colour never counts as width and everything can be tested as plain text.

export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'caution' | 'bad' | 'water';

export interface Part {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Part[];

export const part = (text: string, tone: Tone = 'plain'): Part => ({ text: printable(text), tone });

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

/** Columns that a text takes: wide signs (CJK, emoji) take two, combining ones none. */
export const textWidth = (text: string): number => {
  let width = 0;
  for (const sign of text) width += /\p{Mn}/u.test(sign) ? 0 : WIDE.test(sign) ? 2 : 1;
  return width;
};

/** At most so many columns, with an ellipsis where something was cut. */
export const clipped = (text: string, columns: number): string => {
  if (textWidth(text) <= columns) return text;
  let kept = '';
  for (const sign of text) {
    if (textWidth(kept + sign) > columns - 1) break;
    kept += sign;
  }
  return columns < 1 ? '' : `${kept}…`;
};

export const padded = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - textWidth(text)));

export const paddedStart = (text: string, columns: number): string =>
  ' '.repeat(Math.max(0, columns - textWidth(text))) + text;

/** Names come from other machines and tools: nothing in them may reach the terminal as an order. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');

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

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

const TONE_CODES: Readonly<Record<Tone, string | undefined>> = {
  plain: undefined,
  strong: '1',
  dim: '2',
  good: '32',
  caution: '33',
  bad: '31',
  water: '34',
};
