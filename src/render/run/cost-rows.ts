// The cost of a run, or of a load line, as a table for people, the same in every form.

import { figureText, formatThreeDigits, UNKNOWN_FIGURE } from '../../core/figure/figure.ts';
import type { Report } from '../../core/run/report.ts';
import {
  COST_SHARE_KEYS,
  COST_SHARES,
  type CostPart,
  type CostRange,
  type LineCost,
  priceText,
} from '../../core/run/run-cost.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';
import { type Section, withRows } from '../section.ts';

export const costSection = ({
  cost,
  nodePrices = [],
}: Pick<Report, 'cost' | 'nodePrices'>): Section | undefined => {
  if (cost === undefined) return undefined;
  const { parts, currency, errorShare } = cost;
  const known = parts.filter(({ total }) => !isUnknown(total));
  const shown = COST_SHARE_KEYS.filter(key => known.some(part => !isUnknown(part[key])));
  return {
    key: 'cost',
    title: 'Cost',
    note: 'of the measured window; each column is the whole cost, divided by what it names',
    tables: withRows({
      name: 'Cost',
      columns: ['of', 'run', ...shown.map(key => COST_SHARES[key])],
      rows: known.map(part => [
        PART_LABELS[part.of],
        money(part.total, currency),
        ...shown.map(key => money(part[key], currency)),
      ]),
    }),
    remarks: [
      ...(nodePrices.length === 0
        ? []
        : [`Prices by the config.toml of the loaded node: ${nodePrices.map(priceText).join(', ')}`]),
      ...parts.flatMap(({ of, total }) =>
        isUnknown(total) ? [`${PART_LABELS[of]}: unknown, ${total.reason}`] : [],
      ),
      ...(isUnknown(errorShare)
        ? []
        : [
            `The client may be off by ${percentOf(errorShare)} of each; by how much runs differ is not in it`,
          ]),
    ],
  };
};

/** Of a load line. */
export const lineCostSection = (cost: LineCost | undefined): Section | undefined => {
  if (cost === undefined) return undefined;
  const { parts, currency } = cost;
  const isShown = ({ low, high }: CostRange): boolean => !isUnknown(low) || !isUnknown(high);
  const known = parts.filter(({ perHour }) => isShown(perHour));
  const shown = COST_SHARE_KEYS.filter(key => known.some(part => isShown(part[key])));
  return {
    key: 'cost',
    title: 'Cost at the load line',
    note: 'from the load that did not hold to the one that held; each row is the whole cost',
    tables: withRows({
      name: 'Cost at the load line',
      // Ranges are wide: what is paid for is a row.
      columns: ['for', ...known.map(({ of }) => PART_LABELS[of])],
      rows: shown.map(key => [COST_SHARES[key], ...known.map(part => rangeText(part[key], currency))]),
    }),
    remarks: parts.flatMap(({ of, perHour: { high } }) =>
      known.some(part => part.of === of) || !isUnknown(high)
        ? []
        : [`${PART_LABELS[of]}: unknown, ${high.reason}`],
    ),
  };
};

const rangeText = ({ low, high }: CostRange, currency: string): string => {
  const [from, to] = [money(low, currency), money(high, currency)];
  if (isUnknown(low)) return isUnknown(high) ? to : `≤ ${to}`;
  if (isUnknown(high)) return `≥ ${from}`;
  return from === to ? to : `${from} to ${to}`;
};

const percentOf = (share: number): string =>
  share < 0.0001 ? 'less than 0.01%' : `${formatThreeDigits(share * 100)}%`;

const money = (amount: Reported<number>, currency: string): string => {
  if (isUnknown(amount)) return UNKNOWN_FIGURE.figure;
  const figure = amount < WHOLE_LEAST ? significant(amount) : formatThreeDigits(amount);
  return /^\p{Sc}$/u.test(currency) ? `${currency}${figure}` : figureText({ figure, unit: currency });
};

/** "0.000121": three significant digits, of amounts too small for two decimals. */
const significant = (amount: number): string =>
  amount === 0 ? '0' : amount.toFixed(Math.min(MOST_DECIMALS, 2 - Math.floor(Math.log10(amount))));

/** From here on three digits have at most two decimals. */
const WHOLE_LEAST = 0.995;
const MOST_DECIMALS = 9;
const PART_LABELS: Readonly<Record<CostPart['of'], string>> = {
  time: 'time',
  gpu: 'electricity of GPUs',
  processor: 'electricity of processors',
  machine: 'electricity of the machine',
};
