import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  JOIN_ADDRESSES_MAX,
  joinCodeText,
  joinProof,
  parseJoinCode,
} from '../../../src/mesh/key/join-code.ts';
import {
  JOIN_CODE_LIFE_MS,
  JOIN_CODES_MAX,
  JOIN_TRIES_MAX,
  JoinCodes,
} from '../../../src/mesh/key/join-codes.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const SECRET = new Uint8Array(16).fill(7);
const ADDRESSES = [{ host: '192.168.1.20', port: 4181 }];

describe('a code to join', () => {
  test('comes back from its text with secret and places', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        fc.array(
          fc.record({ host: fc.oneof(fc.ipV4(), fc.ipV6()), port: fc.integer({ min: 1, max: 65_535 }) }),
          {
            minLength: 1,
            maxLength: JOIN_ADDRESSES_MAX,
          },
        ),
        (secret, addresses) => {
          const text = joinCodeText({ secret, addresses });
          expect(parseJoinCode(` ${text.toUpperCase()}\n`)).toEqual(parseJoinCode(text));
          const read = parseJoinCode(text);
          expect(read.kind === 'code' && read.code.addresses.length).toBe(addresses.length);
          expect(read.kind === 'code' && Buffer.from(read.code.secret).equals(secret)).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('with one character changed, in secret or address, is never taken', () => {
    const text = joinCodeText({ secret: SECRET, addresses: ADDRESSES });
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === 'b' ? 'c' : 'b';
      const changed = text.slice(0, at) + other + text.slice(at + 1);
      expect(parseJoinCode(changed).kind, changed).toBe('wrong');
    }
  });

  test.each([
    ['', 'is empty'],
    ['plimsoll-key-1-aaaa', 'does not begin with plimsoll-join-1-'],
    ['plimsoll-join-2-aaaa@10.0.0.1:4181', 'was made by a newer Plimsoll'],
    ['plimsoll-join-1-aaaa', 'does not end with an @ and the addresses after it: a part of it is missing'],
    ['plimsoll-join-1-aa aa@10.0.0.1:1', 'has more than one line or word'],
    [`plimsoll-join-1-${'a'.repeat(2_000)}`, 'is much too long'],
  ])('%j %s', (text, problem) => {
    expect(parseJoinCode(text)).toEqual({ kind: 'wrong', problem });
  });

  test('shows its secret neither in its id nor in its PSK', () => {
    const { id, psk } = joinProof(SECRET);
    expect(id).toMatch(/^join-[0-9a-f]{16}$/);
    expect(Buffer.from(psk).includes(Buffer.from(SECRET))).toBe(false);
  });
});

describe('codes that were given', () => {
  const given = () => {
    const clock = new VirtualClock();
    const codes = new JoinCodes(clock);
    const { id } = joinProof(codes.issue());
    return { clock, codes, id };
  };

  test('let one machine join, and refuse the second as used', () => {
    const { codes, id } = given();
    expect([codes.redeem(id), codes.redeem(id), codes.redeem(id)]).toEqual(['granted', 'used', 'used']);
  });

  test('hold for ten minutes and not a moment longer', async () => {
    const { clock, codes, id } = given();
    await clock.advance(JOIN_CODE_LIFE_MS - 1);
    const later = joinProof(codes.issue()).id;
    await clock.advance(1);
    expect(codes.redeem(id)).toBe('expired');
    expect(codes.redeem(later)).toBe('granted');
  });

  test('that were used are reported as used when their time is over, too', async () => {
    const { clock, codes, id } = given();
    codes.redeem(id);
    await clock.advance(JOIN_CODE_LIFE_MS);
    expect(codes.standingOf(id)).toMatchObject({ state: 'used', expiresInMs: 0 });
    expect(codes.redeem(id)).toBe('used');
  });

  test('end with the fifth handshake that did not have them, also for a machine that has them', () => {
    const { codes, id } = given();
    for (let tries = 0; tries < JOIN_TRIES_MAX - 1; tries += 1) codes.failed(id);
    const other = given();
    for (let tries = 0; tries < JOIN_TRIES_MAX; tries += 1) other.codes.failed(other.id);
    expect(codes.redeem(id)).toBe('granted');
    expect(other.codes.redeem(other.id)).toBe('tries');
  });

  test('that were never given have no PSK, and the oldest of many is forgotten', () => {
    const { codes, id } = given();
    expect(codes.pskOf('join-0000000000000000')).toBeUndefined();
    codes.failed('join-0000000000000000');
    for (let more = 0; more < JOIN_CODES_MAX; more += 1) codes.issue();
    expect(codes.pskOf(id)).toBeUndefined();
    expect(codes.redeem(id)).toBe('expired');
  });
});
