// What a JSON text becomes in memory, estimated before it is parsed: 8 MiB of "[[],[],…" are a few bytes each on disk and 40 bytes each
// as objects. One pass over the text, without a copy; text that is not JSON gets an estimate as well.

/**
 * Nesting of arrays and objects. What this program sends has about ten levels; later versions may have more.
 */
export const NESTING_MAX = 64;

interface JsonFootprint {
  readonly bytes: number;
  /** Nesting of arrays and objects. */
  readonly depth: number;
}

export const jsonFootprint = (text: string): JsonFootprint => {
  let [bytes, depth, deepest] = [text.length, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        bytes += STRING_BYTES;
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        bytes += CONTAINER_BYTES;
        depth += 1;
        deepest = Math.max(deepest, depth);
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth -= 1;
        break;
      case COMMA:
        bytes += ELEMENT_BYTES;
        break;
      case COLON:
        bytes += MEMBER_BYTES;
        break;
      default:
    }
  }
  return { bytes, depth: deepest };
};

/** Index of its closing quotation mark; if the text ends before it, of the last character. */
const endOfString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
};

/** The size of a parsed value, by the same measure: for an entry of which only a part is stored. */
export const valueFootprint = (value: unknown): number => {
  switch (typeof value) {
    case 'string':
      return STRING_BYTES + value.length;
    case 'object':
      return value === null
        ? 0
        : CONTAINER_BYTES + (Array.isArray(value) ? itemsOf(value) : membersOf(value));
    default:
      return 0;
  }
};

const itemsOf = (items: readonly unknown[]): number => {
  let bytes = 0;
  for (const item of items) bytes += ELEMENT_BYTES + valueFootprint(item);
  return bytes;
};

const membersOf = (object: object): number => {
  let bytes = 0;
  for (const member of Object.values(object)) bytes += MEMBER_BYTES + valueFootprint(member);
  return bytes;
};

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** V8 on 64 bits: an empty object has 24 bytes and room for four members, an array 32 and its elements' own head. */
const CONTAINER_BYTES = 56;
/** A slot, and occasionally a boxed number. */
const ELEMENT_BYTES = 12;
/**
 * With many names that occur once, an object becomes a hash table: three slots per member, half of them
 * empty.
 */
const MEMBER_BYTES = 48;
const STRING_BYTES = 20;
