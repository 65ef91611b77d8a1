// What the load that an endpoint carries costs. The time of a stage cannot be divided by its own requests: it includes its last
// answers, after the load. So requests are those of the load itself; a stage contributes what an hour costs and how many tokens a request has.

import { maximumOf, minimumOf } from '../extremes.ts';
import { recordOf } from '../record-of.ts';
import { COST_SHARE_KEYS, type CostPart, type CostShare, type LineCost } from '../run/run-cost.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../unknown.ts';
import type { Stage, StageLoad } from './stage.ts';
import type { LineDocument } from './sweep-document.ts';

/** undefined: there are no prices, or no end of the line is known. */
export const lineCost = ({
  line,
  stages,
  by,
}: Pick<LineDocument, 'line' | 'stages' | 'by'>): LineCost | undefined => {
  if (line.kind === 'unknown' || line.kind === 'none') return undefined;
  const at = (load: number, verdicts: readonly Stage['verdict'][]): readonly Stage[] =>
    stages.filter(stage => loadBy(stage.load, by) === load && verdicts.includes(stage.verdict));
  const holding = line.kind === 'at-most' ? [] : at(line.holds, ['held']);
  const failed = line.kind === 'at-least' ? [] : at(line.fails, ['missed', 'over-capacity']);
  const cost = [...holding, ...failed].find(stage => stage.cost !== undefined)?.cost;
  if (cost === undefined) return undefined;
  return {
    currency: cost.currency,
    parts: cost.parts.map(({ of }) => ({
      of,
      ...recordOf(COST_SHARE_KEYS, key => {
        // An hour of the server costs the same at any load.
        const isSame = of === 'time' && key === 'perHour';
        const highs = (isSame ? stages : holding).map(stage => share(stage, of, key));
        const lows = isSame ? highs : failed.map(stage => share(stage, of, key));
        const known = [...highs, ...lows].filter(isKnown);
        return {
          low: lows.some(isKnown) ? minimumOf(known) : reasonOf(lows, 'no load failed'),
          high: highs.some(isKnown) ? maximumOf(known) : reasonOf(highs, 'no load held'),
        };
      }),
    })),
  };
};

const share = (stage: Stage, of: CostPart['of'], key: CostShare): Reported<number> => {
  const part = stage.cost?.parts.find(one => one.of === of);
  if (part === undefined) return unknown('its run has no cost');
  const { perHour, perRequest } = part;
  if (isUnknown(perHour) || key === 'perHour') return perHour;
  const requests = requestsPerHour(stage);
  if (isUnknown(requests)) return requests;
  const atLoad = perHour / requests;
  const own = part[key];
  if (isUnknown(own) || isUnknown(perRequest)) return isUnknown(own) ? own : perRequest;
  return perRequest === 0 ? 0 : (atLoad * own) / perRequest;
};

/** Those that completed pay for those that failed; the ones that a growing queue left behind count as if they had come. */
const requestsPerHour = ({ load, figures }: Stage): Reported<number> => {
  if (isUnknown(figures)) return figures;
  const { completed, failed, completedPerSecond } = figures;
  if (completed === 0) return unknown('no request completed');
  const perSecond =
    load.kind === 'rate' ? (load.requestsPerSecond * completed) / (completed + failed) : completedPerSecond;
  return isUnknown(perSecond) ? perSecond : perSecond * HOUR_SECONDS;
};

/** undefined: a load of the other kind, which a search tries before its own. */
const loadBy = (load: StageLoad, by: LineDocument['by']): number | undefined => {
  if (load.kind !== by) return undefined;
  return load.kind === 'rate' ? load.requestsPerSecond : load.concurrency;
};

const reasonOf = (values: readonly Reported<number>[], none: string): Reported<number> =>
  values.find(isUnknown) ?? unknown(none);

const HOUR_SECONDS = 3_600;
