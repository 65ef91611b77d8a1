// A new epoch of this node: its older records are not current any more, so what is true now is written again.

import type { Clock } from '../clock/clock.ts';
import type { NodeId } from '../core/ids.ts';
import type { Journal } from '../journal/journal.ts';
import type { Cluster } from './cluster.ts';
import type { EventRecorder } from './event-recorder.ts';
import { presentFacts } from './mesh/daemon-mesh-parts.ts';

export interface OwnEpochParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly cluster: Cluster;
  readonly recorder: EventRecorder;
}

/** @param floor the new epoch is greater */
export const startOwnEpoch = (
  { nodeId, clock, journal, cluster, recorder }: OwnEpochParts,
  floor: number,
): void => {
  const facts = presentFacts(cluster.state, nodeId, { ofClass: 'durable', nowMs: clock.nowMs() });
  journal.startNewEpoch(floor);
  recorder.epochStarted();
  for (const { fact, ageMs } of facts) recorder.record(fact, ageMs);
};
