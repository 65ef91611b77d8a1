import { expect, test } from 'vitest';
import type { CostPart } from '../../../src/core/run/run-cost.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { costSection } from '../../../src/render/run/cost-rows.ts';

const NONE = unknown('requests are independent');
const part: CostPart = {
  of: 'time',
  total: 12.5,
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
      columns: ['of', 'run', 'request', '1 M tokens in', '1 M tokens out', '1 M tokens'],
      rows: [['time', '$12.5', '$0.000121', '$0.0939', '$1.21', '$0']],
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
    perRequest: reason,
    perMillionInputTokens: reason,
    perMillionOutputTokens: reason,
    perMillionTokens: reason,
  };
  const section = costSection({ cost: { currency: 'EUR', errorShare: NONE, parts: [part, none] } });
  expect(section?.tables?.[0]?.rows).toEqual([
    ['time', '12.5\u00a0EUR', '0.000121\u00a0EUR', '0.0939\u00a0EUR', '1.21\u00a0EUR', '0\u00a0EUR'],
  ]);
  expect(section?.remarks).toEqual(['electricity of GPUs: unknown, no sensor']);
});
