// Why a probe of a socket connection came to nothing. Its message is what a person reads beside the connection.

export type ProbeErrorCode =
  /** No connection, or none that speaks as a sink does. */
  | 'unreachable'
  /** The sink does not take the ticket, or is busy with another probe. */
  | 'refused'
  /** What came cannot be: out of order, malformed, too long, more than there was. */
  | 'protocol'
  /** The other end went away in the middle. */
  | 'closed'
  | 'timeout';

export class ProbeError extends Error {
  override readonly name = 'ProbeError';
  readonly code: ProbeErrorCode;

  constructor(code: ProbeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** "ECONNREFUSED" and the like where there is one: short, and the same on every platform. */
export const shortReason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' && !(error instanceof ProbeError)
    ? error.code
    : error.message;
};
