// What a comparison must not show, as written for a pull request: "ttft.p90 > +5%". A rule is broken only if
// the whole interval is beyond its threshold: the nearest end of the interval decides, so that chance breaks
// it no more often than the interval misses.

import { exactPercent, type Parsed, parsed, wrong } from '../figure/parse-figure.ts';
import { nearest } from '../text/nearest.ts';
import { isUnknown } from '../unknown.ts';
import type { ComparisonDocument, ComparisonGate, GateAnswer } from './comparison-document.ts';
import { COMPARISON_METRICS } from './comparison-metrics.ts';

export interface GateRule {
  /** As it was written, without unneeded spaces. */
  readonly text: string;
  readonly metric: string;
  readonly isRise: boolean;
  /** Change of B against A: 0.05 is +5 %. */
  readonly share: number;
}

/** "ttft.p90 > +5%", "output.rate<-2%". */
export const parseGateRule = (text: string): Parsed<GateRule> => {
  const [, metric = '', sign = '', percent = ''] = RULE.exec(text) ?? [];
  if (metric === '')
    return wrong(
      `${JSON.stringify(text.slice(0, 60))} is not a rule`,
      "Write a metric, > or <, and a change of B against A in per cent: 'ttft.p90 > +5%'",
    );
  if (!METRIC_NAMES.includes(metric)) {
    const meant = nearest(metric, METRIC_NAMES);
    return wrong(
      `${metric} is not a metric of a comparison`,
      meant === undefined ? `Use one of ${METRIC_NAMES.join(', ')}.` : `Did you mean ${meant}?`,
    );
  }
  const share = exactPercent(percent);
  if (share <= -1 || share > SHARE_MAX)
    return wrong(
      `${percent} % is out of range`,
      `A change may be above -100 % and up to ${SHARE_MAX * 100} %.`,
    );
  const signed = `${share < 0 ? '' : '+'}${Number((share * 100).toPrecision(12))}%`;
  return parsed({ text: `${metric} ${sign} ${signed}`, metric, isRise: sign === '>', share });
};

/** Undefined if no rule was set. */
export const judgeGate = (
  document: Pick<ComparisonDocument, 'metrics' | 'refusals' | 'isAnyway' | 'verdict'>,
  { rules, failsIfUndecided }: { readonly rules: readonly GateRule[]; readonly failsIfUndecided: boolean },
): ComparisonGate => {
  const answers = rules.map(rule => answerOf(document, rule));
  return { rules: answers, failsIfUndecided, outcome: outcomeOf(document, answers, failsIfUndecided) };
};

const outcomeOf = (
  { refusals, isAnyway, verdict }: Pick<ComparisonDocument, 'refusals' | 'isAnyway' | 'verdict'>,
  answers: readonly GateAnswer[],
  failsIfUndecided: boolean,
): ComparisonGate['outcome'] => {
  if (refusals.length > 0 && !isAnyway) return 'not-comparable';
  const has = (state: GateAnswer['state']): boolean => answers.some(answer => answer.state === state);
  if (answers.length === 0) {
    const { kind } = verdict;
    return kind === 'worse' || kind === 'undecided' || kind === 'not-comparable' ? kind : 'passed';
  }
  if (has('broken')) return 'broken';
  // A rule about a missing figure must not pass unnoticed.
  if (has('unknown')) return 'not-comparable';
  return has('open') && failsIfUndecided ? 'undecided' : 'passed';
};

const answerOf = ({ metrics }: Pick<ComparisonDocument, 'metrics'>, rule: GateRule): GateAnswer => {
  const ratio = metrics.find(({ name }) => name === rule.metric)?.ratio;
  if (ratio === undefined) return { rule: rule.text, state: 'unknown', nearest: NOT_COMPARED };
  if (isUnknown(ratio)) return { rule: rule.text, state: 'unknown', nearest: ratio };
  const [low, high] = [ratio.low - 1, ratio.high - 1];
  const isBroken = rule.isRise ? low > rule.share : high < rule.share;
  const isClear = rule.isRise ? high <= rule.share : low >= rule.share;
  const near = Math.abs(low - rule.share) < Math.abs(high - rule.share) ? low : high;
  return { rule: rule.text, state: isBroken ? 'broken' : isClear ? 'passes' : 'open', nearest: near };
};

const METRIC_NAMES: readonly string[] = COMPARISON_METRICS.map(({ name }) => name);
const RULE = /^\s*([a-z]+\.[a-z0-9]+)\s*([<>])\s*([+-]?\d{1,4}(?:\.\d{1,4})?)\s*%\s*$/;
const SHARE_MAX = 10;
const NOT_COMPARED = { kind: 'unknown', reason: 'neither side has this figure' } as const;
