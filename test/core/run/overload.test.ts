import { expect, test } from 'vitest';
import { isOverload } from '../../../src/core/run/ended-sample.ts';

test.each([
  [529, 'Overloaded'],
  [529, ''],
  [503, 'The request queue is full.'],
  [503, 'server busy, please try again. maximum pending requests exceeded'],
  [503, 'Model is overloaded'],
  [503, 'Service is over capacity'],
])('%i with "%s" is overload', (statusCode, detail) => {
  expect(isOverload({ statusCode, detail })).toBe(true);
});

test.each([
  [503, 'Loading model'],
  [503, '503 Service Temporarily Unavailable'],
  [503, 'no healthy upstream'],
  [502, 'the server is busy'],
  [500, 'CUDA out of memory'],
])('%i with "%s" is not', (statusCode, detail) => {
  expect(isOverload({ statusCode, detail })).toBe(false);
});
