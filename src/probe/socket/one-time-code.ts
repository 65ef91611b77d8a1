// The code that a person carries from one machine to the other: the ticket of one probe, in letters and digits that are
// not confused with each other (Crockford's base 32, without I, L, O and U). 60 random bits, because a stranger may
// keep guessing as fast as the network allows.

import { randomBytes } from 'node:crypto';
import type { Parsed } from '../../core/figure/parse-figure.ts';
import { parsed, wrong } from '../../core/figure/parse-figure.ts';

/** "7QKF-M2XW-9TBD" */
export const makeOneTimeCode = (): string =>
  Array.from(randomBytes(CODE_LENGTH), byte => ALPHABET[byte & 31])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-');

/**
 * As people type it: lower case, O for 0, I or L for 1, with or without dashes. Returns the form of makeOneTimeCode.
 */
export const parseOneTimeCode = (text: string): Parsed<string> => {
  const signs = text.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  if (signs.length !== CODE_LENGTH || [...signs].some(sign => !ALPHABET.includes(sign))) {
    return wrong(
      `${JSON.stringify(text.slice(0, 40))} is not a code`,
      'Write it as `plimsoll probe serve` prints it there, for example 7QKF-M2XW-9TBD.',
    );
  }
  return parsed(signs.replace(/(.{4})(?=.)/g, '$1-'));
};

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 12;
