// What a refusal of the daemon says to whoever looks at the page. A browser that is not signed in can read on loopback and
// ask for nothing; what it should do is known here better than to the daemon, whose advice is also for programs.

import { problemText } from '../../../src/core/problem.ts';
import { decodeApiProblem } from '../../../src/wire/api/api-problem.ts';

export const refusalText = (status: number, body: unknown): string => {
  if (status === 401) return NO_ACCESS;
  const refusal = decodeApiProblem(body);
  return refusal === undefined ? `HTTP ${status}` : problemText(refusal);
};

const NO_ACCESS = 'this browser may look, not ask: open the address that "plimsoll open" prints';
