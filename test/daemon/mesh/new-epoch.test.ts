// A node that starts a new epoch because peers have a later one of its journal reports its facts again, with their age.

import { expect, test } from 'vitest';
import { ageMsOf, currentFacts } from '../../../src/core/entry-maps.ts';
import { Cluster } from '../../../src/daemon/cluster.ts';
import { EventRecorder } from '../../../src/daemon/event-recorder.ts';
import { clusterReplicaStore } from '../../../src/daemon/mesh/cluster-replica-store.ts';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { Notices } from '../../../src/daemon/notices.ts';
import { createMemoryJournal } from '../../../src/journal/memory-journal.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

test('a new epoch makes nothing younger than it is', async () => {
  const clock = new VirtualClock();
  const [key, peer] = [generateNodeKey(), generateNodeKey()];
  using journal = createMemoryJournal({ ownNode: key.nodeId, clock });
  const cluster = new Cluster();
  const recorder = new EventRecorder({ key, clock, journal, cluster, notices: new Notices(() => undefined) });
  const store = clusterReplicaStore({ nodeId: key.nodeId, clock, journal, cluster, recorder });
  recorder.record({
    kind: 'connection.opened',
    payload: {
      kind: 'socket',
      sink: peer.nodeId,
      sinkAddress: '10.0.0.2',
      sourceInterface: 'en0',
      sinkInterface: 'en0',
      type: 'ethernet',
      negotiatedBitsPerSecond: 10e9,
    },
  });
  await clock.advance(DAY_MS);
  const before = journal.ownEpoch;
  store.startNewEpoch(before);
  const facts = currentFacts(cluster.state, key.nodeId);
  expect(facts.map(({ kind, entry }) => [kind, entry.epoch > before, ageMsOf(entry, clock.nowMs())])).toEqual(
    [['connection.opened', true, DAY_MS]],
  );
});

const DAY_MS = 86_400_000;
