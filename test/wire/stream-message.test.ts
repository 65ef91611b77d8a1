import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyAll } from '../../src/core/apply.ts';
import { nodeId } from '../../src/core/ids.ts';
import { EMPTY_STATE } from '../../src/core/state.ts';
import { unknown } from '../../src/core/unknown.ts';
import {
  decodeBatch,
  decodeSnapshot,
  droppedText,
  encodeBatch,
  encodeDropped,
  encodeSnapshot,
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
        const snapshot = decodeSnapshot(encodeSnapshot({ ...about, nowMs: 100, state: before }).text, 5_100);
        const batch = decodeBatch(
          encodeBatch({ nowMs: 250, events: events.slice(cut % (events.length + 1)) }).text,
          5_250,
        );
        expect(applyAll(snapshot.state, batch.events)).toEqual(
          translated(applyAll(EMPTY_STATE, events), 5_000),
        );
      }),
    );
  });

  it('of another version asks for a reload', () => {
    const text = encodeSnapshot({ ...about, nowMs: 0, state: EMPTY_STATE }).text.replace(
      '"version":1',
      '"version":2',
    );
    expect(() => decodeSnapshot(text, 0)).toThrow(/reload the page/);
  });

  it.each(['{"nowMs":', 'null', '[]', '{}', '{"nowMs":"1","events":[]}', '{"nowMs":1,"events":{}}'])(
    'that reports %s is an error with a code',
    text => {
      expect(() => decodeBatch(text, 0)).toThrow(expect.objectContaining({ code: 'malformed' }));
    },
  );

  it.each([
    ['no node', { origin: 'x' }],
    ['no receipt', { receivedAtMs: null }],
    ['no age', { ageMs: '1' }],
    ['no kind', { kind: 7 }],
    ['no key', { key: undefined }],
  ])('with an event that has %s is an error with a code', (_what, part) => {
    const text = JSON.stringify({ nowMs: 1, events: [{ ...STOPPING, ...part }] });
    expect(() => decodeBatch(text, 0)).toThrow(expect.objectContaining({ code: 'malformed' }));
  });

  it('treats a kind that only a newer daemon has, and an invalid payload, as unknown', () => {
    const events = [
      { ...STOPPING, kind: 'harbour.gathered', payload: { depth: 7 } },
      { ...STOPPING, payload: 'x' },
      { ...STOPPING, kind: 'unknown', unknownKind: 'harbour.gathered' },
    ];
    const { events: read } = decodeBatch(JSON.stringify({ nowMs: 1, events }), 1);
    expect(read.map(event => [event.kind, 'unknownKind' in event && event.unknownKind])).toEqual([
      ['unknown', 'harbour.gathered'],
      ['unknown', STOPPING.kind],
      ['unknown', 'harbour.gathered'],
    ]);
    expect(applyAll(EMPTY_STATE, read).unknownKinds[sender]).toHaveProperty(['harbour.gathered']);
  });

  it('of a daemon that has fewer maps gives a state that has them all', () => {
    const { runs: _, ...fewer } = EMPTY_STATE;
    const text = JSON.stringify({ version: 1, ...about, nowMs: 0, state: fewer });
    expect(decodeSnapshot(text, 0).state).toEqual(EMPTY_STATE);
  });

  it.each([
    ['a state that is none', { state: [] }],
    ['a map that is none', { state: { runs: 7 } }],
    ['no node', { nodeId: 'x' }],
    ['no clock', { nowMs: null }],
  ])('whose snapshot has %s is an error with a code', (_what, part) => {
    const text = JSON.stringify({ version: 1, ...about, nowMs: 0, state: {}, ...part });
    expect(() => decodeSnapshot(text, 0)).toThrow(expect.objectContaining({ code: 'malformed' }));
  });

  it('reports why it ends, also for a reason unknown to this version', () => {
    expect(droppedText(encodeDropped({ reason: 'slow', message: 'it reads too slowly' }))).toBe(
      'it reads too slowly',
    );
    expect(droppedText('{"reason":"tide","message":"the tide is out"}')).toBe('the tide is out');
    for (const text of ['', 'null', '{}', '{"message":7}']) expect(droppedText(text)).toBe('');
  });
});

const STOPPING = {
  origin: sender,
  epoch: 1,
  class: 'live',
  seq: 1,
  key: '',
  ageMs: 0,
  receivedAtMs: 0,
  kind: 'node.stopping',
  payload: { durableEpoch: 1, durableSeq: 1 },
};

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
      value: {
        runnerKey: '__proto__',
        source: 'run',
        targetNode: unknown('not reported'),
        requestsInFlight: 1,
      },
      epoch: 1,
      seq: 1,
      ageMs: 0,
      receivedAtMs: 0,
    } as const;
    const runners = { [sender]: { ['__proto__']: entry } };
    expect(JSON.stringify(withAgesAt({ ...EMPTY_STATE, runners }, 0).runners)).toBe(JSON.stringify(runners));
  });
});
