// The replies to what a benchmark of this machine reports about a run, a sweep or a comparison.

import type { ApiProblemCode } from '../../wire/api/api-problem.ts';
import { JOURNAL_RETRY_MS } from '../event-recorder.ts';
import type { ReportedState } from '../runs/run-registry.ts';
import { RequestError } from './request-error.ts';

/** What the report is about, in words and codes. */
export interface ReportResponseOf {
  readonly one: 'run' | 'sweep' | 'comparison';
  readonly unknown: ApiProblemCode;
  readonly full: ApiProblemCode;
  /** Where one begins. */
  readonly path: string;
}

export const REPORTED = { 204: 'Accepted.', 202: 'Accepted, and a person requested that it stop.' } as const;

/** @throws RequestError where it was not taken. */
export const statusOf = (reported: ReportedState, of: ReportResponseOf): 202 | 204 => {
  checkReportResponse(reported, of);
  return reported === 'stop' ? 202 : 204;
};

/** @throws RequestError where it was not taken. */
export const checkReportResponse = (
  reported: ReportedState,
  { one, unknown, full, path }: ReportResponseOf,
): void => {
  switch (reported) {
    case 'taken':
    case 'stop':
      return;
    case 'waiting':
      throw new RequestError(
        {
          code: 'not-stored',
          problem:
            'The disk of this daemon does not store it: it is only in memory, and is lost when the daemon stops.',
          advice: 'Free some space, then retry.',
        },
        { headers: { 'retry-after': String(JOURNAL_RETRY_MS / 1_000) } },
      );
    case 'unknown':
      throw new RequestError({
        code: unknown,
        problem: `No such ${one} was started here.`,
        advice: `POST ${path} first.`,
      });
    case 'full':
      throw new RequestError(
        { code: full, problem: `This daemon already follows as many ${one}s as it can.`, advice: '' },
        { headers: { 'retry-after': '10' } },
      );
    default:
      reported satisfies never;
  }
};
