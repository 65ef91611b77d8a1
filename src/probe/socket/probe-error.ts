// Why a probe of a socket connection failed. Its message is shown next to the connection.

import { type Problem, ProblemError } from '../../core/problem.ts';

export type ProbeErrorCode =
  /** No connection, or the other end does not behave like a sink. */
  | 'unreachable'
  /** Another program listens on the requested port. */
  | 'port-taken'
  /** The sink does not accept the ticket, or is busy with another probe. */
  | 'refused'
  /** Invalid data: out of order, malformed, too long, more than was sent. */
  | 'protocol'
  /** The other end went away in the middle. */
  | 'closed'
  | 'timeout';

export class ProbeError extends ProblemError<Problem<ProbeErrorCode>> {
  override readonly name = 'ProbeError';

  constructor(code: ProbeErrorCode, problem: string, options?: ErrorOptions) {
    super({ code, problem, advice: '' }, options);
  }
}

export const brokenOff = (reason: string): ProbeError =>
  new ProbeError('closed', `the other end aborted the measurement${reason === '' ? '' : ` (${reason})`}`);

export const outOfOrder = (): ProbeError =>
  new ProbeError('protocol', 'the other end sent an unexpected message');
