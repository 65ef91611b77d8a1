// Tokens of a text by rule of thumb, without a tokenizer: how the tokens that a server counted divide among the parts
// of a prompt, and how long a text is that nobody counted. Each run of one kind of characters has its share. Cuts
// depend on the text since its start alone, so that equal beginnings have equal pieces.

import { CAPTURED_BLOCK_TOKENS } from '../dataset/trace/captured-trace.ts';

interface TextPiece {
  /** Index after its last byte. */
  readonly end: number;
  readonly tokens: number;
}

/** Of UTF-8. */
export const tokenPieces = (bytes: Buffer): readonly TextPiece[] => {
  const pieces: TextPiece[] = [];
  let start = 0;
  let tokens = 0;
  for (let at = 0; at < bytes.length; ) {
    const runStart = at;
    const kind = KIND_OF_BYTE[bytes[at] ?? 0];
    const endMax = Math.min(bytes.length, start + PIECE_BYTES_MAX);
    do at += 1;
    while (at < endMax && KIND_OF_BYTE[bytes[at] ?? 0] === kind);
    tokens += runTokens(kind, at - runStart);
    if (tokens < CAPTURED_BLOCK_TOKENS && at - start < PIECE_BYTES_MAX) continue;
    pieces.push({ end: at, tokens });
    start = at;
    tokens = 0;
  }
  if (start < bytes.length) pieces.push({ end: bytes.length, tokens });
  return pieces;
};

/** About how many tokens a text has. */
export const estimatedTokens = (text: string): number =>
  tokenPieces(Buffer.from(text, 'utf8')).reduce((sum, { tokens }) => sum + tokens, 0);

/** Vocabularies of 50,000 to 200,000 entries have most words whole, digits in threes, and pairs of signs. */
const runTokens = (kind: number | undefined, length: number): number => {
  switch (kind) {
    case LETTER:
      return length <= WHOLE_WORD ? 1 : Math.ceil(length / 5);
    case DIGIT:
      return Math.ceil(length / 3);
    case BLANK:
      // One belongs to the word after it.
      return length === 1 ? 0 : 1;
    case LINE_END:
      return 1;
    case SIGN:
      return Math.ceil(length / 2);
    case TWO_BYTES:
      return 0.4 * length;
    case THREE_BYTES:
      return 0.7 * length;
    case FOUR_BYTES:
      return 2 * length;
    default:
      return 0;
  }
};

const [LETTER, DIGIT, BLANK, LINE_END, SIGN, CONTINUED, TWO_BYTES, THREE_BYTES, FOUR_BYTES] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8,
];

const kindOf = (byte: number): number => {
  if (byte >= 0xf0) return FOUR_BYTES;
  if (byte >= 0xe0) return THREE_BYTES;
  if (byte >= 0xc0) return TWO_BYTES;
  if (byte >= 0x80) return CONTINUED;
  const sign = String.fromCharCode(byte);
  if (/[A-Za-z]/.test(sign)) return LETTER;
  if (/\d/.test(sign)) return DIGIT;
  if (sign === ' ' || sign === '\t') return BLANK;
  return sign === '\n' || sign === '\r' ? LINE_END : SIGN;
};

const KIND_OF_BYTE: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => kindOf(byte));
const WHOLE_WORD = 10;
/** Of one piece, of any characters. */
const PIECE_BYTES_MAX = 2_048;
