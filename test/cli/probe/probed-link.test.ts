import { expect, test } from 'vitest';
import { isNewProfile, type ProbedLink, type SeenLinks } from '../../../src/cli/probe/probe-node.ts';
import { nodeId } from '../../../src/core/ids.ts';
import type { LinkProfile } from '../../../src/core/link/link-profile.ts';
import { LINK_FIGURES } from '../../support/link-figures.ts';

const KEY = 'socket 10.0.0.2';
const NODE = nodeId('b'.repeat(26));

const seen = (
  requestedAtMs: number,
  ageMs: number | undefined,
  answeredAtMs = requestedAtMs + 20,
): SeenLinks => ({
  links: [link(ageMs)],
  requestedAtMs,
  answeredAtMs,
});

test('a profile reported after the request is new, even if it is older by now than the previous one was then', () => {
  const before = seen(0, 300);
  expect(isNewProfile(KEY, seen(10_000, 5_000), before)).toBe(true);
  expect(isNewProfile(KEY, seen(10_000, 9_500), before)).toBe(true);
});

test('a profile that only grew older is not new, however slow the answers are', () => {
  const before = seen(0, 300, 2_000);
  expect(isNewProfile(KEY, seen(10_000, 8_300), before)).toBe(false);
  expect(isNewProfile(KEY, seen(10_000, 10_300, 13_000), before)).toBe(false);
});

test('the first profile of a connection is new, and none is not', () => {
  expect(isNewProfile(KEY, seen(10_000, 5_000), seen(0, undefined))).toBe(true);
  expect(isNewProfile(KEY, seen(10_000, 5_000), { ...seen(0, 300), links: [] })).toBe(true);
  expect(isNewProfile(KEY, seen(10_000, undefined), seen(0, undefined))).toBe(false);
});

const link = (ageMs: number | undefined): ProbedLink => ({
  source: NODE,
  sink: NODE,
  connectionKey: KEY,
  profile:
    ageMs === undefined ? { kind: 'unknown', reason: 'not measured yet' } : { value: profile(), ageMs },
});

const profile = (): LinkProfile => ({
  sink: NODE,
  connectionKey: KEY,
  ...LINK_FIGURES,
  uploadBitsPerSecond: 1e9,
  downloadBitsPerSecond: 1e9,
  roundTripNsMin: 1_000,
  roundTripNsP50: 1_000,
  roundTripNsP99: 1_000,
  jitterNs: 0,
  bytesUsed: 1,
  method: '',
  intervalMs: 1,
});
