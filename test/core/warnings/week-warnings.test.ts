// A link that is slower than in its past week: what is compared is the connection over which its path is measured now.

import { expect, test } from 'vitest';
import { type Fact, factOf } from '../../../src/core/event-kinds.ts';
import { type Connection, connectionKey } from '../../../src/core/link/connection.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { BASELINE_WINDOW_MS } from '../../../src/core/probe/probe-status.ts';
import { clusterWarnings } from '../../../src/core/warnings/cluster-warnings.ts';
import { worstLinksTool } from '../../../src/daemon/mcp/tools/link-tools.ts';
import { A, B, Cluster, NOW_MS, network, port, profile, socket } from '../../support/linked-nodes.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const [IPV4, IPV6] = ['10.0.0.2', 'fd00::2'].map(address => socket(B, address, ['en0', 'eth0']));
if (IPV4 === undefined || IPV6 === undefined) throw new Error('two addresses of one path');

const usual = (connection: Connection): Fact =>
  factOf('baseline.reported', {
    subject: { kind: 'link', sink: B, connectionKey: connectionKey(connection) },
    windowMs: BASELINE_WINDOW_MS,
    spanMs: BASELINE_WINDOW_MS,
    count: 40,
    medians: { uploadBitsPerSecond: 9.4e8, downloadBitsPerSecond: 9.4e8 },
  });

/** Both addresses carry 940 Mbit/s as a rule; one of them measured 650 a while ago, and the other one has measured since. */
const measured = (first: Connection, second: Connection, newest: number): Cluster =>
  new Cluster()
    .record(A, 0, network(port('en0')), factOf('connection.opened', IPV4), factOf('connection.opened', IPV6))
    .record(B, 0, network(port('eth0')))
    .record(A, 9_000_000, usual(IPV4), usual(IPV6), profile(A, first, [6.5e8, 6.5e8]))
    .record(A, 9_600_000, profile(A, second, [newest, newest]))
    .present();

const weekWarnings = ({ state }: Cluster): readonly string[] => {
  const views = [A, B].map(id => nodeView(state, id, NOW_MS));
  return clusterWarnings({ state, views, links: linkViews(state, NOW_MS), nowMs: NOW_MS }).flatMap(
    ({ id, why }) => (id.startsWith('link week ') ? [why] : []),
  );
};

const shareOfOwnMedian = async ({ state }: Cluster): Promise<unknown> => {
  const answer = await worstLinksTool.call(
    { by: 'bandwidth' },
    {
      state,
      nowMs: NOW_MS,
      wallMs: new VirtualClock().wallMs(),
      profileRows: async () => [],
    },
  );
  return answer.structured;
};

test('a link is not compared with its week by an address that its path is not measured over any more', async () => {
  for (const [first, second] of [
    [IPV4, IPV6],
    [IPV6, IPV4],
  ] as const) {
    const cluster = measured(first, second, 9.4e8);
    expect(weekWarnings(cluster)).toEqual([]);
    expect(await shareOfOwnMedian(cluster)).toMatchObject({ links: [{ shareOfOwnMedian: null }] });
  }
});

test('a link that measures less than in its week is reported, with the connection that was measured', async () => {
  const cluster = measured(IPV6, IPV4, 6.5e8);
  expect(weekWarnings(cluster)).toEqual([expect.stringContaining('socket connection 10.0.0.2')]);
  expect(await shareOfOwnMedian(cluster)).toMatchObject({ links: [{ shareOfOwnMedian: 0.691 }] });
});
