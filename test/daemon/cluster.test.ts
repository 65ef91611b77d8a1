import { describe, expect, it } from 'vitest';
import { nodeId } from '../../src/core/ids.ts';
import { Cluster } from '../../src/daemon/cluster.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const origin = nodeId('a'.repeat(26));

describe('state that a peer answered with holes', () => {
  it('is reported as replaced, once, and not at all when it brought nothing', () => {
    const cluster = new Cluster();
    const reported: string[] = [];
    const end = cluster.subscribe(
      () => reported.push('events'),
      () => reported.push('replaced'),
    );
    const answer = { origin, epoch: 3, through: 9, events: [], receivedAtMs: new VirtualClock().nowMs() };
    cluster.catchUp(answer);
    cluster.catchUp(answer);
    expect(reported).toEqual(['replaced']);
    end();
    cluster.catchUp({ ...answer, through: 12 });
    expect(reported).toEqual(['replaced']);
  });
});
