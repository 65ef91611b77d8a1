// Notes about the segments that a reader needs next to their figures: where this client is a visible part of a
// figure, and what spoils figures on both sides equally, so that they can still be compared.

import type { ComparedMetric } from '../../core/comparison/comparison-document.ts';
import { COMPARISON_METRICS } from '../../core/comparison/comparison-metrics.ts';
import { contaminationOf } from '../../core/run/contamination.ts';
import { boundShare } from '../../core/run/figure-verdict.ts';
import type { Report } from '../../core/run/report.ts';
import { knownOr } from '../../core/unknown.ts';

interface NotedPairs {
  readonly metrics: readonly ComparedMetric[];
  /** Of both sides. */
  readonly reports: readonly Report[];
}

export const pairNotes = ({ metrics, reports }: NotedPairs): readonly string[] => {
  const visible = metrics.filter(({ name, marginShare }) => {
    const row = COMPARISON_METRICS.find(each => each.name === name);
    return reports.some(report => {
      const part = row?.clientPart(report);
      return part !== undefined && boundShare(part) > marginShare;
    });
  });
  const codes = new Set(
    reports.flatMap(report => knownOr(contaminationOf(report), []).map(({ code }) => code)),
  );
  return [
    ...(visible.length === 0
      ? []
      : [
          `In a segment or more this client may have made more than the margin of ${visible.map(({ label }) => label).join(', ')}: a change of that size may be its own`,
        ]),
    ...(codes.size === 0
      ? []
      : [`Figures are spoiled (${[...codes].join(', ')}): the reports of the segments say by what`]),
  ];
};
