import { describe, expect, test } from 'vitest';
import type { ObjectiveAnswer } from '../../../src/core/run/judge-objective.ts';
import { objectiveSentence } from '../../../src/render/run/objective-labels.ts';

const reported = (more: Partial<ObjectiveAnswer>): string =>
  objectiveSentence({
    objective: 'error-rate=0%',
    limit: 0,
    unit: 'share',
    estimate: { value: 0, low: 0, high: 0.161 },
    answer: 'met',
    samplesNeeded: 20,
    ...more,
  })
    .replaceAll('\u202f', ' ')
    .replaceAll('\u00a0', ' ');

describe('an objective of every request', () => {
  test('is met by those that were made, and reports what that leaves open', () => {
    expect(reported({})).toBe('error-rate=0%: met, 0 % of those made (of others at most 16.1 %)');
    expect(
      reported({
        objective: 'ttft=500ms for every request',
        limit: 1,
        estimate: { value: 1, low: 0.839, high: 1 },
      }),
    ).toBe('ttft=500ms for every request: met, 100 % of those made (of others at least 83.9 %)');
  });

  test('is missed by those that were made, of which there is nothing to infer', () => {
    expect(reported({ limit: 1, answer: 'missed', estimate: { value: 0, low: 0, high: 1 } })).toBe(
      'error-rate=0%: missed, 0 % of those made',
    );
    expect(reported({ answer: 'missed', estimate: { value: 0.05, low: 0.01, high: 0.2 } })).toBe(
      'error-rate=0%: missed, 5 % of those made',
    );
  });

  test('reports how many requests would decide with two digits, upwards', () => {
    const needed = (samplesNeeded: number): string =>
      /about .*/.exec(reported({ answer: 'too-few-samples', limit: 0.01, samplesNeeded }))?.[0] ?? '';
    expect(needed(72)).toBe('about 72 requests would decide');
    expect(needed(746)).toBe('about 750 requests would decide');
    expect(needed(1_301)).toBe('about 1 400 requests would decide');
    expect(needed(1)).toBe('about 1 request would decide');
  });

  test('of a rate keeps its interval', () => {
    expect(reported({ limit: 0.01, answer: 'too-few-samples', samplesNeeded: 368 })).toBe(
      'error-rate=0%: too few requests to decide, 0 % (at most 16.1 %); about 370 requests would decide',
    );
  });
});
