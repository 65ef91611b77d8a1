// Reads a line of samples.jsonl byte by byte if it is exactly as encodeSampleLine writes one of a request
// that did not fail: a tenth of the cost of JSON and a schema, and there is one per sample. Any other line is
// left to decodeSampleLine.

import type { EndedSample } from '../core/run/ended-sample.ts';
import { NO_FIGURE } from '../core/run/event-record.ts';
import { FINISH_REASONS, type FinishReason, type Outcome } from '../core/run/outcome.ts';

interface OwnLineRange {
  readonly from: number;
  readonly to: number;
  readonly shiftOf?: (sentNs: number) => number;
}

interface OwnSampleLine {
  readonly sample: EndedSample;
  /** After the last stamp: nothing from there on depends on the clock. */
  readonly tailAt: number;
}

/**
 * Reads the bytes from `from` up to but excluding `to`, without a line feed; undefined if they are written in
 * another way.
 * @param shiftOf offset for the stamps of a sample, by its send time
 */
export const readOwnSampleLine = (
  bytes: Uint8Array,
  { from, to, shiftOf = NO_SHIFT }: OwnLineRange,
): OwnSampleLine | undefined => {
  const line = new Line(bytes, from, to);
  const sampleId = line.after(KEY.id).whole();
  const window = line.after(KEY.window).has(MINUS) ? OTHER_WINDOW : line.whole();
  const intendedNs = line.after(KEY.intendedNs).whole();
  const sentNs = line.after(KEY.sentNs).whole();
  const connectNs = line.after(KEY.connectNs).whole();
  const firstByteNs = line.after(KEY.firstByteNs).wholeOrNone();
  const firstContentNs = line.after(KEY.firstContentNs).wholeOrNone();
  const firstAnswerNs = line.after(KEY.firstAnswerNs).wholeOrNone();
  const endNs = line.after(KEY.endNs).whole();
  const tailAt = line.at;
  const outcome = line.after(KEY.outcome).oneOf(OUTCOME_WORDS);
  const inputTokens = line.after(KEY.inputTokens).wholeOrNone();
  const outputTokens = line.after(KEY.outputTokens).wholeOrNone();
  const finishReason = line.after(KEY.finishReason).oneOf(FINISH_WORDS);
  const chunkCount = line.after(KEY.chunks).whole();
  const chunkGapsNs = line.after(KEY.chunkGapsNs).varints();
  const bytesSent = line.after(KEY.bytesSent).whole();
  const bytesReceived = line.after(KEY.bytesReceived).whole();
  const heldBackNs = line.has(KEY.heldBackNs) ? line.whole() : 0;
  line.after(KEY.end);
  if (line.isOff || line.at !== to || outcome === undefined || finishReason === undefined) return undefined;
  if (window > LAST_WINDOW) return undefined;
  const byNs = shiftOf(sentNs);
  // An implausible clock offset is left to the slow path.
  if (!Number.isSafeInteger(byNs) || byNs < -Math.min(intendedNs, sentNs, endNs)) return undefined;
  return {
    tailAt,
    sample: {
      sampleId,
      window,
      intendedNs: intendedNs + byNs,
      sentNs: sentNs + byNs,
      connectNs,
      heldBackNs,
      firstByteNs: shiftedStamp(firstByteNs, byNs),
      firstContentNs: shiftedStamp(firstContentNs, byNs),
      firstAnswerNs: shiftedStamp(firstAnswerNs, byNs),
      chunkGapsNs,
      chunkCount,
      endNs: endNs + byNs,
      outcome,
      failure: undefined,
      inputTokens,
      outputTokens,
      finishReason,
      bytesSent,
      bytesReceived,
    },
  };
};

/**
 * Its start up to the last stamp, as in sampleLineHead. There must be room for SAMPLE_HEAD_ROOM bytes.
 * @returns where it ends
 */
export const writeSampleLineHead = (sample: EndedSample, bytes: Uint8Array, at: number): number => {
  let end = put(bytes, at, KEY.id, sample.sampleId);
  if (sample.window < 0) {
    end = copied(bytes, end, KEY.window);
    end = copied(bytes, end, MINUS);
  } else end = put(bytes, end, KEY.window, sample.window);
  end = put(bytes, end, KEY.intendedNs, sample.intendedNs);
  end = put(bytes, end, KEY.sentNs, sample.sentNs);
  end = put(bytes, end, KEY.connectNs, sample.connectNs);
  end = put(bytes, end, KEY.firstByteNs, sample.firstByteNs);
  end = put(bytes, end, KEY.firstContentNs, sample.firstContentNs);
  end = put(bytes, end, KEY.firstAnswerNs, sample.firstAnswerNs);
  return put(bytes, end, KEY.endNs, sample.endNs);
};

const put = (bytes: Uint8Array, at: number, key: Uint8Array, value: number): number => {
  const from = copied(bytes, at, key);
  return value === NO_FIGURE ? copied(bytes, from, NULL) : putWhole(bytes, from, value);
};

const copied = (bytes: Uint8Array, at: number, from: Uint8Array): number => {
  for (let index = 0; index < from.length; index += 1) bytes[at + index] = from[index] ?? 0;
  return at + from.length;
};

/** Eight digits at a time: whole numbers of 32 bits divide several times faster than doubles. */
const putWhole = (bytes: Uint8Array, at: number, value: number): number => {
  if (value < EIGHT_DIGITS) return putDigits(bytes, at, value, 1);
  const high = Math.floor(value / EIGHT_DIGITS);
  const end = putWhole(bytes, at, high);
  return putDigits(bytes, end, value - high * EIGHT_DIGITS, 8);
};

const putDigits = (bytes: Uint8Array, at: number, value: number, least: number): number => {
  let count = least;
  for (let power = 10 ** least; power <= value; power *= 10) count += 1;
  let rest = value | 0;
  for (let index = at + count - 1; index >= at; index -= 1) {
    const tenth = (rest / 10) | 0;
    bytes[index] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return at + count;
};

/** Shifts all its stamps together, so that nothing measured changes. */
export const shiftedSample = (sample: EndedSample, byNs: number): EndedSample => ({
  ...sample,
  intendedNs: sample.intendedNs + byNs,
  sentNs: sample.sentNs + byNs,
  firstByteNs: shiftedStamp(sample.firstByteNs, byNs),
  firstContentNs: shiftedStamp(sample.firstContentNs, byNs),
  firstAnswerNs: shiftedStamp(sample.firstAnswerNs, byNs),
  endNs: sample.endNs + byNs,
});

const shiftedStamp = (stampNs: number, byNs: number): number =>
  stampNs === NO_FIGURE ? NO_FIGURE : stampNs + byNs;

const NO_SHIFT = (): number => 0;

/** A position in the line. After the first deviation it stays invalid, and its results are meaningless. */
class Line {
  readonly #bytes: Uint8Array;
  readonly #to: number;
  at: number;
  isOff = false;

  constructor(bytes: Uint8Array, from: number, to: number) {
    this.#bytes = bytes;
    this.at = from;
    this.#to = to;
  }

  after(text: Uint8Array): this {
    if (!this.has(text)) this.isOff = true;
    return this;
  }

  /** Whether this text is next; if so, it is skipped. */
  has(text: Uint8Array): boolean {
    const { at } = this;
    if (at + text.length > this.#to) return false;
    for (let index = 0; index < text.length; index += 1)
      if (this.#bytes[at + index] !== text[index]) return false;
    this.at = at + text.length;
    return true;
  }

  /** Up to 15 digits, so that each is exact; a longer number is left to the checking reader. */
  whole(): number {
    const first = this.at;
    let value = 0;
    for (; this.at < this.#to; this.at += 1) {
      const digit = (this.#bytes[this.at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    const digits = this.at - first;
    const hasZeroBefore = digits > 1 && this.#bytes[first] === ZERO;
    if (digits === 0 || digits > EXACT_DIGITS || hasZeroBefore) this.isOff = true;
    return value;
  }

  wholeOrNone(): number {
    return this.#bytes[this.at] === SMALL_N && this.has(NULL) ? NO_FIGURE : this.whole();
  }

  oneOf<T>(words: readonly (readonly [Uint8Array, T])[]): T | undefined {
    for (const [word, meaning] of words) if (this.has(word)) return meaning;
    return undefined;
  }

  /** Base64 of unsigned LEB128, as in varints.ts. */
  varints(): readonly number[] {
    const values: number[] = [];
    let [value, factor, bits, bitCount, digits] = [0, 1, 0, 0, 0];
    for (; this.at < this.#to; this.at += 1, digits += 1) {
      const six = SIXES[this.#bytes[this.at] ?? 0] ?? NO_SIX;
      if (six === NO_SIX) break;
      bits = (bits << 6) | six;
      bitCount += 6;
      if (bitCount < 8) continue;
      bitCount -= 8;
      const byte = (bits >> bitCount) & 0xff;
      bits &= (1 << bitCount) - 1;
      value += (byte & 0x7f) * factor;
      factor *= 0x80;
      if (byte >= 0x80 && factor <= LAST_FACTOR) continue;
      if (byte >= 0x80 || value > Number.MAX_SAFE_INTEGER) this.isOff = true;
      values.push(value);
      [value, factor] = [0, 1];
    }
    for (; digits % 4 !== 0 && this.has(PAD); digits += 1);
    if (factor !== 1 || bits !== 0 || digits % 4 !== 0) this.isOff = true;
    return values;
  }
}

const text = (words: string): Uint8Array => new TextEncoder().encode(words);

const KEY = {
  id: text('{"kind":"sample","id":'),
  window: text(',"window":'),
  intendedNs: text(',"intendedNs":'),
  sentNs: text(',"sentNs":'),
  connectNs: text(',"connectNs":'),
  firstByteNs: text(',"firstByteNs":'),
  firstContentNs: text(',"firstContentNs":'),
  firstAnswerNs: text(',"firstAnswerNs":'),
  endNs: text(',"endNs":'),
  outcome: text(',"outcome":"'),
  inputTokens: text(',"failure":null,"inputTokens":'),
  outputTokens: text(',"outputTokens":'),
  finishReason: text(',"finishReason":"'),
  chunks: text(',"chunks":'),
  chunkGapsNs: text(',"chunkGapsNs":"'),
  bytesSent: text('","bytesSent":'),
  bytesReceived: text(',"bytesReceived":'),
  heldBackNs: text(',"heldBackNs":'),
  end: text('}'),
};
const MINUS = text('-1');
const NULL = text('null');
const PAD = text('=');
const OUTCOMES: readonly Outcome[] = ['completed', 'failed', 'cancelled'];
const OUTCOME_WORDS = OUTCOMES.map((word): readonly [Uint8Array, Outcome] => [text(`${word}"`), word]);
const FINISH_WORDS = FINISH_REASONS.map((word): readonly [Uint8Array, FinishReason] => [
  text(`${word}"`),
  word,
]);
const NO_SIX = 255;
/** Six bits by the code of a character (RFC 4648 §4). */
const SIXES: Uint8Array = new Uint8Array(256).fill(NO_SIX);
for (const [six, code] of text('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/').entries())
  SIXES[code] = six;
/** Outside the tracking windows. */
const OTHER_WINDOW = -1;
const LAST_WINDOW = 1_000;
const ZERO = 0x30;
const SMALL_N = 0x6e;
const EXACT_DIGITS = 15;
const LAST_FACTOR = 2 ** 49;
const EIGHT_DIGITS = 1e8;
/** Its keys and nine numbers of at most 17 digits. */
export const SAMPLE_HEAD_ROOM = 512;
