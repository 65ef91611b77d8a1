import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editDistance, nearest } from '../../../src/core/text/nearest.ts';

describe('the nearest word', () => {
  test('is the one that was probably meant', () => {
    expect(nearest('--hmoe', ['--http', '--home', '--help'])).toBe('--home');
    expect(nearest('gpu_tll', ['gpu_ttl', 'socket_ttl'])).toBe('gpu_ttl');
    expect(nearest('statsu', ['up', 'status', 'doctor'])).toBe('status');
  });

  test('is the shortest that it is the beginning of, if none is near', () => {
    expect(nearest('--conc', ['--concurrency-of', '--concurrency', '--compare'])).toBe('--concurrency');
    expect(nearest('llama', ['vllm', 'llama.cpp'])).toBe('llama.cpp');
    expect(nearest('--', ['--concurrency'])).toBeUndefined();
  });

  test('is nothing when no candidate is near', () => {
    expect(nearest('banana', ['up', 'status', 'doctor'])).toBeUndefined();
    expect(nearest('x', [])).toBeUndefined();
    expect(nearest('a'.repeat(100_000), ['a'])).toBeUndefined();
  });

  test('has a distance that is symmetric, zero only for equals, and never more than the longer word', () => {
    const word = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});
