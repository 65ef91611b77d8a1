import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withCost } from '../../../src/core/run/account-cost.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { priceOption } from '../../../src/core/run/run-cost.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { reportFromJson } from '../../../src/wire/stored-json.ts';

/** Of independent requests, without energy and prices. */
const REPORT = ((): Report => {
  const documents: { readonly report: unknown } = JSON.parse(
    readFileSync(new URL('../../fixtures/versions/1/documents.json', import.meta.url), 'utf8'),
  );
  const {
    sessions: _sessions,
    energy: _energy,
    cost: _cost,
    nodePrices: _nodePrices,
    ...report
  } = reportFromJson(JSON.stringify(documents.report));
  const { price: _price, ...run } = report.run;
  return { ...report, run };
})();

test.each([
  ['2.50/h', { amount: 2.5, currency: '', per: 'h' }],
  ['$2.50/h', { amount: 2.5, currency: '$', per: 'h' }],
  ['2.5 EUR/h', { amount: 2.5, currency: 'EUR', per: 'h' }],
  ['€0.32/kWh', { amount: 0.32, currency: '€', per: 'kWh' }],
])('%s is a price', (text, price) => {
  expect(priceOption.read([text])).toEqual({ kind: 'ok', value: [price] });
});

test.each([[['2.50']], [['-1/h']], [['$1 EUR/h']], [['1/day']], [['1/h', '2/h']], [['$1/h', '0.3 EUR/kWh']]])(
  '%j is refused',
  texts => {
    expect(priceOption.read(texts)).toMatchObject({ kind: 'wrong' });
  },
);

/** Half an hour: 1,000 requests, 2 million tokens in, 500,000 out. */
const run = (more: Partial<Report>): Report => ({
  ...REPORT,
  windowNs: 1_800e9,
  counts: { ...REPORT.counts, completed: 1_000 },
  inputTokensPerSecond: 2e6 / 1_800,
  outputTokensPerSecond: 5e5 / 1_800,
  totalTokensPerSecond: 2.5e6 / 1_800,
  ...more,
});

const priced = (more: Partial<Report>, ...texts: readonly string[]): Report['cost'] => {
  const read = priceOption.read(texts);
  const price = read.kind === 'ok' ? read.value : [];
  const report = run(more);
  return withCost({ ...report, run: { ...report.run, price } }).cost;
};

test('the time of the server is divided by requests and by tokens', () => {
  expect(priced({}, '$3/h')).toMatchObject({
    currency: '$',
    parts: [
      {
        of: 'time',
        total: 1.5,
        perHour: 3,
        perRequest: 0.0015,
        perSession: unknown('requests are independent'),
        perMillionInputTokens: 0.75,
        perMillionOutputTokens: 3,
        perMillionTokens: 0.6,
      },
    ],
  });
});

test('an unknown count leaves its cost unknown, with the reason', () => {
  const reason = unknown("the server's usage was missing");
  expect(priced({ outputTokensPerSecond: reason }, '3/h')?.parts[0]).toMatchObject({
    total: 1.5,
    perMillionInputTokens: 0.75,
    perMillionOutputTokens: reason,
  });
  expect(priced({ windowNs: reason }, '3/h')?.parts[0]).toMatchObject({ total: reason, perRequest: reason });
  expect(priced({ counts: { ...REPORT.counts, completed: 0 } }, '3/h')?.parts[0]?.perRequest).toEqual(
    unknown('there was none'),
  );
});

test('electricity without a sensor is unknown, and a run without a price has no cost', () => {
  expect(priced({}, '0.3/kWh')?.parts).toMatchObject([
    { of: 'machine', total: unknown('no energy was measured') },
  ]);
  expect(priced({})).toBeUndefined();
});

test('electricity is priced by scope', () => {
  const known = { joulesError: 1, joulesPerRequest: 1, joulesPerOutputToken: 1, joulesPerToken: 1 };
  const energy = {
    node: 'a',
    windowMs: 1_800_000,
    meters: [],
    scopes: [{ scope: 'gpu', isValid: true, joules: 3.6e6, wattsMean: 2_000, idleWatts: 100, ...known }],
    reasons: [],
  } as const;
  expect(priced({ energy }, '0.3/kWh')?.parts).toMatchObject([
    { of: 'gpu', total: 0.3, perHour: 0.6, perRequest: 0.0003, perMillionOutputTokens: 0.6 },
  ]);
});

test('the prices of the node that was loaded count if the run was given none', () => {
  const nodePrices = [{ amount: 2, currency: '$', per: 'h' }] as const;
  expect(withCost(run({ nodePrices })).cost).toMatchObject({
    currency: '$',
    parts: [{ of: 'time', total: 1 }],
  });
  expect(priced({ nodePrices }, '3/h')?.parts).toMatchObject([{ total: 1.5 }]);
});
