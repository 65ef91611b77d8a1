import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventClass, factKey } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import { decodeRecordBody, encodeRecordBody, RECORD_BYTES_MAX } from '../../src/wire/durable-record.ts';
import { arbitraryFact } from '../core/arbitrary-event.ts';

const origin = nodeId('a'.repeat(26));
const position = { origin, epoch: 3, seq: 9 };
const receipt = { ageMs: 40, receivedAtMs: 1_000 };

describe('a durable record', () => {
  it('comes back as the event it was made of', () => {
    fc.assert(
      fc.property(
        arbitraryFact.filter(fact => eventClass(fact.kind) === 'durable'),
        fact => {
          expect(decodeRecordBody(encodeRecordBody(position, fact), receipt)).toEqual({
            kind: 'event',
            event: { ...position, class: 'durable', key: factKey(fact), ...receipt, ...fact },
          });
        },
      ),
    );
  });

  it('of a kind that this version does not know is let through as unknown', () => {
    const decoded = decodeRecordBody(
      bytesOf({ ...record, kind: 'tide.turned', key: 'x', payload: [1] }),
      receipt,
    );
    expect(decoded).toEqual({
      kind: 'event',
      event: {
        ...position,
        class: 'durable',
        key: 'x',
        ...receipt,
        kind: 'unknown',
        unknownKind: 'tide.turned',
      },
    });
  });

  it('is refused, with a reason, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        expect(decodeRecordBody(bytes, receipt).kind).toBe('refused');
      }),
    );
  });

  it('is refused when any part of it is of another shape', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('version', 'origin', 'key', 'payload', 'epoch', 'seq'),
        fc.jsonValue(),
        (part, value) => {
          const isPosition = part === 'epoch' || part === 'seq';
          fc.pre(!(isPosition && Number.isSafeInteger(value) && Number(value) >= 0));
          fc.pre(!(part === 'version' && value === 1));
          expect(decodeRecordBody(bytesOf({ ...record, [part]: value }), receipt).kind).toBe('refused');
        },
      ),
    );
  });

  it.each([
    [
      'a payload without a field',
      { payload: { sink: origin, connectionKey: 'k' } },
      'connection.closed payload.reason',
    ],
    ['a key that its payload does not make', { key: 'other' }, 'does not have the key'],
    ['a version of the future', { version: 99 }, 'record version 99'],
    ['a version that has no text', { version: { toString: 1 } }, 'record version {"toString":1}'],
    ['a negative seq', { seq: -1 }, 'epoch or seq'],
    ['an origin that is not a node id', { origin: '__proto__' }, 'origin'],
    ['a kind that is not of the form slot.verb', { kind: '__proto__' }, 'kind'],
  ])('with %s is refused, naming it', (_what, change, reason) => {
    const decoded = decodeRecordBody(bytesOf({ ...record, ...change }), receipt);
    expect(decoded).toMatchObject({ kind: 'refused', reason: expect.stringContaining(reason) });
  });

  it('past its bound is refused before it is parsed', () => {
    const decoded = decodeRecordBody(new Uint8Array(RECORD_BYTES_MAX + 1), receipt);
    expect(decoded).toMatchObject({ kind: 'refused', reason: expect.stringContaining('too large') });
  });
});

const record = {
  version: 1,
  ...position,
  kind: 'connection.closed',
  key: `${origin} k`,
  payload: { sink: origin, connectionKey: 'k', reason: 'no answer' },
};

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
