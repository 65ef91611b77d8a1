// Settings as lines of a shell script, which a person pastes or an engine's start script reads: what is not set is a
// comment with its reason, so that nobody looks for it.

import { brokenLines } from '../text/columns.ts';
import { shellCommand } from '../text/shell-words.ts';
import { singleLine } from '../text/single-line.ts';

export const exported = (name: string, value: string): string => `export ${name}=${shellCommand`${value}`}`;

/** The name in a line of `exported`; undefined for any other line. */
export const variableOf = (line: string): string | undefined => /^export (\w+)=/.exec(line)?.[1];

export const comment = (sentence: string): string => `${COMMENT}${singleLine(sentence)}`;

/** Comments are broken so that a terminal does not break them between any two letters; commands are not. */
export const scriptText = (lines: readonly string[]): string =>
  `${lines.flatMap(line => (line.startsWith(COMMENT) ? commentLines(line) : line)).join('\n')}\n`;

const commentLines = (line: string): readonly string[] =>
  brokenLines(line.slice(COMMENT.length), COLUMNS - COMMENT.length).map(part => `${COMMENT}${part}`);

/** "nccl-0-atlas.sh": unique by the rank, and with no character that a file system or a shell treats in its own way. */
export const nodeFileName = (prefix: string, rank: number, name: string): string =>
  `${prefix}-${rank}-${name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, NAME_LENGTH_MAX)}.sh`;

const NAME_LENGTH_MAX = 60;
const COMMENT = '# ';
/** Of the narrowest terminal that people use. */
const COLUMNS = 80;
