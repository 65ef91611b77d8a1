import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seedProperties } from './property-seed.ts';
import { repositoryFiles, textOf } from './repository.ts';

const failureOf = (parameters: fc.Parameters<[number, string]> = {}): string => {
  const property = fc.property(fc.integer(), fc.string(), (number, text) => number < 50 || text.length < 2);
  try {
    fc.assert(property, { numRuns: 1_000, ...parameters });
    return 'passed';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

test('a property that fails prints its seed, and the same seed finds the same counterexample', () => {
  const message = failureOf();
  const [, seed] = /seed: (-?\d+)/.exec(message) ?? [];
  expect(seed).toBeDefined();
  expect(failureOf({ seed: Number(seed) })).toBe(message);
});

test('PLIMSOLL_TEST_SEED is the seed of every property', () => {
  const before = fc.readConfigureGlobal();
  try {
    seedProperties('-7');
    expect(failureOf()).toMatch(/seed: -7\b/);
  } finally {
    fc.configureGlobal(before);
  }
});

test('values drawn outside a property have a seed: each run has the same', context => {
  const files = repositoryFiles() ?? context.skip('there is no git');
  const unseeded = files
    .filter(file => /^test\/.*\.ts$/.test(file))
    .filter(file =>
      [...textOf(file).matchAll(/\bfc\.sample\([^;]*/g)].some(([call]) => !call.includes('seed')),
    );
  expect(unseeded).toEqual([]);
});
