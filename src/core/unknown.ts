// What a source could not tell. It carries its reason, because a person acts on "no sensor" differently than
// on "permission denied"; it is never NaN, -1, '' or a missing key, and never a zero.

export interface Unknown {
  readonly kind: 'unknown';
  /** One short phrase a person can read: "no sensor", "driver not loaded". */
  readonly reason: string;
}

/** A figure or text as its source reports it, or why it could not. */
export type Reported<
  T extends number | string | boolean | readonly unknown[] | { readonly [key: string]: unknown },
> = T | Unknown;

export const unknown = (reason: string): Unknown => ({ kind: 'unknown', reason });

export const isUnknown = (value: unknown): value is Unknown =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  value.kind === 'unknown' &&
  'reason' in value &&
  typeof value.reason === 'string';

export const isKnown = <T>(value: T | Unknown): value is T => !isUnknown(value);

/** The value, or undefined where it is unknown: for arithmetic that skips what it does not know. */
export const knownOr = <T, F>(value: T | Unknown, fallback: F): T | F =>
  isUnknown(value) ? fallback : value;
