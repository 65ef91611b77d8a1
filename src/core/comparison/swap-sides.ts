// A comparison the other way round: A against B. Nothing is measured or judged again: ratios are inverted,
// and a margin applies in both directions.

import type { Estimate } from '../sweep/stage.ts';
import { isUnknown, type Reported } from '../unknown.ts';
import type { ComparedMetric, ComparisonDocument } from './comparison-document.ts';
import { comparisonSentence } from './comparison-labels.ts';
import type { ComparisonVerdict } from './judge-effect.ts';

/** Without its gate, whose rules refer to the original B. */
export const swapSides = (document: ComparisonDocument): ComparisonDocument => {
  const { gate: _rules, ...rest } = document;
  const swapped = {
    ...rest,
    a: document.b,
    b: document.a,
    metrics: document.metrics.map(swappedMetric),
    refusals: document.refusals.map(refusal => ({ ...refusal, a: refusal.b, b: refusal.a })),
    looks: document.looks.map(look => ({ ...look, verdict: turned(look.verdict) })),
    verdict: turned(document.verdict),
  };
  return { ...swapped, sentence: comparisonSentence(swapped) };
};

const swappedMetric = (metric: ComparedMetric): ComparedMetric => ({
  ...metric,
  a: metric.b,
  b: metric.a,
  ratio: inverse(metric.ratio),
  sameInterval: inverse(metric.sameInterval),
  verdict: turned(metric.verdict),
});

const inverse = (ratio: Reported<Estimate>): Reported<Estimate> =>
  isUnknown(ratio) ? ratio : { value: 1 / ratio.value, low: 1 / ratio.high, high: 1 / ratio.low };

const turned = (verdict: ComparisonVerdict): ComparisonVerdict => {
  if (verdict.kind === 'better') return { kind: 'worse' };
  return verdict.kind === 'worse' ? { kind: 'better' } : verdict;
};
