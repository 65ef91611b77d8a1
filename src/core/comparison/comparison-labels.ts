// A comparison as text: changes in per cent of A, verdicts, and the sentence that answers the question.

import { formatCount, formatThreeDigits, twoDigitsUp } from '../figure/figure.ts';
import type { Estimate } from '../sweep/stage.ts';
import { isKnown, isUnknown } from '../unknown.ts';
import type { ComparedMetric, ComparisonDocument } from './comparison-document.ts';
import type { ComparisonVerdict } from './judge-effect.ts';

/** "−11.8 %" for a ratio B / A. */
export const ratioText = (ratio: number): string => `${signedPercent(ratio)} %`;

/** "−15.2 to −8.6 %" */
export const rangeText = ({ low, high }: Estimate): string =>
  `${signedPercent(low)} to ${signedPercent(high)} %`;

/** "undecided, about 14 pairs would decide" */
export const comparisonVerdictText = (verdict: ComparisonVerdict, unit: 'pairs' | 'runs'): string => {
  switch (verdict.kind) {
    case 'undecided':
      return isUnknown(verdict.pairsToDecide)
        ? 'undecided'
        : `undecided, about ${formatCount(twoDigitsUp(verdict.pairsToDecide))} ${unit} would decide`;
    case 'not-comparable':
      return `not comparable: ${verdict.reason}`;
    default:
      return verdict.kind;
  }
};

/** The answer for the primary metric: "B is better: TTFT p90 −11.8 % (−15.2 to −8.6 %)". */
export const comparisonSentence = (
  document: Pick<ComparisonDocument, 'metrics' | 'mode' | 'refusals' | 'isAnyway' | 'verdict'>,
): string => {
  const { metrics, mode, refusals, isAnyway, verdict } = document;
  if (refusals.length > 0 && !isAnyway)
    return `A and B cannot be compared: ${refusals.map(({ problem }) => problem).join('; ')}`;
  const primary = metrics.find(({ isPrimary }) => isPrimary);
  if (primary === undefined) return 'Nothing was compared';
  const found = effectText(primary);
  switch (verdict.kind) {
    case 'better':
    case 'worse':
      return `B is ${verdict.kind}: ${found}`;
    case 'same':
      return `A and B are the same within ${exactPercentText(primary.marginShare)}: ${found}`;
    case 'different':
      return mode === 'runs' ? `These two runs differ: ${found}` : `A and B differ: ${found}`;
    case 'undecided':
      return `Undecided: ${found}${more(verdict, mode)}`;
    case 'not-comparable':
      return `A and B cannot be compared: ${verdict.reason}`;
    default:
      return verdict satisfies never;
  }
};

/** "TTFT p90 −11.8 % (−15.2 to −8.6 %)" */
export const effectText = ({ label, ratio }: Pick<ComparedMetric, 'label' | 'ratio'>): string =>
  isKnown(ratio)
    ? `${label} ${ratioText(ratio.value)} (${rangeText(ratio)})`
    : `${label} unknown: ${ratio.reason}`;

/** "2 %" */
export const exactPercentText = (share: number): string => `${Number((share * 100).toPrecision(6))} %`;

const more = (
  { pairsToDecide }: Extract<ComparisonVerdict, { kind: 'undecided' }>,
  mode: ComparisonDocument['mode'],
): string => {
  if (mode === 'runs') return '; how much runs vary is not known';
  if (isUnknown(pairsToDecide)) return `; ${pairsToDecide.reason}`;
  return `; about ${formatCount(twoDigitsUp(pairsToDecide))} ${mode === 'pairs' ? 'pairs' : 'runs a side'} would decide`;
};

const signedPercent = (ratio: number): string => {
  const percent = (ratio - 1) * 100;
  const digits =
    Math.abs(percent) < 99.95 ? Math.abs(percent).toFixed(1) : formatThreeDigits(Math.abs(percent));
  if (Number(digits) === 0) return '0.0';
  return `${percent < 0 ? '−' : '+'}${digits}`;
};
