// Why a mock server could not be had.

import type { Problem } from '../core/problem.ts';
import { ProblemError } from '../core/problem.ts';

type MockErrorCode = 'bad-option' | 'address-in-use' | 'cannot-listen' | 'log-unusable' | 'did-not-start';

export class MockError extends ProblemError<Problem<MockErrorCode>> {
  override readonly name = 'MockError';

  constructor(code: MockErrorCode, problem: string, options?: ErrorOptions) {
    super({ code, problem, advice: '' }, options);
  }
}
