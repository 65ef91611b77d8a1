import { expect, test } from 'vitest';
import { nodeName, nodeView } from '../../../src/core/node/node-view.ts';
import { Cluster } from '../../../src/daemon/cluster.ts';
import { DemoFleet, storeSeenBefore } from '../../../src/daemon/demo/demo-fleet.ts';
import { restore } from '../../../src/daemon/local-node.ts';
import { Notices } from '../../../src/daemon/notices.ts';
import { openDaemonJournal } from '../../../src/daemon/open-journal.ts';
import { JOURNAL_LIMITS } from '../../../src/journal/journal.ts';
import { scenarioOfSize } from '../../../src/simulate/scenario/scenario-of-size.ts';
import { seededNodeKeys } from '../../../src/simulate/seeded-node-key.ts';
import { Simulation } from '../../../src/simulate/simulation.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

test('a daemon that starts on the home of a demo finds who was silent before, for as long as that was', () => {
  using home = temporaryDirectory();
  const clock = new VirtualClock({ nowMs: 5_000_000 });
  const keys = seededNodeKeys(1, 8);
  const [own, ...others] = keys;
  if (own === undefined) throw new Error('nobody');
  const simulation = new Simulation({
    scenario: scenarioOfSize(8),
    nodeIds: keys.map(({ nodeId }) => nodeId),
    seed: 1,
    clock,
    plimsollVersion: '0.0.0-test',
    report: () => undefined,
  });
  const left = simulation.remaining();
  const fleet = new DemoFleet({ own: own.nodeId, others, clock, plimsollVersion: '0.0.0-test' });
  const parts = { home: home.path, ownNode: own.nodeId, clock };
  storeSeenBefore(parts, fleet.remember(left));

  const notices = new Notices(() => undefined);
  using journal = openDaemonJournal(home.path, JOURNAL_LIMITS, { ownNode: own.nodeId, clock }, notices);
  const cluster = new Cluster();
  expect(restore(journal, cluster, clock).refusals).toEqual([]);
  const views = left.map(({ node }) => nodeView(cluster.state, node, clock.nowMs()));
  expect(views.map(({ nodeId }) => nodeName(cluster.state, nodeId))).toEqual(['juno']);
  expect(views.map(({ presence, silentMs }) => [presence, silentMs])).toEqual([['offline', left[0]?.awayMs]]);
  // What it measured has grown older since, too.
  const ages = Object.values(cluster.state.linkProfiles[left[0]?.node ?? own.nodeId] ?? {})
    .flatMap(keysOf => Object.values(keysOf))
    .map(({ ageMs, receivedAtMs }) => ageMs + clock.nowMs() - receivedAtMs);
  expect(ages.length).toBeGreaterThan(5);
  expect(Math.min(...ages)).toBeGreaterThanOrEqual(left[0]?.awayMs ?? 0);
});
