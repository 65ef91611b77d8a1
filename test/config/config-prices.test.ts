import { expect, test } from 'vitest';
import { publicConfig } from '../../src/config/config.ts';
import { problemLines } from '../../src/config/config-problem.ts';
import { parseConfig } from '../../src/config/parse-config.ts';

const PRICES = [
  { amount: 2.5, currency: 'EUR', per: 'h' },
  { amount: 0.32, currency: 'EUR', per: 'kWh' },
];

test('a config has the prices of an hour and of electricity, which other nodes see', () => {
  const parsed = parseConfig('price = "2.50 EUR/h, 0.32 EUR/kWh"', 'config.toml');
  if (parsed.kind === 'broken') throw new Error(parsed.problems.flatMap(problemLines).join('\n'));
  expect(parsed.config.prices).toEqual(PRICES);
  expect(publicConfig(parsed.config).prices).toEqual(PRICES);
});

test.each([
  ['price = "2.50 EUR/h, $0.32/kWh"', 'different currencies'],
  ['price = "1/h, 2/h"', 'for the same'],
  ['price = "2.50"', 'is not a price'],
  ['price = 2.5', 'price'],
])('%s is refused with the reason', (text, part) => {
  const parsed = parseConfig(text, 'config.toml');
  if (parsed.kind === 'ok') throw new Error('nothing is wrong with it');
  expect(parsed.problems.flatMap(problemLines).join('\n')).toContain(part);
});
