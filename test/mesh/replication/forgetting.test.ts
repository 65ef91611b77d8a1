import { describe, expect, it } from 'vitest';
import type { Fact } from '../../../src/core/event-kinds.ts';
import type { Position } from '../../../src/core/ids.ts';
import { forgetNode } from '../../../src/core/node/forget.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import { MeshCluster } from '../../support/mesh-cluster.ts';
import type { MeshNode } from '../../support/mesh-node.ts';

const MOST = Number.MAX_SAFE_INTEGER;

describe('a member that forgets a node with the greatest numbers there are', () => {
  it.each([
    ['durable and live ones', () => ({ epoch: MOST, seq: MOST })],
    [
      'live ones, and the durable ones that it has',
      (position: Position | undefined) => position ?? { epoch: 0, seq: 0 },
    ],
  ])('does not hide it from the others, neither now nor after they start again: %s', async (_, claim) => {
    await using cluster = new MeshCluster(3);
    cluster.lay('full');
    const [victim, liar] = cluster.nodes;
    if (victim === undefined || liar === undefined) throw new Error('there are three');
    victim.open('way');
    await use(cluster, victim, 5);
    const { epoch: durableEpoch, seq: durableSeq } = claim(liar.state.origins[victim.id]);
    liar.record(forgetting(victim, { durableEpoch, durableSeq, liveEpoch: MOST, liveSeq: MOST }));
    await use(cluster, victim, 2);
    expect(nodeIds(cluster.node(2).state)).toContain(victim.id);
    await cluster.kill(2);
    const again = cluster.start(2);
    cluster.link(0, 2);
    cluster.link(1, 2);
    await use(cluster, victim, 2);
    expect(nodeIds(again.state)).toContain(victim.id);
  });
});

describe('a node that is gone and was forgotten', () => {
  it('stays hidden on a node that starts again, until it sends something', async () => {
    await using cluster = new MeshCluster(3);
    cluster.lay('full');
    const [gone, supervisor] = cluster.nodes;
    if (gone === undefined || supervisor === undefined) throw new Error('there are three');
    gone.open('way');
    await use(cluster, gone, 5);
    await cluster.kill(0);
    await cluster.clock.advance(60_000);
    const nowMs = cluster.clock.nowMs();
    const result = forgetNode(supervisor.state, { self: supervisor.id, subject: gone.id, nowMs });
    if (result.kind !== 'forgotten') throw new Error(result.code);
    supervisor.record({ kind: 'node.forgotten', payload: result.fact });
    await cluster.clock.advance(1_000);
    expect(nodeIds(cluster.node(1).state)).not.toContain(gone.id);
    await cluster.kill(2);
    const again = cluster.start(2);
    expect(nodeIds(again.state)).not.toContain(gone.id);
    cluster.link(1, 2);
    await cluster.clock.advance(20_000);
    expect(nodeIds(again.state)).not.toContain(gone.id);
    const back = cluster.start(0);
    cluster.link(0, 1);
    await use(cluster, back, 2);
    expect(nodeIds(again.state)).toContain(gone.id);
  });
});

/** A live word each half second. */
const use = async (cluster: MeshCluster, node: MeshNode, seconds: number): Promise<void> => {
  for (let turn = 0; turn < seconds * 2; turn += 1) {
    node.reportMemory(turn);
    await cluster.clock.advance(500);
  }
};

const forgetting = (
  { id }: MeshNode,
  numbers: { durableEpoch: number; durableSeq: number; liveEpoch: number; liveSeq: number },
): Fact => ({ kind: 'node.forgotten', payload: { subject: id, ...numbers } });
