import { expect, test } from 'vitest';
import { comparisonFromJson, comparisonToJson } from '../../src/wire/stored-json.ts';
import { madeUpComparison } from '../support/made-up-comparison.ts';

const PAIRS = [
  [318, 281],
  [322, 280],
  [310, 279],
  [325, 290],
  [315, 270],
  [321, 286],
] as const;

test('a comparison is read back as it was written, unknown figures with their reasons', () => {
  const document = madeUpComparison(PAIRS);
  expect(comparisonFromJson(comparisonToJson(document))).toEqual(document);
});

test('a comparison of another version, and an unknown verdict, are refused with their path', () => {
  const json = comparisonToJson(madeUpComparison(PAIRS));
  expect(() => comparisonFromJson(json.replace('plimsoll.comparison/1', 'plimsoll.comparison/2'))).toThrow(
    'comparison.json is wrong at schema',
  );
  expect(() => comparisonFromJson(json.replaceAll('"kind": "better"', '"kind": "splendid"'))).toThrow(
    'comparison.json is wrong at looks.0.verdict',
  );
});
