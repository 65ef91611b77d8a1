// Why a probe of a socket connection came to nothing. Its message is what a person reads beside the connection.

import type { Problem } from '../../core/problem.ts';
import { ProblemError } from '../../core/problem.ts';

export type ProbeErrorCode =
  /** No connection, or none that speaks as a sink does. */
  | 'unreachable'
  /** Another program listens on the port that was asked for. */
  | 'port-taken'
  /** The sink does not take the ticket, or is busy with another probe. */
  | 'refused'
  /** What came cannot be: out of order, malformed, too long, more than there was. */
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
