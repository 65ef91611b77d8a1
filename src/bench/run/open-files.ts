// Whether this process may open as many files as a run needs: each connection is one, and the message library between
// our processes aborts the process that runs out of them, without a useful message. Checked before anything is sent.

import { readFile } from 'node:fs/promises';
import { shellCommand } from '../../core/text/shell-words.ts';
import { BenchError } from '../bench-error.ts';
import { type Share, shareOf, WHOLE_LOAD } from '../schedule/arrivals.ts';
import type { BenchRequest } from './bench-request.ts';
import { connectionsFor, threadsFor } from './load-size.ts';

/** @throws BenchError `input` where the limit is known and too low. */
export const checkOpenFiles = async (
  request: BenchRequest,
  cores: number,
  share: Share = WHOLE_LOAD,
): Promise<void> => {
  const limit = await openFilesLimit();
  const threads = threadsFor(request, cores, share) * 2;
  const needed =
    shareOf(connectionsFor(request).opened, share) * (request.targets?.length ?? 1) +
    FILES_OF_A_RUN +
    threads * FILES_OF_A_THREAD;
  if (limit === undefined || limit >= needed) return;
  throw new BenchError({
    code: 'input',
    problem: `this run needs up to ${needed} open files, and this process may open ${limit}`,
    advice: `Raise the limit, with: ${shellCommand`ulimit -n ${Math.max(needed, USUAL_LIMIT)}`}; or send fewer requests at a time: --concurrency N`,
  });
};

/**
 * Node has raised it to the hard limit. undefined if the system does not report it: an open that fails is reported
 * later.
 */
const openFilesLimit = async (): Promise<number | undefined> => {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, soft] = /^Max open files +(\d+) /m.exec(limits) ?? [];
  return soft === undefined ? undefined : Number(soft);
};

/**
 * Including the reserve: 54 were counted in a run on Linux with one load and one parse thread, without its
 * connections.
 */
const FILES_OF_A_RUN = 56;
/** For its own event loop. */
const FILES_OF_A_THREAD = 12;
/** What many services ask for. */
const USUAL_LIMIT = 4_096;
