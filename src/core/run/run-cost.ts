// Prices of a server's time and of its electricity, and what a run cost by them.

import * as v from 'valibot';
import { type Parsed, parsed, wrong } from '../figure/parse-figure.ts';
import { type Option, repeated } from '../option/option.ts';
import { recordOf } from '../record-of.ts';
import { figure, type Infer, nonNegative, openObject, reported, shortText } from '../schema.ts';
import { ENERGY_SCOPES } from './energy.ts';

const PRICED = ['h', 'kWh'] as const;
/** A later version may price more. */
const PRICES_MAX = 16;

const priceSchema = openObject({
  amount: nonNegative,
  /** "$", "EUR"; '' if it was not given. */
  currency: shortText,
  /** Of an hour of the server, or of its electricity. */
  per: v.picklist(PRICED),
});

export type Price = Infer<typeof priceSchema>;

/** One for each thing that has a price. */
export const pricesSchema = v.pipe(v.array(priceSchema), v.maxLength(PRICES_MAX));

/** One for each thing that has a price, in one currency. Without it, the prices of the loaded node count. */
export const priceOption: Option<readonly Price[]> = (() => {
  const option = repeated({
    name: 'price',
    group: 'Output',
    valueName: 'P/h',
    meaning:
      "What an hour of the server costs, such as 2.50/h or '$2.50/h', or its electricity, 0.32/kWh: the report has the cost of requests and tokens.",
    schema: v.pipe(
      v.string(),
      v.title('A price of an hour or of a kWh, such as 2.50/h, $2.50/h, 0.32 EUR/kWh.'),
    ),
    parse: (text): Parsed<Price> => {
      const [, before = '', amount = '', after = '', per = ''] = FORM.exec(text) ?? [];
      const unit = PRICED.find(one => one.toLowerCase() === per.toLowerCase());
      if (unit === undefined || (before !== '' && after !== ''))
        return wrong(
          `${JSON.stringify(text.slice(0, 40))} is not a price`,
          'Write it as 2.50/h, $2.50/h or 0.32 EUR/kWh.',
        );
      return parsed({ amount: Number(amount), currency: before || after, per: unit });
    },
  });
  return {
    ...option,
    read: texts => {
      const prices = option.read(texts);
      if (prices.kind === 'wrong') return prices;
      const { value } = prices;
      if (new Set(value.map(({ per }) => per)).size < value.length)
        return wrong('two prices are for the same', 'Give one for each, such as 2.50/h and 0.32/kWh.');
      return new Set(value.map(({ currency }) => currency)).size > 1
        ? wrong('the prices have different currencies', 'Write all of them in one.')
        : prices;
    },
  };
})();

/** Up to nine digits and six decimals, with a currency before or after. */
const FORM = /^(\p{Sc}|[A-Z]{3})? ?(\d{1,9}(?:\.\d{1,6})?) ?(\p{Sc}|[A-Z]{3})?\/(h|kwh)$/iu;

/** By what the whole is divided, with the title of its column. */
export const COST_SHARES = {
  perHour: 'hour',
  perRequest: 'request',
  perSession: 'session',
  perMillionInputTokens: '1 M tokens in',
  perMillionOutputTokens: '1 M tokens out',
  perMillionTokens: '1 M tokens',
} as const;

export type CostShare = keyof typeof COST_SHARES;

const isShare = (key: string): key is CostShare => Object.hasOwn(COST_SHARES, key);
export const COST_SHARE_KEYS: readonly CostShare[] = Object.keys(COST_SHARES).filter(isShare);

/** Time of the server, or electricity by the sensors of a scope; scopes overlap and are never added. */
const of = v.picklist(['time', ...ENERGY_SCOPES]);

const partSchema = openObject({
  of,
  /** Of the measured window. */
  total: reported(figure),
  ...recordOf(COST_SHARE_KEYS, () => reported(figure)),
});

export type CostPart = Infer<typeof partSchema>;

export const costSchema = openObject({
  currency: shortText,
  /** By which share the figures may be off because of the client: the window's error by its length. */
  errorShare: reported(figure),
  parts: v.pipe(v.array(partSchema), v.maxLength(1 + ENERGY_SCOPES.length)),
});

const rangeSchema = openObject({ low: reported(figure), high: reported(figure) });

export type CostRange = Infer<typeof rangeSchema>;

/** Of a load line: `high` at the load that held, `low` at the one that did not. */
export const lineCostSchema = openObject({
  currency: shortText,
  parts: v.pipe(
    v.array(openObject({ of, ...recordOf(COST_SHARE_KEYS, () => rangeSchema) })),
    v.maxLength(1 + ENERGY_SCOPES.length),
  ),
});

export type LineCost = Infer<typeof lineCostSchema>;

export const priceText = ({ amount, currency, per }: Price): string =>
  currency === '' || /^\p{Sc}$/u.test(currency)
    ? `${currency}${amount}/${per}`
    : `${amount} ${currency}/${per}`;
