// How an address answers what a benchmark of this machine tells of a run, of a sweep or of a comparison.

import type { ApiProblemCode } from '../../wire/api/api-problem.ts';
import { JOURNAL_RETRY_MS } from '../event-recorder.ts';
import type { Told } from '../runs/run-registry.ts';
import { RequestError } from './request-error.ts';

/** What was told of, in words and codes. */
export interface ToldOf {
  readonly one: 'run' | 'sweep' | 'comparison';
  readonly unknown: ApiProblemCode;
  readonly full: ApiProblemCode;
  /** Where one begins. */
  readonly path: string;
}

export const TOLD = { 204: 'Accepted.', 202: 'Accepted, and a person asked it to stop.' } as const;

/** @throws RequestError where it was not taken. */
export const statusOf = (told: Told, of: ToldOf): 202 | 204 => {
  checkTold(told, of);
  return told === 'stop' ? 202 : 204;
};

/** @throws RequestError where it was not taken. */
export const checkTold = (told: Told, { one, unknown, full, path }: ToldOf): void => {
  switch (told) {
    case 'taken':
    case 'stop':
      return;
    case 'waiting':
      throw new RequestError(
        {
          code: 'not-stored',
          problem:
            'The disk of this daemon refuses it: it is held in memory, and is lost if the daemon ends.',
          advice: 'Free some space, and tell it again.',
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
      told satisfies never;
  }
};
