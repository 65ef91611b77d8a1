import { describe, expect, it } from 'vitest';
import { apply, applyAll } from '../../../src/core/apply.ts';
import type { Event } from '../../../src/core/event.ts';
import { nodeId } from '../../../src/core/ids.ts';
import { forgetNode } from '../../../src/core/node/forget.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';

const self = nodeId('s'.repeat(26));
const gone = nodeId('g'.repeat(26));
const MOST = { epoch: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };

describe('forgetting a node', () => {
  const state = applyAll(EMPTY_STATE, [
    closed(gone, 1, 0),
    confirmed(gone, 4, 0),
    confirmed(self, 1, 60_000),
  ]);

  it('hides it up to what is known of it, and shows it again when it sends something', () => {
    const result = forgetNode(state, { self, subject: gone, nowMs: 60_000 });
    expect(result).toEqual({
      kind: 'forgotten',
      fact: { subject: gone, durableEpoch: 1, durableSeq: 1, liveEpoch: 7, liveSeq: 4 },
    });
    if (result.kind !== 'forgotten') return;
    const hidden = apply(state, {
      ...head(self, 1, 60_000),
      class: 'durable',
      epoch: 1,
      key: gone,
      kind: 'node.forgotten',
      payload: result.fact,
    });
    expect(nodeIds(hidden)).toEqual([self]);
    expect(nodeIds(apply(hidden, confirmed(gone, 5, 61_000)))).toEqual([gone, self]);
  });

  it('is refused for a node that is up, for oneself, and for an unknown one', () => {
    expect(forgetNode(state, { self, subject: gone, nowMs: 5_000 })).toMatchObject({ code: 'node-is-live' });
    expect(forgetNode(state, { self, subject: self, nowMs: 60_000 })).toMatchObject({ code: 'own-node' });
    const stranger = nodeId('x'.repeat(26));
    expect(forgetNode(state, { self, subject: stranger, nowMs: 0 })).toMatchObject({ code: 'no-such-node' });
  });
});

describe('a member that forgets others', () => {
  const alive = applyAll(EMPTY_STATE, [closed(gone, 1, 0), confirmed(gone, 4, 60_000)]);

  it('hides nobody with numbers beyond what anybody has received', () => {
    expect(nodeIds(apply(alive, forget(1, { durable: MOST, live: MOST }, 61_000)))).toContain(gone);
    const silent = applyAll(alive, [forget(1, { durable: MOST, live: MOST }, 9_000_000)]);
    expect(nodeIds(silent), 'also long after its last word').toContain(gone);
  });

  it('hides no node that was seen a moment ago, however often it forgets them', () => {
    let state = alive;
    for (let turn = 1; turn <= 100; turn += 1) {
      const atMs = 60_000 + turn * 500;
      state = applyAll(state, [
        confirmed(gone, 4 + turn, atMs),
        forget(turn, { durable: { epoch: 1, seq: 1 }, live: MOST }, atMs + 499),
      ]);
      expect(nodeIds(state)).toContain(gone);
    }
  });

  it('hides a node that is gone only until its next event, for any live numbers that it claims', () => {
    const hidden = apply(alive, forget(1, { durable: { epoch: 1, seq: 1 }, live: MOST }, 90_000));
    expect(nodeIds(hidden)).not.toContain(gone);
    expect(nodeIds(apply(hidden, confirmed(gone, 5, 91_000)))).toContain(gone);
    expect(nodeIds(apply(hidden, closed(gone, 2, 91_000)))).toContain(gone);
  });

  it('still hides a node that is gone after a restart, which keeps no live events', () => {
    const restarted = applyAll(EMPTY_STATE, [
      closed(gone, 1, 0),
      forget(1, { durable: { epoch: 1, seq: 1 }, live: { epoch: 7, seq: 4 } }, 90_000),
    ]);
    expect(nodeIds(restarted)).not.toContain(gone);
    expect(nodeIds(apply(restarted, confirmed(gone, 1, 100_000)))).toContain(gone);
  });
});

interface Position {
  readonly epoch: number;
  readonly seq: number;
}

function forget(
  seq: number,
  { durable, live }: { readonly durable: Position; readonly live: Position },
  receivedAtMs: number,
): Event {
  return {
    ...head(self, seq, receivedAtMs),
    class: 'durable',
    epoch: 1,
    key: gone,
    kind: 'node.forgotten',
    payload: {
      subject: gone,
      durableEpoch: durable.epoch,
      durableSeq: durable.seq,
      liveEpoch: live.epoch,
      liveSeq: live.seq,
    },
  };
}

function head(origin: typeof self, seq: number, receivedAtMs: number) {
  return { origin, seq, ageMs: 0, receivedAtMs };
}

function confirmed(origin: typeof self, seq: number, receivedAtMs: number): Event {
  return {
    ...head(origin, seq, receivedAtMs),
    class: 'live',
    epoch: 7,
    key: 'memory',
    kind: 'reading.confirmed',
    payload: { reading: 'memory', vendor: 'none', source: 'procfs', intervalMs: 500 },
  };
}

function closed(origin: typeof self, seq: number, receivedAtMs: number): Event {
  return {
    ...head(origin, seq, receivedAtMs),
    class: 'durable',
    epoch: 1,
    key: `${self} k`,
    kind: 'connection.closed',
    payload: { sink: self, connectionKey: 'k', reason: 'gone' },
  };
}
