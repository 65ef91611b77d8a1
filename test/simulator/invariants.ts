// What must be true of a cluster at every moment, and what once nothing has been wrong with it for a while.

import { nodesIn } from '../../src/core/entry-maps.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import { DELAY_MS_MAX } from './step.ts';

/** At every moment. */
export const brokenNow = (cluster: SimulatedCluster): readonly string[] => [
  ...shownTooYoung(cluster),
  ...unboundedJournals(cluster),
];

/** After everything is repaired and had its time. */
export const brokenAfterMending = (cluster: SimulatedCluster): readonly string[] => [
  ...notConverged(cluster),
  ...lost(cluster),
  ...unheard(cluster),
];

export const hasConverged = (cluster: SimulatedCluster): boolean => brokenAfterMending(cluster).length === 0;

/** No live value is shown younger than it is. What waits in a cable that is cut is given up with the link. */
const shownTooYoung = ({ running, reported, clock }: SimulatedCluster): readonly string[] =>
  running.flatMap(({ node }) =>
    nodesIn(node.state.nodeMemories).flatMap(other => {
      const shown = node.memoryOf(other);
      const truth = reported.get(Number(shown?.availableBytes));
      if (shown === undefined || truth === undefined) return [];
      if (truth.node !== other) return [`${node.id} shows a value of ${truth.node} as one of ${other}`];
      const trueMs = clock.nowMs() - truth.atMs;
      return shown.ageMs < trueMs - YOUNGER_MS_MAX
        ? [`${node.id} shows a value of ${other} as ${shown.ageMs} ms old that is ${trueMs} ms old`]
        : [];
    }),
  );

const unboundedJournals = ({ machines }: SimulatedCluster): readonly string[] =>
  machines.flatMap(({ name, disk }) => {
    const count = Number(disk.database.prepare('SELECT count(*) AS count FROM records').get()?.['count']);
    return count > RECORDS_MAX ? [`the journal of ${name} holds ${count} records`] : [];
  });

const notConverged = ({ running }: SimulatedCluster): readonly string[] => {
  const hashes = new Set(running.map(({ node }) => node.hash));
  return hashes.size === 1 ? [] : [`${hashes.size} different states of ${running.length} nodes`];
};

/** What a disk acknowledged is what everybody shows, no more and no less. */
const lost = ({ machines, running }: SimulatedCluster): readonly string[] =>
  machines.flatMap(({ name, key, state }) => {
    const expected = state.acknowledged.open.join(', ');
    return running.flatMap(({ node }) => {
      const shown = Object.entries(node.state.connections[key.nodeId] ?? {})
        .flatMap(([sink, ofSink]) => Object.keys(ofSink).map(connection => `${sink} ${connection}`))
        .sort()
        .join(', ');
      return shown === expected ? [] : [`${node.id} shows of ${name}: ${shown}; acknowledged: ${expected}`];
    });
  });

/** Every node receives every other. */
const unheard = ({ running, reported, clock }: SimulatedCluster): readonly string[] =>
  running.flatMap(({ node }) =>
    running.flatMap(({ id }) => {
      const truth = reported.get(Number(node.memoryOf(id)?.availableBytes));
      const ageMs = truth === undefined ? Number.POSITIVE_INFINITY : clock.nowMs() - truth.atMs;
      return ageMs > SEEN_MS_MAX ? [`${node.id} has heard nothing of ${id} for ${ageMs} ms`] : [];
    }),
  );

/**
 * A link counts as dead after 6 s without a message; what was still in its pipe is delivered with the age at
 * which it was sent. So is what a cable delays, over one other node at most.
 */
const YOUNGER_MS_MAX: number = 8_000 + 2 * DELAY_MS_MAX;
/** Every node publishes its memory each 5 s. */
const SEEN_MS_MAX = 15_000;
/** Far more than a plan of an hour can make. */
const RECORDS_MAX = 50_000;
