import { describe, expect, test } from 'vitest';
import { wordsOf } from '../../../dashboard/src/probe/ask-probe.ts';

const asked = (...results: readonly (readonly [string, string])[]) =>
  ({
    kind: 'asked',
    probes: results.map(([result, reason]) => ({ result, reason })),
    unreached: [],
  }) as const;

describe('what came of asking for a measurement', () => {
  test('counts what started and says why the rest waits', () => {
    expect(
      wordsOf([asked(['started', ''], ['queued', 'a runner is active on juno']), asked(['started', ''])]),
    ).toBe('2 started · 1 waiting: a runner is active on juno');
  });

  test('names who was not reached, and a refusal of all', () => {
    expect(wordsOf([{ kind: 'asked', probes: [], unreached: ['no answer'] }])).toBe(
      '1 not reached: no answer',
    );
    expect(wordsOf([{ kind: 'refused', reason: 'the daemon does not answer' }])).toBe(
      'the daemon does not answer',
    );
    expect(wordsOf([asked()])).toBe('nothing to measure');
  });
});
