// What messages of one cause have in common: each number is #, each id …. Two requests that fail for the same reason differ in
// the id of the request, the count of tokens, a time or an address, and in nothing else.

export const foldedMessage = (text: string): string =>
  text
    .replace(UUID, ID)
    .replace(NAMED_ID, `$1${ID}`)
    .replace(HEX, ID)
    .replace(MIXED, ID)
    .replace(NUMBER, '#');

const ID = '…';
/** RFC 9562. */
const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/giu;
/** "chatcmpl-9f3a…", "req_011CSHoEe…", "call_…": a short word, a sign, and at least eight signs of which one is a digit. */
const NAMED_ID = /\b([a-z]{2,12}[-_])(?=[a-z]*\d)[\da-z]{8,}\b/giu;
const HEX = /\b0x[\da-f]+\b|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{8,}\b/giu;
/** A word of at least 16 signs that changes between letters and digits: a key, a trace. */
const MIXED = /\b(?=\w*[a-z]\w*\d|\w*\d\w*[a-z])\w{16,}\b/giu;
/** With what groups its digits; "v1" and "gpt4" keep theirs, as names do. */
const NUMBER = /(?<![\w…])[+-]?\d+(?:[.,]\d+)*/gu;
