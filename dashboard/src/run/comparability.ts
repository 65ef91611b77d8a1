// Which runs may stand beside each other, and what must be said first. Figures of another load, or percentiles of too few
// samples, are shown, and called neither better nor worse.

import { formatCount } from '../../../src/core/figure/figure.ts';
import { REPORT_SCHEMA } from '../../../src/core/run/report.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import { loadLabel } from '../../../src/core/run/run-shape.ts';
import { earlyStoppingRank } from '../../../src/core/statistics/early-stopping.ts';
import { isUnknown } from '../../../src/core/unknown.ts';

export interface Compared {
  readonly view: RunView;
  /** Of its report, where that could be read; '' where it could not. */
  readonly schema: string;
  readonly version: string;
}

export interface Comparability {
  /** Why these cannot stand beside each other; none where they can. */
  readonly refusals: readonly string[];
  /** What a reader must know first. */
  readonly cautions: readonly string[];
}

export const comparability = (runs: readonly Compared[]): Comparability => ({
  refusals: refusalsOf(runs),
  cautions: [
    ...runs.slice(1).flatMap(({ view }) => loadCaution(runs[0]?.view, view)),
    ...runs.flatMap(({ view }) => cautionsOf(view)),
  ],
});

/** The settings that make up a load and differ, as "8 at a time, not 4 at a time"; none where it is the same load. */
export const loadDifferences = (reference: RunView, { run }: RunView): readonly string[] =>
  LOAD.map(({ name, read }) => ({ name, is: read(run), was: read(reference.run) }))
    .filter(({ is, was }) => is !== was)
    .map(({ name, is, was }) => `${name}${is}, not ${was}`);

/** Whether so many samples say anything of the percentile, with 99 % confidence. */
export const hasEnoughFor = (percentile: string, count: number): boolean =>
  earlyStoppingRank(count, Number(percentile)) > 0;

const loadCaution = (reference: RunView | undefined, view: RunView): readonly string[] => {
  const differences = reference === undefined ? [] : loadDifferences(reference, view);
  return differences.length === 0
    ? []
    : [
        `Run ${view.run.runId} had a different load (${differences.join('; ')}): its figures are called neither better nor worse.`,
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
    ...(figures !== undefined && !hasEnoughFor('99', figures.counts.completed)
      ? [
          `Run ${run.runId} completed ${formatCount(figures.counts.completed)} requests: too few for a meaningful p99.`,
        ]
      : []),
  ];
};

/** How long a run takes changes no load; which model answers is often what is compared. */
const LOAD: readonly { readonly name: string; readonly read: (run: RunView['run']) => string }[] = [
  { name: '', read: loadLabel },
  { name: 'data set ', read: ({ dataset }) => dataset },
];
