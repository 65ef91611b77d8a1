// Objectives as text, with the sign of their limit; the typed form is in objective.ts.

import { type JudgedObjective, type ObjectiveName, objectiveSeries } from '../../core/run/objective.ts';
import { seriesRow } from '../../core/run/run-series.ts';

/** "TTFT p95 ≤ 500 ms", "mean latency ≤ 3 s", "error rate ≤ 0.1 %", "TTFT ≤ 500 ms for 95 % of requests". */
export const judgedObjectiveText = (objective: JudgedObjective): string => {
  switch (objective.kind) {
    case 'percentile':
      return `${seriesLabel(objective.name)} p${objective.percentile}${turnsText(objective)} ≤ ${durationText(objective.limitNs)}`;
    case 'mean':
      return `mean ${seriesLabel(objective.name)}${turnsText(objective)} ≤ ${durationText(objective.limitNs)}`;
    case 'error-rate':
      return `error rate ≤ ${percentText(objective.limitShare)}`;
    case 'attainment': {
      const limits = objective.limits.map(
        ({ name, limitNs }) => `${seriesLabel(name)} ≤ ${durationText(limitNs)}`,
      );
      const share = objective.share === 1 ? 'every request' : `${percentText(objective.share)} of requests`;
      return `${limits.join(' and ')} for ${share}`;
    }
    default:
      return objective satisfies never;
  }
};

const turnsText = ({ fromTurn }: { readonly fromTurn?: number }): string =>
  fromTurn === undefined ? '' : ` from turn ${fromTurn} on`;
const seriesLabel = (name: ObjectiveName): string => seriesRow(objectiveSeries(name)).shortLabel;
/** With all its digits: limits are typed by people. */
const durationText = (ns: number): string => (ns >= 1e9 ? `${ns / 1e9} s` : `${ns / 1e6} ms`);
const percentText = (share: number): string => `${Number((share * 100).toPrecision(12))} %`;
