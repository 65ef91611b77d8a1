// What can go wrong with a transport apart from a message's bytes.

import { type Problem, ProblemError } from '../core/problem.ts';

type MessagingErrorCode = 'closed' | 'endpoint' | 'thread';

export class MessagingError extends ProblemError<Problem<MessagingErrorCode>> {
  override readonly name = 'MessagingError';

  constructor(code: MessagingErrorCode, problem: string, options?: ErrorOptions) {
    super({ code, problem, advice: '' }, options);
  }
}
