// Load lines, sweeps and their stages as text and figures, for pages and reports.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { counted, figureText, formatCount, formatTick } from '../../core/figure/figure.ts';
import type { ObjectiveAnswer } from '../../core/run/judge-objective.ts';
import { fromTurnOf, type Objective, objectiveSeries } from '../../core/run/objective.ts';
import { parseObjectives } from '../../core/run/parse-objective.ts';
import { type SeriesKey, seriesRow } from '../../core/run/run-series.ts';
import type { Stage, StageLoad } from '../../core/sweep/stage.ts';
import type { Sweep } from '../../core/sweep/sweep.ts';
import type { LoadLine } from '../../core/sweep/sweep-document.ts';
import { isUnknown } from '../../core/unknown.ts';
import { hasEnded, loadOn, type PicturedStage, reportedTail, settledInFlight } from './pictured-stage.ts';

/** What loads are measured in: requests a second, requests at a time, or sessions at a time. */
export type LoadUnit = Pick<Sweep, 'by' | 'concurrencyOf'>;

/** "11.6/s", "40 at a time", "40 sessions". */
export const loadText = (load: StageLoad): string =>
  load.kind === 'rate'
    ? lineLoadText(load.requestsPerSecond, { by: 'rate' })
    : lineLoadText(load.concurrency, {
        by: 'concurrency',
        ...(load.concurrencyOf === undefined ? {} : { concurrencyOf: load.concurrencyOf }),
      });

/** In a chart whose title names the unit: "11.6/s", "40". */
export const loadMark = (load: StageLoad): string => loadText(load).replace(/ (?:at a time|sessions?)$/, '');

/** "stage 3, 11.6/s" */
export const stageLabel = ({ number, load }: Pick<Stage, 'number' | 'load'>): string =>
  `stage ${number}, ${loadText(load)}`;

/** A load of a line: "11.6/s", "40 at a time", "40 sessions". */
export const lineLoadText = (load: number, { by, concurrencyOf }: LoadUnit): string => {
  if (by === 'rate') return `${formatTick(load)}/s`;
  return concurrencyOf === 'sessions' ? counted(load, 'session') : `${formatCount(load)} at a time`;
};

/** Unit after a load on its own: "requests/s". */
export const loadUnit = ({ by, concurrencyOf }: LoadUnit): string => {
  if (by === 'rate') return 'requests/s';
  return concurrencyOf === 'sessions' ? 'sessions at a time' : 'at a time';
};

/** What a chart of loads has on its axis: "offered rate", "requests at a time". */
export const loadAxis = ({ by, concurrencyOf = 'requests' }: LoadUnit): string =>
  by === 'rate' ? 'offered rate' : `${concurrencyOf} at a time`;

/** The headline: "11.6", "11 – 13", "at least 16", "under 2". */
export const lineFigure = (line: LoadLine, isLive: boolean): string => {
  switch (line.kind) {
    case 'bracket':
      return isLive ? `${formatTick(line.holds)} – ${formatTick(line.fails)}` : formatTick(line.holds);
    case 'at-least':
      return `at least ${formatTick(line.holds)}`;
    case 'at-most':
    case 'none':
      return `under ${formatTick(line.fails)}`;
    case 'unknown':
      return '–';
    default:
      return line satisfies never;
  }
};

/** Text below the headline. */
export const lineRemark = (line: LoadLine, isLive: boolean): string => {
  switch (line.kind) {
    case 'bracket':
      if (isLive) return 'the load line is between; the range narrows with each stage';
      return `held at ${formatTick(line.holds)}, failed at ${formatTick(line.fails)}${line.isConfirmed ? '' : ', each measured once'}`;
    case 'at-least':
      return isLive ? 'no load has failed yet' : LIMIT_TEXTS[line.limit];
    case 'at-most':
      return isLive ? 'no load has held yet' : `no load is known to hold: ${LIMIT_TEXTS[line.limit]}`;
    case 'none':
      return 'the lowest load did not hold';
    case 'unknown':
      return line.reason;
    default:
      return line satisfies never;
  }
};

export const LIMIT_TEXTS: Readonly<
  Record<'client' | 'budget' | 'stopped' | 'load-max' | 'undecided', string>
> = {
  client: 'this client was the limit',
  budget: 'the budget of the search was spent',
  stopped: 'the search was stopped',
  'load-max': 'a higher load was not permitted',
  undecided: 'lower loads could not be decided',
};

interface StageResult {
  readonly label: string;
  readonly tone: 'good' | 'bad' | 'caution' | 'plain';
}

export const stageResult = ({ standing, isOverCapacity }: PicturedStage): StageResult => {
  switch (standing) {
    case 'held':
      return { label: 'held', tone: 'good' };
    case 'failed':
      return { label: isOverCapacity ? 'failed, grows' : 'failed', tone: 'bad' };
    case 'running':
      return { label: 'running', tone: 'plain' };
    case 'cut-off':
      return { label: 'cut off', tone: 'caution' };
    case 'undecided':
      return { label: 'undecided', tone: 'plain' };
    case 'client-bound':
      return { label: 'client-bound', tone: 'caution' };
    case 'stopped':
      return { label: 'stopped', tone: 'caution' };
    case 'broken':
      return { label: 'broke', tone: 'bad' };
    default:
      return standing satisfies never;
  }
};

/** Below a small chart of requests in flight: "40, steady", "+14 a min". */
export const flowText = (stage: PicturedStage): string => {
  if (!hasEnded(stage)) return stageResult(stage).label;
  const { growthPerMinute, isOverCapacity } = stage;
  if (isOverCapacity && growthPerMinute !== undefined)
    return `+${formatCount(Math.round(growthPerMinute))} a min`;
  const settled = settledInFlight(stage);
  const many = settled === undefined ? '' : `${formatCount(Math.round(settled))}`;
  if (stage.standing === 'held') return many === '' ? 'steady' : `${many}, steady`;
  return many === '' ? '–' : many;
};

/** "p95 40 ms" for a sentence; nothing if it is not reported. */
export const tailText = (stage: Pick<PicturedStage, 'issued' | 'completed' | 'curve'>): readonly string[] => {
  const ns = reportedTail(stage);
  return ns === undefined ? [] : [`p${stage.curve?.percentile} ${roundedNsText(ns)}`];
};

/** One sentence, for screen readers. */
export const stageSentence = (stage: PicturedStage, by: StageLoad['kind']): string => {
  const { attainment } = stage;
  const parts = [
    ...tailText(stage),
    ...(attainment === undefined ? [] : [`${shareText(attainment)} within the objectives`]),
    stageResult(stage).label,
  ];
  const guess = loadOn(stage, by) === undefined ? ', a first guess' : '';
  return `Stage ${stage.number} at ${loadText(stage.load)}${guess}: ${parts.join(', ')}`;
};

/** The series of a stage's percentiles: "TTFT", "latency". */
export const curveSeries = (stages: readonly PicturedStage[]): SeriesKey =>
  stages.find(({ curve }) => curve !== undefined)?.curve?.series ?? 'ttftNs';

export interface CurveObjective {
  readonly limitNs: number;
  /** "95 % within 500 ms", "p95 within 500 ms". */
  readonly label: string;
}

/** The first objective that limits all of a series; undefined if none does. */
export const curveObjective = (
  { objectives, attainment }: Pick<Sweep, 'objectives' | 'attainment'>,
  series: SeriesKey,
): CurveObjective | undefined => {
  for (const objective of parsedObjectives(objectives)) {
    if (objective.kind === 'error-rate' || !isOnCurve(objective, series)) continue;
    const within = `within ${roundedNsText(objective.limitNs)}`;
    const label =
      objective.kind === 'request'
        ? shareText(attainment)
        : objective.kind === 'mean'
          ? 'mean'
          : `p${objective.percentile}`;
    return { limitNs: objective.limitNs, label: `${label} ${within}` };
  }
  return undefined;
};

/** The curve is one of all turns. */
const isOnCurve = (objective: Objective, series: SeriesKey): boolean =>
  objective.kind !== 'error-rate' &&
  SAME_AXIS[series]?.includes(objectiveSeries(objective.name)) === true &&
  fromTurnOf(objective) === undefined;

/** Times that a stage was judged by and that its percentiles do not show, such as those of whole sessions. */
export const answersOffCurve = (
  { objectives }: Pick<PicturedStage, 'objectives'>,
  series: SeriesKey,
): readonly ObjectiveAnswer[] =>
  objectives.filter(({ objective, unit }) => {
    const [read, ...others] = parsedObjectives([objective]);
    return unit === 'ns' && read !== undefined && others.length === 0 && !isOnCurve(read, series);
  });

/** "session p95". */
export const objectiveTitle = ({ objective }: Pick<ObjectiveAnswer, 'objective'>): string =>
  objective.replace(/=.*$/, '').replace('.', ' ');

/** "612 ms"; undefined if too few requests or sessions were seen for it. */
export const answerText = ({ answer, estimate }: ObjectiveAnswer): string | undefined => {
  if (isUnknown(estimate) || (answer === 'too-few-samples' && estimate.high === null)) return undefined;
  const { value, low } = estimate;
  return value === null ? `≥ ${roundedNsText(low ?? 0)}` : roundedNsText(value);
};

/**
 * As they were written, with the share of requests if some are for single requests: "ttft=500ms for 95 % of
 * requests".
 */
export const objectivesText = ({
  objectives,
  attainment,
}: Pick<Sweep, 'objectives' | 'attainment'>): string => {
  if (objectives.length === 0) return 'none';
  const reported = objectives.join(', ');
  if (requestObjectiveText(objectives) === undefined || REQUESTS_TEXT.test(reported)) return reported;
  return `${reported} for ${attainment >= 1 ? 'every request' : `${shareText(attainment)} of requests`}`;
};

/**
 * "5 of 6 loads held", "none of 3 loads could be decided", "4 loads measured" if there were no objectives.
 */
export const heldText = (
  stages: readonly Pick<PicturedStage, 'standing'>[],
  { by, objectives }: Pick<Sweep, 'by' | 'objectives'>,
): string => {
  const ended = stages.filter(hasEnded);
  const loads = counted(ended.length, 'load');
  if (ended.length === 0) return 'no load has ended';
  if (by === 'concurrency' && objectives.length === 0) return `${loads} measured`;
  const heldCount = ended.filter(({ standing }) => standing === 'held').length;
  if (heldCount === 0 && ended.every(({ standing }) => standing === 'undecided'))
    return ended.length === 1 ? 'the load could not be decided' : `none of ${loads} could be decided`;
  if (heldCount === 0 && ended.some(({ standing }) => standing === 'undecided'))
    return `none of ${loads} is known to hold`;
  return `${formatCount(heldCount)} of ${loads} held`;
};

/** "TTFT within 500 ms"; undefined if there is no objective for single requests. */
export const requestObjectiveText = (objectives: readonly string[]): string | undefined => {
  const ofRequests = parsedObjectives(objectives).flatMap(objective =>
    objective.kind === 'request' ? [objective] : [],
  );
  return ofRequests.length === 0
    ? undefined
    : ofRequests
        .map(
          ({ name, limitNs }) =>
            `${seriesRow(objectiveSeries(name)).shortLabel} within ${roundedNsText(limitNs)}`,
        )
        .join(' and ');
};

/**
 * Objectives that this version can read, also as a verdict writes them: "ttft=500ms, tpot=50ms for 95% of
 * requests".
 */
const parsedObjectives = (objectives: readonly string[]): readonly Objective[] =>
  objectives.flatMap(text => {
    const read = parseObjectives(text.replace(REQUESTS_TEXT, ''));
    return read.kind === 'ok' ? read.value : [];
  });

/** "95.6 %", "100 %". */
export const shareText = (share: number): string => `${formatTick(Math.floor(share * 1_000) / 10)}\u202f%`;

export const roundedNsText = (ns: number): string =>
  figureText(formatMeasuredNanoseconds(ns)).replace(/\.0+(?=\D)/, '');

const REQUESTS_TEXT = / for (?:every request|\S+ of requests)/;
/**
 * Objectives whose limits are drawn on the axis of a curve: a curve counts from when a request was intended
 * to be sent.
 */
const SAME_AXIS: Readonly<Partial<Record<SeriesKey, readonly SeriesKey[]>>> = {
  ttftNs: ['ttftNs', 'ttftFromIntendedNs'],
  ttftFromIntendedNs: ['ttftNs', 'ttftFromIntendedNs'],
  tpotNs: ['tpotNs'],
  latencyNs: ['latencyNs', 'latencyFromIntendedNs'],
  latencyFromIntendedNs: ['latencyNs', 'latencyFromIntendedNs'],
};
