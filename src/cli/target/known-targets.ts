// The engines that the nodes of a cluster have found on themselves, as the daemon of this home sees them, and which address of one
// answers here.

import { readEngine } from '../../bench/target/read-engine.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { type ClusterTargets, clusterTargets, type EngineTarget } from '../../core/engine/engine-targets.ts';
import type { NodeId } from '../../core/ids.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';
import { clusterNow } from '../cluster-stream.ts';
import { CommandError } from '../command-error.ts';
import { findDaemon } from '../daemon-client.ts';
import type { ProcessState } from '../process-state.ts';

interface KnownTargets extends ClusterTargets {
  readonly self: NodeId;
}

/**
 * Unknown without a daemon that answers in this time.
 * @throws the reason of the stop, and nothing else
 */
export const knownTargets = async (
  home: string,
  state: ProcessState,
  answerMs: number = ANSWER_MS,
): Promise<KnownTargets | Unknown> => {
  try {
    const client = await findDaemon(home, state);
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(answerMs)]);
    const { snapshot, state: cluster } = await clusterNow(client, systemClock, signal);
    const self = snapshot.nodeId;
    return { self, ...clusterTargets(cluster, self, systemClock.nowMs()) };
  } catch (error) {
    state.stop.throwIfAborted();
    if (error instanceof CommandError) return unknown(error.message);
    throw error;
  }
};

/** The first candidate at which an engine answers. */
export const reachedUrl = async (
  { urls }: EngineTarget,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const replies = await Promise.all(urls.map(origin => readEngine({ origin, signal })));
  return urls.find((_, at) => replies[at]?.kind === 'engine');
};

const ANSWER_MS = 10_000;
