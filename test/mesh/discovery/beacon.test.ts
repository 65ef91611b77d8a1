// The bytes of a beacon, and when it is sent.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BEACON_BYTES,
  checkBeacon,
  encodeBeacon,
  pauseAfterBeaconMs,
} from '../../../src/mesh/discovery/beacon-channel.ts';
import { deriveSecret, makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';

const tagKey = (): Uint8Array => deriveSecret(makeClusterKey(), 'beacon');
const nonce = new Uint8Array(16).fill(7);

describe('a beacon', () => {
  test('is believed under the key, whichever of the keys it is', () => {
    const [one, other] = [tagKey(), tagKey()];
    const beacon = { version: 1, port: 4181, nonce };
    expect(checkBeacon(encodeBeacon(beacon, other), [one, other])).toEqual({ kind: 'beacon', beacon });
  });

  test('is distinguished from one of another cluster', () => {
    expect(checkBeacon(encodeBeacon({ version: 1, port: 4181, nonce }, tagKey()), [tagKey()])).toEqual({
      kind: 'other-key',
    });
  });

  test('holds not one byte that can be changed, and no port 0', () => {
    const key = tagKey();
    const bytes = encodeBeacon({ version: 1, port: 4181, nonce }, key);
    for (let at = 0; at < BEACON_BYTES; at += 1) {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(checkBeacon(changed, [key]).kind).not.toBe('beacon');
    }
    expect(checkBeacon(encodeBeacon({ version: 1, port: 0, nonce }, key), [key]).kind).toBe('not-a-beacon');
  });

  test('is not made out of garbage', () => {
    const key = tagKey();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), bytes => {
        expect(checkBeacon(bytes, [key]).kind).toBe('not-a-beacon');
      }),
    );
  });

  test('looks new each time: two of one node share nothing but version and port', () => {
    const key = tagKey();
    const one = encodeBeacon({ version: 1, port: 4181, nonce }, key);
    const other = encodeBeacon({ version: 1, port: 4181, nonce: new Uint8Array(16).fill(8) }, key);
    expect(one.subarray(0, 8)).toEqual(other.subarray(0, 8));
    expect(one.subarray(24)).not.toEqual(other.subarray(24));
  });
});

test('beacons come each second at the start and then every 5 to 10 s', () => {
  expect([1, 2, 3, 4].map(sent => pauseAfterBeaconMs(sent, () => 0.9))).toEqual([1e3, 1e3, 1e3, 1e3]);
  expect([0, 0.5, 1].map(drawn => pauseAfterBeaconMs(5, () => drawn))).toEqual([5_000, 7_500, 10_000]);
});
