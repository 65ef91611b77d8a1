import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeId } from '../../src/core/ids.ts';
import { decodeRecordHead } from '../../src/wire/durable-record.ts';
import {
  decodeMeshMessage,
  encodeMeshMessage,
  LIVE_BODY_BYTES_MAX,
  MESH_PROTOCOL_VERSION,
  type MeshMessage,
  PROOF_BYTES,
} from '../../src/wire/mesh-message.ts';
import { MESH_LIST_LENGTH_MAX } from '../../src/wire/version-vector.ts';
import { longCount } from '../support/counts.ts';

const A = nodeId('a'.repeat(26));
const B = nodeId('b'.repeat(26));

const body = fc.uint8Array({ maxLength: 400 });
const whole = fc.maxSafeNat();
const age = fc.double({ min: 0, max: 1e12, noNaN: true });
const node = fc.constantFrom(A, B);
const entry = fc.record({ origin: node, epoch: whole, through: whole });
const message: fc.Arbitrary<MeshMessage> = fc.oneof(
  fc.record({
    kind: fc.constant('hello' as const),
    plimsollVersion: fc.string({ maxLength: 20 }),
    vectors: fc.array(entry),
    live: fc.array(entry),
    neighboursVersion: whole,
    neighbours: fc.array(node),
  }),
  fc.record({ kind: fc.constant('want' as const), wants: fc.array(entry) }),
  fc.record({
    kind: fc.constant('records' as const),
    origin: node,
    epoch: whole,
    after: whole,
    through: whole,
    records: fc.array(
      fc.record({
        ageMs: age,
        proof: fc.uint8Array({ minLength: PROOF_BYTES, maxLength: PROOF_BYTES }),
        body,
      }),
    ),
  }),
  fc.record({
    kind: fc.constant('fork' as const),
    origin: node,
    epoch: whole,
    records: fc.array(
      fc.record({
        ageMs: age,
        proof: fc.uint8Array({ minLength: PROOF_BYTES, maxLength: PROOF_BYTES }),
        body,
      }),
    ),
  }),
  fc.record({
    kind: fc.constant('live' as const),
    entries: fc.array(
      fc.record(
        { ageMs: age, body, proof: fc.uint8Array({ minLength: PROOF_BYTES, maxLength: PROOF_BYTES }) },
        { requiredKeys: ['ageMs', 'body'] },
      ),
    ),
  }),
  fc.record({
    kind: fc.constant('digest' as const),
    vectors: fc.array(entry),
    live: fc.array(entry),
    neighboursVersion: whole,
  }),
  fc.record({
    kind: fc.constant('neighbours' as const),
    version: whole,
    base: fc.oneof(fc.constant(-1), whole),
    added: fc.array(node),
    removed: fc.array(node),
  }),
  fc.constant({ kind: 'ask-neighbours' as const }),
);

describe('a mesh message', () => {
  it('comes out of its frame as it went in', () => {
    fc.assert(
      fc.property(message, one => {
        expect(plain(decodeMeshMessage(encodeMeshMessage(one)))).toEqual(
          plain({ kind: 'message', message: one }),
        );
      }),
    );
  });

  it('is decoded or refused, never thrown over, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), fc.integer({ min: 0, max: 9 }), (bytes, type) => {
        decodeMeshMessage(bytes);
        decodeMeshMessage(Uint8Array.of(MESH_PROTOCOL_VERSION, type, ...bytes));
        decodeRecordHead(bytes);
      }),
      { numRuns: longCount(2_000, 100_000) },
    );
  });

  it('is refused when it is cut off anywhere', () => {
    fc.assert(
      fc.property(message, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (one, at) => {
        const frame = encodeMeshMessage(one);
        const cut = decodeMeshMessage(frame.subarray(0, Math.floor(frame.length * at)));
        // A list that ends between two entries is a shorter list: TLS and the link's own length keep frames whole.
        if (cut.kind === 'message') expect(['records', 'fork', 'live']).toContain(cut.message.kind);
        else expect(cut.kind).toBe('malformed');
      }),
    );
  });

  it('of another version names the version, and of an unknown type lets itself be passed over', () => {
    expect(decodeMeshMessage(Uint8Array.of(MESH_PROTOCOL_VERSION + 1, 1, 2, 3))).toEqual({
      kind: 'other-version',
      version: MESH_PROTOCOL_VERSION + 1,
    });
    expect(decodeMeshMessage(Uint8Array.of(MESH_PROTOCOL_VERSION, 200))).toEqual({
      kind: 'unknown-type',
      type: 200,
    });
  });

  it.each([
    ['an empty frame', new Uint8Array()],
    ['a list that is too long', jsonFrame(2, { wants: Array(MESH_LIST_LENGTH_MAX + 1).fill([A, 1, 1]) })],
    ['a number that is no whole one', jsonFrame(2, { wants: [[A, 1.5, 1]] })],
    ['an origin that is no node id', jsonFrame(2, { wants: [['__proto__', 1, 1]] })],
    ['JSON of another shape', jsonFrame(5, [])],
    ['an age that is none', live(Number.NaN, 3)],
    ['an age before birth', live(-1, 3)],
    ['a live event that is too large', live(0, LIVE_BODY_BYTES_MAX + 1)],
  ])('refuses %s', (_, frame) => {
    expect(decodeMeshMessage(frame).kind).toBe('malformed');
  });
});

function jsonFrame(type: number, value: unknown): Uint8Array {
  return Uint8Array.from(
    Buffer.concat([Buffer.of(MESH_PROTOCOL_VERSION, type), Buffer.from(JSON.stringify(value))]),
  );
}

function live(ageMs: number, bytes: number): Uint8Array {
  return encodeMeshMessage({ kind: 'live', entries: [{ ageMs, body: new Uint8Array(bytes) }] });
}

/** Views as arrays, so that equality is about bytes. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, inner: unknown) => (inner instanceof Uint8Array ? Array.from(inner) : inner)),
  );
