// Secrets that a person carries from one machine to another: random bits in letters and digits that are not confused with each
// other (Crockford's base 32, without I, L, O and U), in groups of four.

/** Five bits of each byte: "7QKF-M2XW-9TBD" from twelve. */
export const codeText = (randomBytes: Iterable<number>): string =>
  grouped(Array.from(randomBytes, byte => ALPHABET[byte & 31] ?? '').join(''));

/** As people type it: lower case, O for 0, I or L for 1, with or without dashes. undefined: not a code of that length. */
export const readCodeText = (text: string, length: number): string | undefined => {
  const signs = text.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  const isCode = signs.length === length && [...signs].every(sign => ALPHABET.includes(sign));
  return isCode ? grouped(signs) : undefined;
};

const grouped = (signs: string): string => signs.replace(/(.{4})(?=.)/g, '$1-');

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
