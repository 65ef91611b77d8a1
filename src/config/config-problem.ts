// What is wrong with a config file, so a person can fix it: where, the line itself, and what to do.

import { showable } from '../core/text/single-line.ts';

export interface ConfigProblem {
  readonly file: string;
  /** undefined if the problem is the file itself: no permission, not text. */
  readonly position: ConfigPosition | undefined;
  readonly problem: string;
  readonly advice: string;
}

interface ConfigPosition {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units, as editors count. */
  readonly column: number;
  /** The offending line, without credentials and without the paths of URLs: that of a webhook is a secret. */
  readonly lineText: string;
}

/** Line and column of an offset in a text. */
export const positionAt = (text: string, offset: number): ConfigPosition => {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  const end = text.indexOf('\n', offset);
  const lineText = text.slice(start, end === -1 ? undefined : end).replace(/\r$/, '');
  return {
    line: before.split('\n').length,
    column: Math.min(offset - start, lineText.length) + 1,
    lineText: withoutCredentials(lineText).replace(URL_PATH, `$1/${ELLIPSIS}`),
  };
};

/** The line only up to the offset: what follows is the value of a secret. */
export const positionOfSecret = (text: string, offset: number): ConfigPosition => {
  const position = positionAt(text, offset);
  const lineText = `${position.lineText.slice(0, position.column - 1)}"${ELLIPSIS}"`;
  return { ...position, lineText };
};

/** "config.toml:12:3: unknown key …", the line, a mark under it, the advice. */
export const problemLines = ({ file, position, problem, advice }: ConfigProblem): readonly string[] => {
  if (position === undefined) return [`${file}: ${problem}`, `  ${advice}`];
  const { line, column, lineText } = position;
  const shown = excerptOf(lineText, column);
  return [
    `${file}:${line}:${column}: ${problem}`,
    `  ${shown.text}`,
    // With secrets removed, the columns no longer match.
    ...(lineText.includes(ELLIPSIS) ? [] : [`  ${' '.repeat(shown.column - 1)}^`]),
    `  ${advice}`,
  ];
};

/** The first sentence, where there is no room for the line: "config.toml:12: unknown key …". */
export const placedProblem = ({ file, position, problem }: ConfigProblem): string =>
  `${file}${position === undefined ? '' : `:${position.line}`}: ${problem}.`;

/** Passwords in URLs are never shown, not even in the invalid line. */
export const withoutCredentials = (text: string): string => text.replace(/\/\/[^\s"']*@/g, HIDDEN);

/** A very long line is cut around the column; tabs become spaces, so the mark is below the right column. */
const excerptOf = (lineText: string, column: number): { text: string; column: number } => {
  const clean = showable(lineText, ' ');
  const start = Math.max(0, column - 1 - EXCERPT_BEFORE);
  return {
    text: clean.slice(start, start + EXCERPT_LENGTH),
    column: Math.min(column, clean.length + 1) - start,
  };
};

const ELLIPSIS = '…';
const HIDDEN = `//${ELLIPSIS}@`;
const URL_PATH = /(\/\/[^\s"'/?#]+)[/?#][^\s"']+/g;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 100;
