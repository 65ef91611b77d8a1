import { expect, test } from 'vitest';
import type { CostPart } from '../../../src/core/run/run-cost.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { costSection, lineCostSection } from '../../../src/render/run/cost-rows.ts';

const NONE = unknown('requests are independent');
const part: CostPart = {
  of: 'time',
  total: 12.5,
  perHour: 2.5,
  perRequest: 0.000121109,
  perSession: NONE,
  perMillionInputTokens: 0.0939,
  perMillionOutputTokens: 1.2111,
  perMillionTokens: 0,
};

test('small amounts have three digits, a symbol is in front, and a share that nothing has is left out', () => {
  const section = costSection({ cost: { currency: '$', errorShare: 0.000005, parts: [part] } });
  expect(section?.tables).toMatchObject([
    {
      columns: ['of', 'run', 'hour', 'request', '1 M tokens in', '1 M tokens out', '1 M tokens'],
      rows: [['time', '$12.5', '$2.50', '$0.000121', '$0.0939', '$1.21', '$0']],
    },
  ]);
  expect(section?.remarks).toEqual([
    'The client may be off by less than 0.01% of each; by how much runs differ is not in it',
  ]);
});

test('a code of a currency is behind, and what is unknown has its reason', () => {
  const reason = unknown('no sensor');
  const none = {
    ...part,
    of: 'gpu' as const,
    total: reason,
    perHour: reason,
    perRequest: reason,
    perMillionInputTokens: reason,
    perMillionOutputTokens: reason,
    perMillionTokens: reason,
  };
  const section = costSection({ cost: { currency: 'EUR', errorShare: NONE, parts: [part, none] } });
  expect(section?.tables?.[0]?.rows).toEqual([
    [
      'time',
      '12.5\u00a0EUR',
      '2.50\u00a0EUR',
      '0.000121\u00a0EUR',
      '0.0939\u00a0EUR',
      '1.21\u00a0EUR',
      '0\u00a0EUR',
    ],
  ]);
  expect(section?.remarks).toEqual(['electricity of GPUs: unknown, no sensor']);
});

test('the cost of a line has a row for each thing, from the load that did not hold to the one that held', () => {
  const none = { low: NONE, high: NONE };
  const time = {
    of: 'time' as const,
    perHour: { low: 2.5, high: 2.5 },
    perRequest: { low: NONE, high: 0.0001 },
    perSession: none,
    perMillionInputTokens: none,
    perMillionOutputTokens: { low: 0.8, high: 1 },
    perMillionTokens: none,
  };
  const section = lineCostSection({ currency: '$', parts: [time] });
  expect(section?.tables).toMatchObject([
    {
      columns: ['for', 'time'],
      rows: [
        ['hour', '$2.50'],
        ['request', '≤ $0.000100'],
        ['1 M tokens out', '$0.800 to $1.00'],
      ],
    },
  ]);
  expect(lineCostSection(undefined)).toBeUndefined();
});

test('prices of the loaded node are named', () => {
  const nodePrices = [
    { amount: 2.5, currency: 'EUR', per: 'h' },
    { amount: 0.32, currency: '€', per: 'kWh' },
  ] as const;
  const section = costSection({ nodePrices, cost: { currency: 'EUR', errorShare: NONE, parts: [part] } });
  expect(section?.remarks).toEqual(['Prices by the config.toml of the loaded node: 2.5 EUR/h, €0.32/kWh']);
});
