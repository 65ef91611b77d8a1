// The code that a person carries from one machine to the other: the ticket of one probe. 60 random bits, because a stranger
// may keep guessing as fast as the network allows.

import { randomBytes } from 'node:crypto';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { codeText, readCodeText } from '../../core/text/code-text.ts';

/** "7QKF-M2XW-9TBD" */
export const makeOneTimeCode = (): string => codeText(randomBytes(CODE_LENGTH));

/** As people type it. Returns the form of makeOneTimeCode. */
export const parseOneTimeCode = (text: string): Parsed<string> => {
  const code = readCodeText(text, CODE_LENGTH);
  if (code !== undefined) return parsed(code);
  return wrong(
    `${JSON.stringify(text.slice(0, 40))} is not a code`,
    'Write it as `plimsoll probe serve` prints it there, for example 7QKF-M2XW-9TBD.',
  );
};

const CODE_LENGTH = 12;
