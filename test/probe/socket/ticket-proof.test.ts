import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ANSWER_BYTES,
  answer,
  CLAIM_BYTES,
  type ConnectionHead,
  claim,
  GREETING_BYTES,
  greeting,
  makeNonce,
  readAnswer,
  readClaim,
  readGreeting,
} from '../../../src/probe/socket/ticket-proof.ts';

const TICKET = '7QKF-M2XW-9TBD';
const HEAD: ConnectionHead = { role: 'data', index: 3, run: 258 };

const nonces = { sinkNonce: makeNonce(), sourceNonce: makeNonce() };

test('both ends prove the ticket, and the head arrives', () => {
  const hello = greeting(nonces.sinkNonce);
  const claimed = claim(TICKET, HEAD, nonces);
  const received = readClaim(TICKET, claimed, nonces.sinkNonce);
  expect([hello.length, claimed.length]).toEqual([GREETING_BYTES, CLAIM_BYTES]);
  expect(readGreeting(hello)).toEqual(nonces.sinkNonce);
  expect(received).toMatchObject({ kind: 'proved', head: HEAD });
  for (const verdict of ['accepted', 'busy'] as const) {
    const answered = answer(TICKET, verdict, claimed.subarray(0, 8), nonces);
    expect(answered.length).toBe(ANSWER_BYTES);
    expect(readAnswer(TICKET, answered, HEAD, nonces)).toBe(verdict);
  }
});

test('another ticket, another nonce or one changed bit proves nothing', () => {
  const claimed = claim(TICKET, HEAD, nonces);
  const answered = answer(TICKET, 'accepted', claimed.subarray(0, 8), nonces);
  expect(readClaim('other', claimed, nonces.sinkNonce).kind).toBe('not-proved');
  expect(readClaim(TICKET, claimed, makeNonce()).kind).toBe('not-proved');
  expect(readAnswer('other', answered, HEAD, nonces)).toBeUndefined();
  fc.assert(
    fc.property(fc.nat(CLAIM_BYTES * 8 - 1), bit => {
      expect(readClaim(TICKET, flipped(claimed, bit), nonces.sinkNonce).kind).toBe('not-proved');
    }),
  );
  fc.assert(
    fc.property(fc.nat(ANSWER_BYTES * 8 - 1), bit => {
      expect(readAnswer(TICKET, flipped(answered, bit), HEAD, nonces)).toBeUndefined();
    }),
  );
});

test('a source that is answered with its own claim is not fooled', () => {
  const claimed = claim(TICKET, HEAD, nonces);
  const echoed = Buffer.concat([Buffer.of(0), claimed.subarray(40)]);
  expect(readAnswer(TICKET, echoed, HEAD, nonces)).toBeUndefined();
});

test('a stranger who greets in another way is distinguished from a sink', () => {
  expect(readGreeting(Buffer.from('SSH-2.0-OpenSSH_9.2'.padEnd(GREETING_BYTES)))).toBeUndefined();
  expect(readGreeting(Buffer.alloc(0))).toBeUndefined();
});

const flipped = (bytes: Buffer, bit: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
};
