// What a run cost: the time of the machine that it loaded, and the electricity that its sensors measured, each by hour, by request, by
// session and by tokens. The whole of it is divided by each: tokens of prompts and tokens of answers share one machine.

import { recordOf } from '../record-of.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import { widestOf } from './event-record.ts';
import type { Report } from './report.ts';
import { COST_SHARE_KEYS, type CostPart, type CostShare, type Price } from './run-cost.ts';

/** The same report with its cost, if it was given prices or the node that it loaded has some. */
export const withCost = (report: Report): Report => {
  const prices = report.run.price ?? report.nodePrices ?? [];
  const [first] = prices;
  if (first === undefined) return report;
  const parts = prices.flatMap(price =>
    price.per === 'h' ? [timePart(report, price)] : energyParts(report, price),
  );
  return { ...report, cost: { currency: first.currency, errorShare: errorShare(report), parts } };
};

const timePart = (report: Report, { amount }: Price): CostPart =>
  partOf(report, 'time', isUnknown(report.windowNs) ? report.windowNs : (amount * report.windowNs) / HOUR_NS);

const energyParts = (report: Report, { amount }: Price): readonly CostPart[] => {
  const { energy = unknown('no energy was measured') } = report;
  if (isUnknown(energy)) return [partOf(report, 'machine', energy)];
  return energy.scopes.map(({ scope, joules }) =>
    partOf(report, scope, isUnknown(joules) ? joules : (amount * joules) / KWH_JOULES),
  );
};

const partOf = (report: Report, of: CostPart['of'], total: Reported<number>): CostPart => ({
  of,
  total,
  ...recordOf(COST_SHARE_KEYS, key => {
    if (isUnknown(total)) return total;
    const count = COUNTS[key](report);
    if (isUnknown(count)) return count;
    return count > 0 ? total / count : unknown('there was none');
  }),
});

const COUNTS: Readonly<Record<CostShare, (report: Report) => Reported<number>>> = {
  perHour: ({ windowNs }) => (isUnknown(windowNs) ? windowNs : windowNs / HOUR_NS),
  perRequest: ({ counts }) => counts.completed,
  perSession: ({ sessions }) =>
    sessions === undefined ? unknown('requests are independent') : sessions.sessions.completed,
  perMillionInputTokens: report => millions(report, 'inputTokensPerSecond'),
  perMillionOutputTokens: report => millions(report, 'outputTokensPerSecond'),
  perMillionTokens: report => millions(report, 'totalTokensPerSecond'),
};

const millions = (
  report: Report,
  key: 'inputTokensPerSecond' | 'outputTokensPerSecond' | 'totalTokensPerSecond',
): Reported<number> => {
  const { windowNs, [key]: perSecond } = report;
  if (isUnknown(windowNs)) return windowNs;
  return isUnknown(perSecond) ? perSecond : (perSecond * windowNs) / 1e15;
};

const errorShare = ({ rateBounds, windowNs }: Report): Reported<number> => {
  if (isUnknown(rateBounds)) return rateBounds;
  if (isUnknown(windowNs)) return windowNs;
  const { windowNs: bound = unknown('it has no bound') } = rateBounds;
  return isUnknown(bound) ? bound : widestOf(bound) / windowNs;
};

const HOUR_NS = 3_600e9;
/** By definition: 1 kW for an hour. */
const KWH_JOULES = 3.6e6;
