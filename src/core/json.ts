// JSON from outside, of any shape.

export type JsonObject = { readonly [key: string]: unknown };

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Undefined if the text is not JSON. A leading byte order mark is skipped (RFC 8259 §8.1): proxies and files
 * on Windows have one.
 */
export const parseAnyJson = (text: string): unknown => {
  try {
    return JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  } catch {
    return undefined;
  }
};

const BYTE_ORDER_MARK = 0xfeff;
