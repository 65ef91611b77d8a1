// JSON and MessagePack from outside, limited in depth before they are parsed. V8 parses any depth, but
// writing or walking the result is recursive, and the stack overflows at some thousands: one text of 30 kB
// could stop a daemon.

import { NESTING_MAX } from '../core/input/json-footprint.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';

/** Undefined if it is not JSON, or nested deeper than NESTING_MAX. */
export const parseShallowJson = (text: string): unknown => {
  if (isNestedTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The same for UTF-8 bytes. */
export const parseShallowBytes = (bytes: Uint8Array): unknown => {
  try {
    return parseShallowJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
};

/**
 * For text that may not be JSON: brackets in strings do not count. One pass over the text, without a copy.
 */
export const isNestedTooDeep = (text: string): boolean => {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      depth += 1;
      if (depth > NESTING_MAX) return true;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth -= 1;
  }
  return false;
};

/**
 * For MessagePack, from the heads of its values alone (the format's specification,
 * github.com/msgpack/msgpack/blob/master/spec.md): also correct for bytes that are cut off, which no decoder
 * accepts.
 */
export const isPackedTooDeep = (bytes: Uint8Array): boolean => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** Values still to come at each level. */
  const levels: number[] = [1];
  let at = 0;
  while (levels.length > 0) {
    const left = levels.length - 1;
    const values = levels[left] ?? 0;
    if (values === 0) {
      levels.pop();
      continue;
    }
    levels[left] = values - 1;
    if (at >= bytes.length) return true;
    const head = packedHead(view, at);
    if (head === undefined) return true;
    at += head.bytes;
    if (head.values === undefined) continue;
    if (levels.length > NESTING_MAX) return true;
    levels.push(head.values);
  }
  return false;
};

interface PackedHead {
  /** To the next value, or to the first one inside. */
  readonly bytes: number;
  /** For an array or a map: how many values follow inside. */
  readonly values?: number;
}

const packedHead = (view: DataView, at: number): PackedHead | undefined => {
  const type = view.getUint8(at);
  if (type <= 0x7f || type >= 0xe0) return { bytes: 1 };
  if (type <= 0x8f) return { bytes: 1, values: 2 * (type & 0x0f) };
  if (type <= 0x9f) return { bytes: 1, values: type & 0x0f };
  if (type <= 0xbf) return { bytes: 1 + (type & 0x1f) };
  const fixed = FIXED_BYTES[type];
  if (fixed !== undefined) return { bytes: fixed };
  const counted = COUNTED[type];
  if (counted === undefined || at + 1 + counted.countBytes > view.byteLength) return undefined;
  const count =
    counted.countBytes === 1
      ? view.getUint8(at + 1)
      : counted.countBytes === 2
        ? view.getUint16(at + 1)
        : view.getUint32(at + 1);
  const headBytes = 1 + counted.countBytes;
  return counted.holds === 'bytes'
    ? { bytes: headBytes + counted.more + count }
    : { bytes: headBytes, values: count * counted.more };
};

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** nil, false, true; floats; unsigned and signed integers; extensions of one size. */
const FIXED_BYTES: { readonly [type: number]: number } = {
  192: 1,
  194: 1,
  195: 1,
  202: 5,
  203: 9,
  204: 2,
  205: 3,
  206: 5,
  207: 9,
  208: 2,
  209: 3,
  210: 5,
  211: 9,
  212: 3,
  213: 4,
  214: 6,
  215: 10,
  216: 18,
};

interface Counted {
  readonly countBytes: 1 | 2 | 4;
  readonly holds: 'bytes' | 'values';
  /** Additional bytes, such as the type of an extension; values per element of an array or a map. */
  readonly more: number;
}

const COUNTED: { readonly [type: number]: Counted } = {
  196: { countBytes: 1, holds: 'bytes', more: 0 },
  197: { countBytes: 2, holds: 'bytes', more: 0 },
  198: { countBytes: 4, holds: 'bytes', more: 0 },
  199: { countBytes: 1, holds: 'bytes', more: 1 },
  200: { countBytes: 2, holds: 'bytes', more: 1 },
  201: { countBytes: 4, holds: 'bytes', more: 1 },
  217: { countBytes: 1, holds: 'bytes', more: 0 },
  218: { countBytes: 2, holds: 'bytes', more: 0 },
  219: { countBytes: 4, holds: 'bytes', more: 0 },
  220: { countBytes: 2, holds: 'values', more: 1 },
  221: { countBytes: 4, holds: 'values', more: 1 },
  222: { countBytes: 2, holds: 'values', more: 2 },
  223: { countBytes: 4, holds: 'values', more: 2 },
};

/** Undefined for anything but an object. */
export const parseShallowObject = (bytes: Uint8Array): JsonObject | undefined => {
  const value = parseShallowBytes(bytes);
  return isJsonObject(value) ? value : undefined;
};
