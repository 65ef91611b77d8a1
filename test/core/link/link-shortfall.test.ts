import { describe, expect, test } from 'vitest';
import { connectionKey } from '../../../src/core/link/connection.ts';
import { linkFacts } from '../../../src/core/link/link-facts.ts';
import { linkShortfall } from '../../../src/core/link/link-shortfall.ts';
import type { LinkView } from '../../../src/core/link/link-view.ts';
import { unknown } from '../../../src/core/unknown.ts';
import {
  connectionOf,
  ETHERNET,
  idOf,
  OVERLAY,
  profileOf,
  THUNDERBOLT,
  WIFI,
  type Wire,
} from '../../e2e/links.ts';
import { notebook, studio } from '../../e2e/machines.ts';

const A = idOf(studio);
const B = idOf(notebook);

const UNREAD = { network: undefined, thunderbolt: undefined, rdmaDevices: undefined };

const linkOf = (wire: Wire): LinkView => {
  const connection = connectionOf(B, wire);
  const entry = { epoch: 1, seq: 1, ageMs: 0, receivedAtMs: 0 };
  const facts = linkFacts(
    [A, B],
    {
      connections: { [connectionKey(connection)]: { ...entry, value: connection } },
      lost: [],
      profiles: { [connectionKey(connection)]: { ...entry, value: profileOf(B, wire) } },
      readings: UNREAD,
    },
    { connections: undefined, lost: [], profiles: undefined, readings: UNREAD },
  );
  if (facts === undefined) throw new Error('no link');
  const { figures, ...rest } = facts;
  const figure = (fact: typeof figures.there) => fact && { ...fact, isStale: false };
  const now = {
    there: figure(figures.there),
    back: figure(figures.back),
    roundTrip: figure(figures.roundTrip),
  };
  return {
    ...rest,
    ...now,
    last: now,
    away: [],
    medium: facts.best.medium,
    standing: { kind: 'measured' },
    isMeasuring: false,
    isStale: false,
  };
};

describe('a link falls short', () => {
  test.for([ETHERNET, THUNDERBOLT, WIFI, OVERLAY])('not when it is sound', wire => {
    expect(linkShortfall(linkOf(wire))).toBeUndefined();
  });

  test('where one direction reaches half of what was negotiated', () => {
    expect(linkShortfall(linkOf({ ...ETHERNET, up: 4.87e9 }))).toMatchObject({
      direction: 'there',
      bitsPerSecond: 4.87e9,
      expected: { kind: 'negotiated', bitsPerSecond: 10e9 },
    });
  });

  test('where both do', () => {
    expect(linkShortfall(linkOf({ ...ETHERNET, up: 941e6, down: 939e6 }))?.direction).toBe('both');
  });

  test('where the rate is unknown but one way carries far less than the other', () => {
    const wire: Wire = { ...ETHERNET, negotiatedBitsPerSecond: 0, up: 9.4e9, down: 2e9 };
    expect(linkShortfall(linkOf(wire))).toMatchObject({ direction: 'back', expected: { kind: 'other-way' } });
  });

  test('where its type is unknown but one way carries less than half of the other', () => {
    const type = unknown('br0 is a virtual interface');
    const uneven = (down: number) =>
      linkShortfall(linkOf({ ...ETHERNET, type, negotiatedBitsPerSecond: 0, up: 940e6, down }));
    expect(uneven(94e6)).toMatchObject({
      direction: 'back',
      bitsPerSecond: 94e6,
      of: { medium: 'unknown' },
      expected: { kind: 'other-way', bitsPerSecond: 940e6 },
    });
    expect(uneven(471e6)).toBeUndefined();
  });

  test('not for TCP over Thunderbolt at half of its rate, nor for air that is uneven', () => {
    const { rdma: _none, ...tcp } = THUNDERBOLT;
    expect(linkShortfall(linkOf({ ...tcp, up: 38e9, down: 37e9 }))).toBeUndefined();
    expect(linkShortfall(linkOf({ ...WIFI, up: 612e6, down: 200e6 }))).toBeUndefined();
  });
});
