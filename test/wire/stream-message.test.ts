import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyAll } from '../../src/core/apply.ts';
import { nodeId } from '../../src/core/ids.ts';
import { EMPTY_STATE } from '../../src/core/state.ts';
import { unknown } from '../../src/core/unknown.ts';
import {
  decodeBatch,
  decodeSnapshot,
  encodeBatch,
  encodeSnapshot,
  StreamMessageError,
  translated,
  withAgesAt,
} from '../../src/wire/stream-message.ts';
import { arbitraryHistories } from '../core/arbitrary-event.ts';

const sender = nodeId('a'.repeat(26));
const about = { daemonStart: 's1', nodeId: sender, plimsollVersion: '0.1.0' };

describe('a stream', () => {
  it('brings a reader to the same state as the sender, on its own clock', () => {
    fc.assert(
      fc.property(arbitraryHistories, fc.nat(), (histories, cut) => {
        const events = histories.flat();
        const before = applyAll(EMPTY_STATE, events.slice(0, cut % (events.length + 1)));
        const snapshot = decodeSnapshot(encodeSnapshot({ ...about, nowMs: 100, state: before }), 5_100);
        const batch = decodeBatch(
          encodeBatch({ nowMs: 250, events: events.slice(cut % (events.length + 1)) }),
          5_250,
        );
        expect(applyAll(snapshot.state, batch.events)).toEqual(
          translated(applyAll(EMPTY_STATE, events), 5_000),
        );
      }),
    );
  });

  it('of another version asks for a reload', () => {
    const text = encodeSnapshot({ ...about, nowMs: 0, state: EMPTY_STATE }).replace(
      '"version":1',
      '"version":2',
    );
    expect(() => decodeSnapshot(text, 0)).toThrow(/reload the page/);
  });

  it('that is not JSON is an error with a code', () => {
    expect(() => decodeBatch('{"nowMs":', 0)).toThrow(StreamMessageError);
  });
});

describe('ages as of a moment', () => {
  it('are counted up to it for every entry and never negative', () => {
    fc.assert(
      fc.property(arbitraryHistories, histories => {
        const state = withAgesAt(applyAll(EMPTY_STATE, histories.flat()), 1_000);
        for (const entry of Object.values(state.nodeMemories)) {
          expect(entry.receivedAtMs).toBe(1_000);
          expect(entry.ageMs).toBeGreaterThanOrEqual(1_000 - 25);
        }
      }),
    );
  });

  it('leave the receipt of an origin alone, which has no age', () => {
    fc.assert(
      fc.property(arbitraryHistories, histories => {
        const state = applyAll(EMPTY_STATE, histories.flat());
        expect(withAgesAt(state, 1_000).origins).toEqual(state.origins);
      }),
    );
  });

  it('keep a key that is the name of a prototype', () => {
    const entry = {
      value: { runnerKey: '__proto__', source: 'run', targetNode: unknown('not told'), requestsInFlight: 1 },
      epoch: 1,
      seq: 1,
      ageMs: 0,
      receivedAtMs: 0,
    } as const;
    const runners = { [sender]: { ['__proto__']: entry } };
    expect(JSON.stringify(withAgesAt({ ...EMPTY_STATE, runners }, 0).runners)).toBe(JSON.stringify(runners));
  });
});
