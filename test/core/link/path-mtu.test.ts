import { expect, test } from 'vitest';
import { mtuFault, mtuFaultCost, mtuFaultText, type PathMtu } from '../../../src/core/link/path-mtu.ts';
import { unknown } from '../../../src/core/unknown.ts';

const plain = (text: string): string => text.replaceAll(/\s/g, ' ');
const NOT_MEASURED = unknown('not measured yet');
const SOUND: PathMtu = {
  ends: [9_000, 9_000],
  ways: [9_000, 9_000],
  type: 'ethernet',
  negotiatedBitsPerSecond: 100e9,
  bitsPerSecond: 60e9,
};

test('a path whose ends and directions agree has no fault', () => {
  expect(mtuFault(SOUND)).toBeUndefined();
  expect(mtuFault({ ...SOUND, ways: [NOT_MEASURED, NOT_MEASURED] })).toBeUndefined();
  // Room for a VLAN tag.
  expect(mtuFault({ ...SOUND, ways: [9_000, 9_004] })).toBeUndefined();
});

test('what differs is named: the ends, the directions, or something between', () => {
  expect(mtuFault({ ...SOUND, ends: [9_000, 1_500] })).toEqual({ kind: 'ends', bytes: [9_000, 1_500] });
  expect(mtuFault({ ...SOUND, ways: [9_000, 1_500] })).toEqual({ kind: 'ways', bytes: [9_000, 1_500] });
  expect(mtuFault({ ...SOUND, ways: [1_500, 1_500] })).toEqual({
    kind: 'between',
    bytes: 1_500,
    endBytes: 9_000,
  });
  expect(mtuFault({ ...SOUND, ends: [9_000, unknown('the driver does not report it')] })).toEqual(
    unknown('the driver does not report it'),
  );
});

test('1,500 bytes at 25 Gb/s and faster could carry six times the payload in as many packets, until the line is full', () => {
  const small = { ...SOUND, ends: [1_500, 1_500], ways: [1_500, 1_500] } as const;
  const fault = (bitsPerSecond: PathMtu['bitsPerSecond'], negotiatedBitsPerSecond: number) =>
    mtuFault({ ...small, bitsPerSecond, negotiatedBitsPerSecond });
  expect(fault(10e9, 100e9)).toMatchObject({ kind: 'small', possibleBitsPerSecond: (10e9 * 8_948) / 1_448 });
  expect(fault(60e9, 100e9)).toMatchObject({ possibleBitsPerSecond: (100e9 * 8_948) / 9_038 });
  expect(fault(NOT_MEASURED, 25e9)).toMatchObject({ possibleBitsPerSecond: (25e9 * 8_948) / 9_038 });
  expect(fault(9.4e9, 10e9)).toBeUndefined();
  expect(mtuFault({ ...small, type: 'thunderbolt' })).toBeUndefined();
});

test('each fault has a text and a cost', () => {
  const fault = mtuFault({ ...SOUND, ends: [1_500, 1_500] });
  if (fault === undefined || fault.kind === 'unknown') throw new Error('no fault was found');
  expect(plain(mtuFaultText(fault))).toBe('packets of 1500 bytes at 100 Gb/s');
  expect(plain(mtuFaultCost(fault))).toContain('up to 99.0 Gb/s of TCP');
});
