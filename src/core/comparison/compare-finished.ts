// Compares finished runs. One run per side: a block bootstrap inside each, and at most "different". Several:
// the run is the unit, and the verdicts are those of interleaved pairs.

import * as v from 'valibot';
import { counted } from '../figure/figure.ts';
import type { Report, ReportEnvironment } from '../run/report.ts';
import { loadLabel, type RunTags } from '../run/run-shape.ts';
import { type Infer, openObject, text } from '../schema.ts';
import { isKnown, isUnknown, knownOr, type Reported, type Unknown, unknown } from '../unknown.ts';
import { bootstrapMetrics, type TimedRun } from './bootstrap-metrics.ts';
import {
  type ComparableFacts,
  comparableFactsSchema,
  factsOfReport,
  refusalsBetween,
} from './comparability.ts';
import {
  COMPARISON_SCHEMA,
  type ComparedMetric,
  type ComparisonDocument,
  type ComparisonRefusal,
  comparedUnit,
  comparedUnitSchema,
  judgedModels,
} from './comparison-document.ts';
import { comparisonSentence } from './comparison-labels.ts';
import { COMPARISON_METRICS, defaultPrimary, requestedMetric } from './comparison-metrics.ts';
import { judgeMetrics } from './judge-metrics.ts';
import { setEvidence } from './run-spread.ts';

/** One run, a set of runs, or a stored baseline. */
export interface FinishedSide {
  readonly label: string;
  readonly target: Reported<string>;
  readonly model: Reported<string>;
  readonly serverKind: Reported<string>;
  readonly units: readonly FinishedUnit[];
  /** With fewer runs it is not comparable: five for a baseline. */
  readonly runsMin: number;
  /** The environment of the machine that made the load. */
  readonly environment: Reported<ReportEnvironment>;
  /** Only for a side of one run that is on this machine. */
  readonly only: { readonly report: Report; readonly timed: TimedRun | Unknown } | undefined;
}

export const finishedUnitSchema = v.intersect([
  comparedUnitSchema,
  openObject({
    facts: comparableFactsSchema,
    /** Why it has no final figures; '' if it has. */
    fault: text,
  }),
]);

export type FinishedUnit = Infer<typeof finishedUnitSchema>;

export interface FinishedOptions {
  readonly id: string;
  readonly version: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly command: string;
  readonly environment: ReportEnvironment;
  readonly name: Reported<string>;
  readonly tags: RunTags;
  /** Name of a metric; undefined: the one that suits the load. */
  readonly primary: string | undefined;
  /** By the name of a metric, if it is not the default. */
  readonly margins: Readonly<Record<string, number>>;
  readonly isAnyway: boolean;
  /** undefined: it could not be stated, because the comparison was not started from a command line. */
  readonly isSameModel: boolean | undefined;
}

export const finishedUnit = (report: Report, directory: string): FinishedUnit => ({
  ...comparedUnit(report, directory),
  facts: factsOfReport(report),
  fault: report.complete && !report.interrupted ? '' : (report.incompleteReason ?? 'the run was interrupted'),
});

export const compareFinished = (
  a: FinishedSide,
  b: FinishedSide,
  options: FinishedOptions,
): ComparisonDocument => {
  const { isAnyway, isSameModel, margins, ...reported } = options;
  const facts = a.units[0]?.facts ?? b.units[0]?.facts;
  const primary = options.primary ?? (facts === undefined ? 'latency.p90' : defaultPrimary(facts));
  const mode = a.only !== undefined && b.only !== undefined ? 'runs' : 'sets';
  const models = judgedModels(
    refusalsBetween(
      a.units.map(unit => unit.facts),
      b.units.map(unit => unit.facts),
    ),
    { isSameModel: isSameModel === true, isVerifiable: isSameModel !== undefined },
  );
  const refusals = [...countRefusals(a, b, mode), ...faultRefusals(a, b), ...models.refusals];
  const judged = measured(
    a.only !== undefined && b.only !== undefined
      ? bootstrapMetrics(a.only, b.only, { primary, margins })
      : setMetrics(a, b, { primary, margins }),
    primary,
  );
  const isRefused = refusals.length > 0 && !isAnyway;
  const metrics = isRefused ? judged.map(withoutVerdict) : judged;
  const document = {
    schema: COMPARISON_SCHEMA,
    id: reported.id,
    plimsoll: { version: reported.version },
    name: reported.name,
    tags: reported.tags,
    startedAt: reported.startedAt,
    command: reported.command,
    environment: reported.environment,
    state: 'complete' as const,
    mode,
    a: sideOf(a),
    b: sideOf(b),
    load: loadOf(facts),
    plan: unknown('only pairs are planned'),
    resume: unknown('only a comparison by pairs can be continued'),
    metrics,
    refusals,
    isAnyway,
    isSameModel: isSameModel === true,
    notices: [...models.notices, ...machineNotices(a, b), ...noticesOf(mode, metrics)],
    verdict: isRefused
      ? ({ kind: 'not-comparable', reason: refusals.map(({ problem }) => problem).join('; ') } as const)
      : (metrics.find(({ isPrimary }) => isPrimary)?.verdict ??
        ({ kind: 'not-comparable', reason: `there is no metric ${primary}` } as const)),
  } as const;
  const runs = Math.min(a.units.length, b.units.length);
  return {
    ...document,
    looks: [{ pairs: runs, alpha: ALPHA, verdict: document.verdict }],
    sentence: comparisonSentence(document),
  };
};

const setMetrics = (
  a: FinishedSide,
  b: FinishedSide,
  { primary, margins }: { readonly primary: string; readonly margins: Readonly<Record<string, number>> },
): readonly ComparedMetric[] => {
  const pattern = a.units[0]?.facts.pattern ?? b.units[0]?.facts.pattern;
  if (pattern === undefined) return [];
  return judgeMetrics(
    COMPARISON_METRICS.map(row =>
      setEvidence(requestedMetric(row, pattern, margins), { a: a.units, b: b.units }),
    ),
    { alpha: ALPHA, primary },
  );
};

/** A figure that neither side has, such as goodput without objectives, is left out. */
const measured = (metrics: readonly ComparedMetric[], primary: string): readonly ComparedMetric[] =>
  metrics.filter(({ name, a, b }) => name === primary || isKnown(a) || isKnown(b));

/** Figures are shown in grey, without a verdict. */
const withoutVerdict = (metric: ComparedMetric): ComparedMetric => ({
  ...metric,
  verdict: { kind: 'not-comparable', reason: 'the two sides are not comparable' },
});

const countRefusals = (
  a: FinishedSide,
  b: FinishedSide,
  mode: 'runs' | 'sets',
): readonly ComparisonRefusal[] => {
  const least = (side: FinishedSide): number => Math.max(side.runsMin, mode === 'sets' ? 2 : 1);
  return a.units.length >= least(a) && b.units.length >= least(b)
    ? []
    : [
        {
          code: 'too-few',
          problem: 'There are too few runs to know how runs vary',
          a: runsText(a, least(a)),
          b: runsText(b, least(b)),
        },
      ];
};

const runsText = ({ units }: FinishedSide, least: number): string =>
  `${counted(units.length, 'run')}${units.length < least ? `, at least ${least} are needed` : ''}`;

const faultRefusals = (a: FinishedSide, b: FinishedSide): readonly ComparisonRefusal[] => {
  const textOf = ({ units }: FinishedSide): string =>
    units
      .filter(({ fault }) => fault !== '')
      .slice(0, FAULTS_SHOWN_MAX)
      .map(({ runId, fault }) => `${runId}: ${fault}`)
      .join(', ') || 'complete';
  return [...a.units, ...b.units].every(({ fault }) => fault === '')
    ? []
    : [{ code: 'other', problem: 'A run is not complete', a: textOf(a), b: textOf(b) }];
};

const sideOf = ({ label, target, model, serverKind, units }: FinishedSide): ComparisonDocument['a'] => ({
  label,
  target,
  model,
  serverKind,
  isStartedHere: false,
  units: units.map(({ facts: _facts, fault: _fault, ...unit }) => unit),
});

const loadOf = (facts: ComparableFacts | undefined): string =>
  facts === undefined ? 'no run' : `${loadLabel(facts)}, ${facts.dataset}`;

/** Another load machine may give other figures of the same server. */
const machineNotices = (a: FinishedSide, b: FinishedSide): readonly string[] => {
  if (isUnknown(a.environment) || isUnknown(b.environment)) return [];
  const [ofA, ofB] = [machineText(a.environment), machineText(b.environment)];
  return ofA === ofB
    ? []
    : [`The load on A came from another machine than the load on B: ${ofA}, not ${ofB}.`];
};

const machineText = ({ os, cpu, cores, node }: ReportEnvironment): string =>
  `${cpu}, ${counted(cores, 'core')}, ${os}, Node ${node}`;

const noticesOf = (mode: 'runs' | 'sets', metrics: readonly ComparedMetric[]): readonly string[] =>
  mode === 'sets'
    ? []
    : [
        'The variation between runs is unknown: one run per side cannot distinguish a change of the server from normal variation. Use several runs (--repeat).',
        ...(metrics.some(({ ratio }) => !isUnknown(ratio))
          ? [
              'Intervals come from a block bootstrap inside each run, 95 % each, not corrected for multiple comparisons.',
            ]
          : []),
      ];

/** Label of a side: the name that its runs share, else their only id, else their number. */
export const sideLabel = (units: readonly FinishedUnit[], names: readonly Reported<string>[]): string => {
  const known = new Set(names.map(name => knownOr(name, '')));
  const [name = ''] = known;
  if (known.size === 1 && name !== '') return name;
  return units.length === 1 ? (units[0]?.runId ?? 'no run') : counted(units.length, 'run');
};

const ALPHA = 0.05;
const FAULTS_SHOWN_MAX = 4;
