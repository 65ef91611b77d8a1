import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import type { Connection } from '../../src/core/link/connection.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import { followRdmaConnections } from '../../src/daemon/rdma-connections.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const ATLAS = nodeId('a'.repeat(26));
const JUNO = nodeId('j'.repeat(26));
const STORED: Connection = {
  kind: 'rdma',
  sink: JUNO,
  sourceInterface: 'mlx5_0',
  sinkInterface: 'mlx5_0',
  type: 'roce',
  negotiatedBitsPerSecond: 1e11,
};
const left: State = {
  ...EMPTY_STATE,
  connections: {
    [ATLAS]: {
      [JUNO]: { 'rdma mlx5_0 mlx5_0': { value: STORED, epoch: 1, seq: 1, ageMs: 0, receivedAtMs: 0 } },
    },
  },
};

describe('following RDMA connections', () => {
  it('closes at the start what an earlier process left open, looks again in time, and stops when requested', async () => {
    const clock = new VirtualClock();
    const facts: Fact[] = [];
    let state: State = left;
    const stop = new AbortController();
    const follow = followRdmaConnections(
      {
        nodeId: ATLAS,
        clock,
        state: () => state,
        isChosen: () => true,
        record: fact => {
          facts.push(fact);
          state = EMPTY_STATE;
        },
      },
      stop.signal,
    );
    expect(facts).toMatchObject([
      { kind: 'connection.closed', payload: { sink: JUNO, connectionKey: 'rdma mlx5_0 mlx5_0' } },
    ]);
    // None of the objects that it watches has changed; only time has passed.
    state = left;
    await clock.advance(4_000);
    expect(facts).toHaveLength(1);
    await clock.advance(1_000);
    expect(facts).toHaveLength(2);
    stop.abort();
    await follow;
  });
});
