// Which runs may be shown next to each other, and which remarks come first. Figures of another load, or percentiles of too few
// samples, are shown, and called neither better nor worse.

import {
  type ComparableFacts,
  factsOfReport,
  factsOfRun,
  refusalsBetween,
} from '../../../src/core/comparison/comparability.ts';
import { counted } from '../../../src/core/figure/figure.ts';
import { REPORT_SCHEMA, type Report } from '../../../src/core/run/report.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import { hasEnoughFor } from '../../../src/core/statistics/early-stopping.ts';
import { isUnknown } from '../../../src/core/unknown.ts';

export interface Compared {
  readonly view: RunView;
  /** Undefined where its files are elsewhere, or until they came. */
  readonly report?: Report;
  /** Of its report, where that could be read; '' where it could not. */
  readonly schema: string;
  readonly version: string;
}

interface Comparability {
  /** Why these cannot be compared; none if they can. */
  readonly refusals: readonly string[];
  /** What a reader must know first. */
  readonly cautions: readonly string[];
}

export const comparability = (runs: readonly Compared[]): Comparability => ({
  refusals: refusalsOf(runs),
  cautions: [
    ...runs.slice(1).flatMap(compared => differenceCaution(runs[0], compared)),
    ...runs.flatMap(({ view }) => cautionsOf(view)),
  ],
});

/** The facts of a run that the rule needs: from its report if that is here, else from the state of the cluster. */
export const factsOf = ({ view, report }: Pick<Compared, 'view' | 'report'>): ComparableFacts =>
  report === undefined ? factsOfRun(view.run) : factsOfReport(report);

const differenceCaution = (reference: Compared | undefined, compared: Compared): readonly string[] => {
  const refused = reference === undefined ? [] : refusalsBetween([factsOf(reference)], [factsOf(compared)]);
  const problems = refused.filter(({ code }) => code !== 'client');
  return problems.length === 0
    ? []
    : [
        `Run ${compared.view.run.runId} is not comparable: ${problems.map(({ problem, a, b }) => `${problem} (${b}, not ${a})`).join('; ')}.`,
      ];
};

const refusalsOf = (runs: readonly Compared[]): readonly string[] => {
  const schemas = new Set(runs.map(({ schema }) => schema).filter(schema => schema !== ''));
  const streaming = new Set(runs.map(({ view }) => view.run.isStreaming));
  return [
    ...runs.flatMap(({ view: { run, isLive } }) =>
      isLive
        ? [`Run ${run.runId} is in progress and its figures still change. Compare it when it has ended.`]
        : isUnknown(run.figures)
          ? [`Run ${run.runId} has no figures: ${run.figures.reason}.`]
          : [],
    ),
    ...(schemas.size > 1 || [...schemas].some(schema => schema !== REPORT_SCHEMA)
      ? [
          `The reports define their figures differently (${[...schemas].join(', ')}), so figures of the same name cannot be compared.`,
        ]
      : []),
    ...(streaming.size > 1
      ? ['One run streams and another does not, so their first-token times cannot be compared.']
      : []),
  ];
};

const cautionsOf = ({ run, state, reason }: RunView): readonly string[] => {
  const figures = isUnknown(run.figures) ? undefined : run.figures;
  return [
    ...(state === 'complete'
      ? []
      : [
          `Run ${run.runId} is ${state}${reason === '' ? '' : `: ${reason}`}. Its figures cover what was measured until then.`,
        ]),
    ...(figures?.client.verdict === 'client-bound'
      ? [`Run ${run.runId} is client-bound: its figures are a lower bound of what the endpoint can do.`]
      : []),
    ...(figures?.client.verdict === 'unknown'
      ? [`Run ${run.runId} has no verdict on its load generator.`]
      : []),
    ...(figures !== undefined && !hasEnoughFor(99, figures.counts.completed)
      ? [
          `Run ${run.runId} completed ${counted(figures.counts.completed, 'request')}: too few for a meaningful p99.`,
        ]
      : []),
  ];
};
