// The lines of `vm_stat <interval>`: a title with the page size, column names, then one row of page counts per
// interval, with title and names repeated every twenty rows. Counts too wide for a column are printed in thousands with
// a K. Gauges are absolute in every row; counters of later rows are differences and not used here.

import { type Reported, unknown } from '../../core/unknown.ts';
import { toolLines } from '../tool-output.ts';

interface VmStatPages {
  readonly pageBytes: number;
  /** Column name → pages. */
  readonly pages: Readonly<Record<string, number>>;
}

/** Takes the lines in order; returns pages for each row of figures. */
export class VmStatReader {
  #pageBytes: number | undefined;
  #columns: readonly string[] = [];

  read(line: string): VmStatPages | undefined {
    const title = /page size of (\d{1,9}) bytes/.exec(line);
    if (title !== null) {
      this.#pageBytes = Number(title[1]);
      return undefined;
    }
    const words = line.trim().split(/\s+/);
    if (words.includes('free') && words.includes('wired')) {
      this.#columns = words;
      return undefined;
    }
    if (this.#pageBytes === undefined || words.length !== this.#columns.length) return undefined;
    const pages: Record<string, number> = {};
    for (const [index, word] of words.entries()) {
      const count = pagesIn(word);
      const column = this.#columns[index];
      if (count === undefined || column === undefined) return undefined;
      pages[column] = count;
    }
    return { pageBytes: this.#pageBytes, pages };
  }
}

/** `vm_stat` without an interval: "Pages free:   9563156." lines, given under the column names of the stream. */
export const parseVmStat = (text: string): VmStatPages | undefined => {
  const title = /page size of (\d{1,9}) bytes/.exec(text);
  if (title === null) return undefined;
  const pages: Record<string, number> = {};
  for (const line of toolLines(text)) {
    const row = /^"?([^":]+)"?:\s+(\d{1,15})\.?\s*$/.exec(line);
    const column = COLUMN_OF.get(row?.[1] ?? '');
    if (column !== undefined) pages[column] = Number(row?.[2]);
  }
  return { pageBytes: Number(title[1]), pages };
};

/**
 * Used as Activity Monitor and macmon count it: anonymous less purgeable, wired, and what the compressor occupies.
 * A missing column makes the sum unknown, not zero.
 */
export const usedBytesOf = ({ pageBytes, pages }: VmStatPages): Reported<number> => {
  const { anonymous, prgable, wired, cmprssor } = pages;
  if (anonymous === undefined || prgable === undefined || wired === undefined || cmprssor === undefined) {
    return unknown('vm_stat does not report every part of the memory in use');
  }
  const bytes = Math.max(0, anonymous - prgable + wired + cmprssor) * pageBytes;
  return Number.isSafeInteger(bytes) ? bytes : unknown('vm_stat reports more memory than a machine can have');
};

const pagesIn = (word: string): number | undefined => {
  const match = /^(\d{1,15})(K?)$/.exec(word);
  return match === null ? undefined : Number(match[1]) * (match[2] === 'K' ? 1000 : 1);
};

const COLUMN_OF: ReadonlyMap<string, string> = new Map([
  ['Pages free', 'free'],
  ['Pages wired down', 'wired'],
  ['Pages purgeable', 'prgable'],
  ['Anonymous pages', 'anonymous'],
  ['Pages occupied by compressor', 'cmprssor'],
]);
