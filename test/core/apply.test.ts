import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply, applyAll, applyCatchUp, UNKNOWN_KINDS_PER_ORIGIN_MAX } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import type { NodeId } from '../../src/core/ids.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import { LINK_FIGURES } from '../support/link-figures.ts';
import { arbitraryHistories, arbitraryHistory, interleavings, ORIGINS } from './arbitrary-event.ts';

const [a, b] = ORIGINS;
if (a === undefined || b === undefined) throw new Error('the test needs two origins');

/** The fold of histories one after the other: what every other order must come to. */
const folded = (histories: readonly (readonly Event[])[]): State =>
  histories.reduce((state, history) => applyAll(state, history), EMPTY_STATE);

describe('apply', () => {
  it('comes to the same state however the events of different origins interleave', () => {
    fc.assert(
      fc.property(
        arbitraryHistories.chain(histories => fc.tuple(fc.constant(histories), interleavings(histories))),
        ([histories, events]) => {
          expect(applyAll(EMPTY_STATE, events)).toEqual(folded(histories));
        },
      ),
    );
  });

  it('changes nothing, not even identity, when an event comes a second time', () => {
    fc.assert(
      fc.property(arbitraryHistory(a), fc.nat(), (history, choice) => {
        const state = applyAll(EMPTY_STATE, history);
        const again = history[choice % Math.max(1, history.length)];
        if (again !== undefined) expect(apply(state, again)).toBe(state);
      }),
    );
  });

  it('never changes the state it is given', () => {
    fc.assert(
      fc.property(arbitraryHistory(a), history => {
        let state = EMPTY_STATE;
        for (const event of history) {
          const before = structuredClone(state);
          const earlier = state;
          state = apply(state, event);
          expect(earlier).toEqual(before);
        }
      }),
    );
  });

  it('of many events at once is the same as one by one, and leaves alone every state that anybody holds', () => {
    fc.assert(
      fc.property(arbitraryHistories, fc.nat(), (histories, cut) => {
        const events = histories.flat();
        const at = cut % (events.length + 1);
        const earlier = applyAll(EMPTY_STATE, events.slice(0, at));
        const before = structuredClone(earlier);
        const after = applyAll(earlier, events.slice(at));
        expect(after).toEqual(events.reduce(apply, EMPTY_STATE));
        expect(earlier).toEqual(before);
        const kept = structuredClone(after);
        for (const event of events) apply(after, event);
        applyAll(after, events.toReversed());
        expect(after).toEqual(kept);
      }),
    );
  });

  it('comes to the same state when any prefix is replayed first', () => {
    fc.assert(
      fc.property(arbitraryHistories, fc.nat(), (histories, cut) => {
        const events = histories.flat();
        const prefix = events.slice(0, cut % (events.length + 1));
        expect(applyAll(applyAll(EMPTY_STATE, prefix), events)).toEqual(folded(histories));
      }),
    );
  });

  it("keeps the newest of each live entry for any order of arrival of its origin's live events", () => {
    fc.assert(
      fc.property(
        arbitraryHistory(a)
          .map(history => history.filter(event => event.class === 'live' && event.kind !== 'unknown'))
          .chain(live =>
            fc.tuple(
              fc.constant(live),
              fc.shuffledSubarray(live, { minLength: live.length, maxLength: live.length }),
            ),
          ),
        ([live, shuffled]) => {
          expect(applyAll(EMPTY_STATE, shuffled)).toEqual(applyAll(EMPTY_STATE, live));
        },
      ),
    );
  });

  it('waits for the next durable event: one that skips ahead changes nothing until the gap is filled', () => {
    const [first, second, third] = [1, 2, 3].map(seq =>
      identity({ origin: a, epoch: 1, seq, name: `n${seq}` }),
    );
    if (first === undefined || second === undefined || third === undefined) throw new Error('unreachable');
    const one = apply(EMPTY_STATE, first);
    expect(apply(one, third)).toBe(one);
    expect(nameOf(applyAll(one, [third, second, third]), a)).toBe('n3');
  });

  it('replaces what an older epoch wrote as soon as a newer one begins, and never goes back', () => {
    const old = applyAll(EMPTY_STATE, [
      identity({ origin: a, epoch: 1, seq: 1, name: 'old' }),
      connectionOpened({ origin: a, epoch: 1, seq: 2, sink: b }),
    ]);
    const renewed = apply(old, identity({ origin: a, epoch: 2, seq: 1, name: 'new' }));
    expect(nameOf(renewed, a)).toBe('new');
    expect(renewed.connections).toEqual({});
    expect(apply(renewed, identity({ origin: a, epoch: 1, seq: 3, name: 'older' }))).toBe(renewed);
    expect(apply(old, identity({ origin: a, epoch: 2, seq: 2, name: 'not the first' }))).toBe(old);
  });

  it('leaves the live readings of an origin when its journal starts again', () => {
    const live = memory({ origin: a, seq: 1 });
    const state = applyAll(EMPTY_STATE, [live, identity({ origin: a, epoch: 1, seq: 1, name: 'old' })]);
    expect(apply(state, identity({ origin: a, epoch: 2, seq: 1, name: 'new' })).nodeMemories[a]?.seq).toBe(1);
  });

  it('takes the profile of a closed connection out of the picture', () => {
    const state = applyAll(EMPTY_STATE, [
      connectionOpened({ origin: a, epoch: 1, seq: 1, sink: b }),
      linkProfiled({ origin: a, epoch: 1, seq: 2, sink: b }),
    ]);
    expect(Object.keys(state.linkProfiles[a]?.[b] ?? {})).toEqual(['socket 10.0.0.1']);
    const closed = apply(state, connectionClosed({ origin: a, epoch: 1, seq: 3, sink: b }));
    expect(closed.connections).toEqual({});
    expect(closed.linkProfiles).toEqual({});
  });

  it('counts a kind it does not know, and goes on past it', () => {
    const state = applyAll(EMPTY_STATE, [
      {
        ...head({ origin: a, epoch: 1, seq: 1 }),
        kind: 'unknown',
        unknownKind: 'tide.turned',
      },
      identity({ origin: a, epoch: 1, seq: 2, name: 'after' }),
    ]);
    expect(state.unknownKinds[a]).toEqual({
      'tide.turned': { class: 'durable', epoch: 1, seq: 1, count: 1 },
    });
    expect(nameOf(state, a)).toBe('after');
  });

  it('remembers a bounded number of unknown kinds', () => {
    let state = EMPTY_STATE;
    for (let seq = 1; seq <= UNKNOWN_KINDS_PER_ORIGIN_MAX + 10; seq += 1) {
      state = apply(state, {
        ...head({ origin: a, epoch: 1, seq }),
        kind: 'unknown',
        unknownKind: `tide.turned${seq}`,
      });
    }
    expect(Object.keys(state.unknownKinds[a] ?? {})).toHaveLength(UNKNOWN_KINDS_PER_ORIGIN_MAX);
    expect(state.origins[a]?.seq).toBe(UNKNOWN_KINDS_PER_ORIGIN_MAX + 10);
  });
});

describe('applyCatchUp', () => {
  it('comes to what the whole history comes to when only superseded events were left out', () => {
    fc.assert(
      fc.property(arbitraryHistory(a), history => {
        const durable = history.filter(event => event.class === 'durable');
        const epoch = Math.max(0, ...durable.map(event => event.epoch));
        const current = history.filter(event => event.class === 'durable' && event.epoch === epoch);
        if (current.length === 0) return;
        const through = Math.max(...current.map(event => event.seq));
        const compacted = current.filter(
          (event, index) =>
            event.kind !== 'identity.gathered' ||
            !current.slice(index + 1).some(later => later.kind === 'identity.gathered'),
        );
        const catchUp = { origin: a, epoch, through, events: compacted, receivedAtMs: 5 };
        const caughtUp = applyCatchUp(EMPTY_STATE, catchUp);
        const whole = applyAll(
          EMPTY_STATE,
          history.filter(event => event.class === 'durable'),
        );
        expect({ ...caughtUp, origins: {} }).toEqual({ ...whole, origins: {} });
        expect(caughtUp.origins[a]).toMatchObject({ epoch, seq: through });
      }),
    );
  });

  it('moves over the holes of compaction to `through`, so that streaming goes on behind it', () => {
    const kept = identity({ origin: a, epoch: 3, seq: 9, name: 'kept' });
    const state = applyCatchUp(EMPTY_STATE, {
      origin: a,
      epoch: 3,
      through: 12,
      events: [kept],
      receivedAtMs: 1,
    });
    expect(nameOf(state, a)).toBe('kept');
    const next = apply(state, identity({ origin: a, epoch: 3, seq: 13, name: 'next' }));
    expect(nameOf(next, a)).toBe('next');
  });

  it('changes nothing when it brings nothing new', () => {
    const answer = { origin: a, epoch: 3, through: 2, events: [], receivedAtMs: 1 };
    const state = applyCatchUp(EMPTY_STATE, answer);
    expect(applyCatchUp(state, answer)).toBe(state);
    expect(applyCatchUp(state, { ...answer, epoch: 2, through: 9 })).toBe(state);
  });

  it('does not let events of another origin or epoch in', () => {
    const stray = identity({ origin: b, epoch: 3, seq: 1, name: 'stray' });
    const old = identity({ origin: a, epoch: 2, seq: 1, name: 'old' });
    const state = applyCatchUp(EMPTY_STATE, {
      origin: a,
      epoch: 3,
      through: 1,
      events: [stray, old],
      receivedAtMs: 1,
    });
    expect(state.nodeIdentities).toEqual({});
  });
});

const head = ({ origin, epoch, seq }: { origin: NodeId; epoch: number; seq: number }) =>
  ({ origin, epoch, seq, class: 'durable', key: '', ageMs: 0, receivedAtMs: seq }) as const;

const identity = ({ name, ...at }: { origin: NodeId; epoch: number; seq: number; name: string }): Event => ({
  ...head(at),
  kind: 'identity.gathered',
  payload: {
    source: 'dmi',
    intervalMs: 30_000,
    value: {
      friendlyName: name,
      hostName: 'host',
      model: 'model',
      chip: 'chip',
      architecture: 'x64',
      cpuCount: 2,
      operatingSystem: { platform: 'linux', name: 'Linux', version: '1', build: '6' },
      memoryIsUnified: false,
      virtualisation: 'none',
      plimsollVersion: '0.1.0',
      isSimulated: false,
    },
  },
});

const memory = ({ origin, seq }: { origin: NodeId; seq: number }): Event => ({
  ...head({ origin, epoch: 7, seq }),
  class: 'live',
  kind: 'memory.gathered',
  payload: {
    source: 'procfs',
    intervalMs: 500,
    value: {
      totalBytes: 1,
      availableBytes: 1,
      swapTotalBytes: 0,
      swapUsedBytes: 0,
      pressure: { level: 'normal', stalledShare: 0 },
      container: { kind: 'none' },
    },
  },
});

interface OpenedConnection {
  readonly origin: NodeId;
  readonly epoch: number;
  readonly seq: number;
  readonly sink: NodeId;
}

const connectionOpened = ({ sink, ...at }: OpenedConnection): Event => ({
  ...head(at),
  key: `${sink} socket 10.0.0.1`,
  kind: 'connection.opened',
  payload: {
    kind: 'socket',
    sink,
    sinkAddress: '10.0.0.1',
    sourceInterface: 'en0',
    sinkInterface: 'en0',
    type: 'ethernet',
    negotiatedBitsPerSecond: 1e10,
  },
});

const connectionClosed = ({ sink, ...at }: OpenedConnection): Event => ({
  ...head(at),
  key: `${sink} socket 10.0.0.1`,
  kind: 'connection.closed',
  payload: { sink, connectionKey: 'socket 10.0.0.1', reason: 'no answer' },
});

const linkProfiled = ({ sink, ...at }: OpenedConnection): Event => ({
  ...head(at),
  key: `${sink} socket 10.0.0.1`,
  kind: 'link.profiled',
  payload: {
    sink,
    connectionKey: 'socket 10.0.0.1',
    ...LINK_FIGURES,
    uploadBitsPerSecond: 1e9,
    downloadBitsPerSecond: 1e9,
    roundTripNsMin: 1,
    roundTripNsP50: 2,
    roundTripNsP99: 3,
    jitterNs: 1,
    bytesUsed: 1_000_000,
  },
});

const nameOf = (state: State, node: NodeId): string | undefined =>
  state.nodeIdentities[node]?.value.friendlyName;
