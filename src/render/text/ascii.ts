// Lines for a terminal: names come from outside and must not contain control sequences. If it only has ASCII, meaningful
// characters become ASCII text, others a question mark.

import { showable } from '../../core/text/single-line.ts';

export interface TextOptions {
  /** false: only ASCII. */
  readonly isUnicode: boolean;
  /** Of the terminal, or of the file. */
  readonly columns: number;
}

export const shownLine = (line: string, { isUnicode }: Pick<TextOptions, 'isUnicode'>): string => {
  const text = showable(line, '?');
  return isUnicode ? text : asciiOf(text);
};

/** A terminal of another encoding shows a bar as a bar. */
export const asciiOf = (line: string): string =>
  line
    .replace(/[█▉▊▋▌▍▎▏]/g, '#')
    .replace(/│/g, '|')
    .replace(/µ/g, 'u')
    .replace(/[–·]/g, '-')
    .replace(/≤/g, '<=')
    .replace(/≥/g, '>=')
    .replace(/∞/g, 'inf')
    .replace(/÷/g, '/')
    .replace(/−/g, '-')
    .replace(/…/g, '...')
    .replace(/[\u00a0\u202f]/g, ' ')
    .replace(/[^\x20-\x7e]/g, '?');
