// A value that a source could not report. It contains a reason, because a person reacts to "no sensor"
// differently than to "permission denied"; it is never NaN, -1, '' or a missing key, and never a zero.

export interface Unknown {
  readonly kind: 'unknown';
  /** One short phrase a person can read: "no sensor", "driver not loaded". */
  readonly reason: string;
  /**
   * A ReasonCode if code depends on the reason, the code of the underlying error, or a code from another
   * version.
   */
  readonly code?: string;
}

/** Reasons that a person can do something about, or that a gatherer must distinguish. */
export type ReasonCode =
  /** The user of the daemon may not read it. */
  | 'permission'
  /** The energy counters of the processor are only readable by root. */
  | 'rapl-permission'
  /** A tool or library is not installed. */
  | 'tool-missing'
  | 'macmon-missing'
  /** The tool, file system or device did not respond in time. */
  | 'no-answer'
  | 'no-sensor'
  /** The kernel does not measure pressure. */
  | 'psi-off'
  /** The device reports that it has no such figure. */
  | 'not-offered'
  /** The device is lost or waits for a reset. */
  | 'device-failed'
  | 'asleep';

/** A figure or text as its source reports it, or why it could not. */
export type Reported<
  T extends number | string | boolean | readonly unknown[] | { readonly [key: string]: unknown },
> = T | Unknown;

/** `code`: one of these, or as another version reported it. */
export const unknown = (reason: string, code?: ReasonCode | (string & {})): Unknown =>
  code === undefined ? { kind: 'unknown', reason } : { kind: 'unknown', reason, code };

export const isUnknown = (value: unknown): value is Unknown =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  value.kind === 'unknown' &&
  'reason' in value &&
  typeof value.reason === 'string';

export const isKnown = <T>(value: T | Unknown): value is T => !isUnknown(value);

/** The value, or `fallback` if it is unknown: for arithmetic that skips unknown values. */
export const knownOr = <T, F>(value: T | Unknown, fallback: F): T | F =>
  isUnknown(value) ? fallback : value;

/** One unknown value makes the sum unknown: the sum of a part is not that of the whole. */
export const reportedSum = (values: readonly Reported<number>[]): Reported<number> => {
  let sum = 0;
  for (const value of values) {
    if (isUnknown(value)) return value;
    sum += value;
  }
  return sum;
};
