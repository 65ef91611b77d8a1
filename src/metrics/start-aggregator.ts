// Starts the aggregator's process. When a run is stopped, whoever runs it sends SIGINT and then ends the session; SIGTERM
// is for one that must end now.

import type { Env } from '../process/child.ts';
import { entryUrl } from '../process/entry.ts';
import type { OwnProcess } from '../process/own-process.ts';
import { startOwnProcess } from '../process/own-process.ts';
import type { AggregatorArguments } from './aggregator-arguments.ts';

export interface AggregatorStart {
  /** process.execPath */
  readonly nodePath: string;
  readonly env: Env;
  readonly signal: AbortSignal;
  /** Default 30 s: a loaded machine starts slowly. */
  readonly readyTimeoutMs?: number;
}

/**
 * Resolves when event batches reach it.
 * @throws OwnProcessError with what it said, for instance that the folder of its file does not exist.
 */
export const startAggregator = (
  told: AggregatorArguments,
  { nodePath, env, signal, readyTimeoutMs = READY_MS_MAX }: AggregatorStart,
): Promise<OwnProcess> =>
  startOwnProcess({
    entry: entryUrl(import.meta.url, './aggregator-process.ts'),
    args: [JSON.stringify(told)],
    nodePath,
    env,
    readyTimeoutMs,
    signal,
  });

const READY_MS_MAX = 30_000;
