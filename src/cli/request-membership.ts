// Asks a daemon about its membership of a cluster. What it refuses there has an exit code of its own: the daemon is well.

import { ProblemError } from '../core/problem.ts';
import { CommandError } from './command-error.ts';
import type { ProcessState } from './process-state.ts';

/** @throws CommandError `clusterKey` for a refusal of the membership; others as they come. */
export const requestMembership = async <T>(
  state: ProcessState,
  timeoutMs: number,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  try {
    return await request(AbortSignal.any([state.stop, AbortSignal.timeout(timeoutMs)]));
  } catch (error) {
    const refused = error instanceof CommandError ? error.cause : undefined;
    if (!(refused instanceof ProblemError) || !MEMBERSHIP_CODES.has(refused.code)) throw error;
    const { problem, advice } = refused.problem;
    throw new CommandError('clusterKey', problem.replace(/\.$/, ''), advice, { cause: error });
  }
};

const MEMBERSHIP_CODES: ReadonlySet<string> = new Set([
  'bad-join-code',
  'in-a-cluster',
  'not-in-a-cluster',
  'key-elsewhere',
  'join-refused',
  'join-failed',
  'no-mesh',
  'mesh-not-opened',
  'not-stored',
]);
