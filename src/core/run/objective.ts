// The objectives of a run. `ttft=500ms` applies to each request, and `--attainment 95%` is the share of
// issued requests that must meet it; `ttft.p95=500ms`, `latency.mean=3s` and `error-rate=0.1%` apply to the
// run as a whole (METRICS §4).

import * as v from 'valibot';
import { count, figure, type Infer, nonNegative, openObject, reported, share } from '../schema.ts';
import { knownOr } from '../unknown.ts';
import { type ObjectiveSeriesKey, RUN_SERIES, SERIES_KEYS, type SeriesKey, seriesRow } from './run-series.ts';

export type ObjectiveName = (typeof RUN_SERIES)[ObjectiveSeriesKey]['objective'];

/** Figures of one request, or of one session; missing or NO_FIGURE if it has none of them. */
export type ObjectiveFigures = Readonly<Partial<Record<ObjectiveSeriesKey, number>>> & {
  readonly outputTokens: number;
};

const isObjectiveSeries = (key: SeriesKey): key is ObjectiveSeriesKey =>
  seriesRow(key).objective !== undefined;

const OBJECTIVE_SERIES: readonly ObjectiveSeriesKey[] = SERIES_KEYS.filter(isObjectiveSeries);

/** In table order. */
export const OBJECTIVE_NAMES: readonly ObjectiveName[] = OBJECTIVE_SERIES.map(
  key => RUN_SERIES[key].objective,
);

/** Without those of whole sessions. */
export const REQUEST_OBJECTIVE_NAMES: readonly ObjectiveName[] = OBJECTIVE_SERIES.filter(
  key => seriesRow(key).per === 'completed request',
).map(key => RUN_SERIES[key].objective);

/** The objective of a name, or of a name that other tools have for it. */
export const objectiveNamed = (name: string): ObjectiveName | undefined => {
  const key = OBJECTIVE_SERIES.find(candidate => {
    const { objective, objectiveAliases } = seriesRow(candidate);
    return objective === name || objectiveAliases?.includes(name) === true;
  });
  return key === undefined ? undefined : RUN_SERIES[key].objective;
};

const objectiveNameSchema = v.picklist(OBJECTIVE_NAMES);

const requestLimitSchema = openObject({ name: objectiveNameSchema, limitNs: nonNegative });

/** A sample meets it when its own figure is at most the limit. */
export type RequestLimit = Infer<typeof requestLimitSchema>;

/** Only turns from this one of their session on count, from 1; absent: every request. */
const fromTurn = v.exactOptional(v.pipe(count, v.minValue(2)));

const runObjectiveSchema = v.variant('kind', [
  openObject({
    kind: v.literal('percentile'),
    name: objectiveNameSchema,
    percentile: v.pipe(figure, v.minValue(0), v.maxValue(100)),
    limitNs: nonNegative,
    fromTurn,
  }),
  openObject({ kind: v.literal('mean'), name: objectiveNameSchema, limitNs: nonNegative, fromTurn }),
  openObject({ kind: v.literal('error-rate'), limitShare: share }),
]);

/** For a run as a whole. Failures count as longer than any in a percentile, and are in no mean. */
export type RunObjective = Infer<typeof runObjectiveSchema>;

interface RequestObjective extends RequestLimit {
  readonly kind: 'request';
}

export type Objective = RequestObjective | RunObjective;

/** The share of issued samples that meet every one of the limits; failures do not. */
interface AttainmentObjective {
  readonly kind: 'attainment';
  readonly share: number;
  readonly limits: readonly RequestLimit[];
}

/** An objective with one result. */
export type JudgedObjective = RunObjective | AttainmentObjective;

/** Limit per run. */
export const OBJECTIVES_MAX = 16;

export const objectiveEntries = {
  objectives: v.pipe(v.array(requestLimitSchema), v.maxLength(OBJECTIVES_MAX)),
  runObjectives: reported(v.pipe(v.array(runObjectiveSchema), v.maxLength(OBJECTIVES_MAX))),
  /** 1 if every request must meet its objectives. */
  attainment: reported(share),
};

/** How objectives are stored and sent. */
export type ObjectiveFields = Infer<v.ObjectSchema<typeof objectiveEntries, undefined>>;

export const objectiveFields = (
  objectives: readonly Objective[],
  attainment: number,
): Required<ObjectiveFields> => ({
  objectives: objectives.flatMap(objective =>
    objective.kind === 'request' ? [{ name: objective.name, limitNs: objective.limitNs }] : [],
  ),
  runObjectives: objectives.flatMap(objective => (objective.kind === 'request' ? [] : [objective])),
  attainment,
});

/** One for all limits of a request together, then each of the run. */
export const judgedObjectives = ({
  objectives,
  runObjectives,
  attainment,
}: ObjectiveFields): readonly JudgedObjective[] => [
  ...(objectives.length === 0
    ? []
    : [{ kind: 'attainment', share: knownOr(attainment, 1), limits: objectives } as const]),
  ...knownOr(runObjectives, []),
];

/** As written on a command line: `ttft.p95=500ms`. */
export const objectiveText = (objective: Objective): string =>
  `${objectiveName(objective)}=${objective.kind === 'error-rate' ? percentText(objective.limitShare) : durationText(objective.limitNs)}`;

export const judgedText = (objective: JudgedObjective): string => {
  if (objective.kind !== 'attainment') return objectiveText(objective);
  const limits = objective.limits.map(limit => objectiveText({ ...limit, kind: 'request' })).join(', ');
  return objective.share === 1
    ? `${limits} for every request`
    : `${limits} for ${percentText(objective.share)} of requests`;
};

/** A limit as drawn in a chart of a series: "ttft", "ttft.p95". */
export interface NamedLimit {
  readonly name: string;
  readonly limitNs: number;
}

/** Limits of a request first. */
export const limitsOn = (
  { objectives, runObjectives }: Pick<ObjectiveFields, 'objectives' | 'runObjectives'>,
  key: SeriesKey,
): readonly NamedLimit[] => [
  ...objectives.filter(({ name }) => objectiveSeries(name) === key),
  ...knownOr(runObjectives, []).flatMap(objective =>
    objective.kind !== 'error-rate' && objectiveSeries(objective.name) === key
      ? [{ name: objectiveName(objective), limitNs: objective.limitNs }]
      : [],
  ),
];

/** Without its limit: "ttft.p95", "turn 2+ ttft.p95". Two with one name would be one objective with two limits. */
export const objectiveName = (objective: Objective): string => {
  const from = fromTurnOf(objective);
  const turns = from === undefined ? '' : `turn ${from}+ `;
  switch (objective.kind) {
    case 'request':
      return objective.name;
    case 'percentile':
      return `${turns}${objective.name}.p${objective.percentile}`;
    case 'mean':
      return `${turns}${objective.name}.mean`;
    case 'error-rate':
      return objective.kind;
    default:
      return objective satisfies never;
  }
};

/** The series that the objective limits. */
export const objectiveSeries = (name: ObjectiveName): ObjectiveSeriesKey => {
  const key = OBJECTIVE_SERIES.find(candidate => RUN_SERIES[candidate].objective === name);
  if (key === undefined) throw new TypeError(`no series has the objective ${name}`);
  return key;
};

/** It limits whole sessions, not requests. */
export const isOfWholeSessions = (objective: JudgedObjective | Objective): boolean =>
  'name' in objective && seriesRow(objectiveSeries(objective.name)).per === 'completed session';

/** The first turn of a session that it limits, from 1; undefined: it limits every request. */
export const fromTurnOf = (objective: JudgedObjective | Objective): number | undefined =>
  objective.kind === 'percentile' || objective.kind === 'mean' ? objective.fromTurn : undefined;

/** It needs sessions: without them there are neither turns nor whole ones. */
export const isOfSessionRuns = (objective: Objective): boolean =>
  isOfWholeSessions(objective) || fromTurnOf(objective) !== undefined;

/** Not rounded: parsing it gives the same limit. */
const durationText = (ns: number): string => (ns >= 1e9 ? `${ns / 1e9}s` : `${ns / 1e6}ms`);

/** 99.9 is 0.999 · 100 only after rounding. */
const percentText = (share: number): string => `${Number((share * 100).toPrecision(12))}%`;
