import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mockSettings } from '../../src/mock/mock-settings.ts';
import { timesOf } from '../../src/mock/reply/stream-plan.ts';

test('without jitter chunks come at the first token and then at every gap', () => {
  expect([
    ...timesOf(
      4,
      { hash: 1, promptTokens: 1, cachedPromptTokens: 0, isCached: false },
      mockSettings({ ttftMs: 50, gapMs: 10 }),
    ),
  ]).toEqual([50, 60, 70, 80]);
});

test('jitter moves each wait by at most its share, the same for the same request', () => {
  fc.assert(
    fc.property(fc.nat(), fc.double({ min: 0.01, max: 1, noNaN: true }), (hash, jitter) => {
      const settings = mockSettings({ ttftMs: 100, gapMs: 20, jitter });
      const times = [
        ...timesOf(50, { hash, promptTokens: 1, cachedPromptTokens: 0, isCached: false }, settings),
      ];
      for (const [index, time] of times.entries()) {
        const wait = time - (times[index - 1] ?? 0);
        const middle = index === 0 ? 100 : 20;
        expect(Math.abs(wait - middle)).toBeLessThanOrEqual(middle * jitter + 1e-9);
      }
      expect([
        ...timesOf(50, { hash, promptTokens: 1, cachedPromptTokens: 0, isCached: false }, settings),
      ]).toEqual(times);
      expect([
        ...timesOf(50, { hash: hash + 1, promptTokens: 1, cachedPromptTokens: 0, isCached: false }, settings),
      ]).not.toEqual(times);
    }),
  );
});
