// What is said of an ended stage: its verdict, with whatever keeps it from being one of the endpoint, and why in sentences.

import { formatCount, formatThreeDigits } from '../../core/figure/figure.ts';
import { objectiveSentence } from '../../core/run/objective-labels.ts';
import type { Report } from '../../core/run/report.ts';
import type { StageFigures, StageVerdict } from '../../core/sweep/stage.ts';
import { isKnown } from '../../core/unknown.ts';
import type { Look } from '../line/stage-decider.ts';

export interface VerdictOptions {
  readonly look: Look;
  readonly report: Report;
  readonly figures: StageFigures;
  readonly isStopped: boolean;
}

export const finalVerdict = ({ look, report, figures, isStopped }: VerdictOptions): StageVerdict => {
  if (isStopped) return 'stopped';
  if (FAILING.has(look.verdict) && clientMattered(report, figures, look.verdict)) return 'client-bound';
  if (figures.issued < ISSUED_LEAST && figures.failed === 0) return 'undecided';
  // The queue of an endpoint that hangs grows as well; where nothing at all came back there is more to say.
  if (figures.completed === 0) return figures.failed > 0 && look.verdict === 'missed' ? 'missed' : 'broken';
  return look.verdict;
};

/**
 * Whether this client, and not the endpoint, may have made the load fail: it lost something or got no processor, or its own
 * lateness is a part of the limit that is missed, or of the latency behind a queue that grows.
 */
const clientMattered = (
  { client, droppedEvents, errors }: Report,
  { objectives, curve }: StageFigures,
  verdict: Look['verdict'],
): boolean => {
  if (client.verdict !== 'client-bound') return client.verdict === 'unknown';
  if (client.starved || droppedEvents > 0 || (errors.client ?? 0) > 0) return true;
  const lateNs = Math.max(
    ...[client.sendLatenessNs, client.readLatenessNs, client.beatLatenessNs].map(lateness =>
      isKnown(lateness) ? lateness.p99 : 0,
    ),
  );
  const limits = objectives.filter(({ unit }) => unit === 'ns').map(({ limit }) => limit);
  const scaleNs =
    verdict === 'missed' && limits.length > 0 ? Math.min(...limits) : isKnown(curve) ? curve.p50 : 0;
  return lateNs > LATE_PART_MOST * scaleNs;
};

/** So few may still be on their way. */
const ISSUED_LEAST = 5;
const FAILING: ReadonlySet<Look['verdict']> = new Set(['missed', 'over-capacity']);
/** As of the tail in the client's own verdict: two digits of what is judged stay true. */
const LATE_PART_MOST = 0.1;

export interface ReasonOptions {
  readonly verdict: StageVerdict;
  readonly look: Look;
  readonly figures: StageFigures;
  readonly report: Report;
  readonly failures: ReadonlyMap<string, number>;
}

/** The deciding sentence first. */
export const stageReasons = (options: ReasonOptions): readonly string[] => [
  ...deciding(options),
  ...failureReasons(options),
  ...clientReasons(options),
  ...lawReasons(options.figures),
];

const deciding = ({ verdict, look, figures }: ReasonOptions): readonly string[] => {
  const growth = growthText(look);
  switch (verdict) {
    case 'held':
      return [
        [
          figures.objectives.length === 0 ? 'no objective was given' : 'every objective is met',
          ...(growth === undefined ? [] : [`the queue is stable: ${growth}`]),
        ].join('; '),
      ];
    case 'over-capacity':
      return [`the queue grows: ${growth ?? 'requests end more slowly than they come'}`];
    case 'missed':
      return figures.objectives.filter(({ answer }) => answer === 'missed').map(objectiveSentence);
    case 'undecided':
      return [undecidedText(look, figures)];
    case 'client-bound':
      return ['this client was the limit, so the stage says nothing about the endpoint'];
    case 'stopped':
      return ['it was stopped'];
    case 'broken':
      return [`none of ${figures.issued} requests was answered`];
    default:
      return verdict satisfies never;
  }
};

const undecidedText = ({ growth, results }: Look, figures: StageFigures): string => {
  const open = figures.objectives.filter(({ answer }) => answer === 'too-few-samples');
  if (results.length > 0 && results.every(({ answer }) => answer === 'met') && growth?.isStable !== true)
    return 'too few requests to say whether the queue grows';
  const needed = open.map(({ samplesNeeded }) => samplesNeeded).find(isKnown);
  return `too few requests to say${needed === undefined ? '' : `; about ${formatCount(needed)} requests would decide`}`;
};

const growthText = ({ growth }: Look): string | undefined => {
  if (growth === undefined) return undefined;
  const { value, low, high } = growth.perMinute;
  return `requests in flight change by ${signed(value)} a minute (${signed(low)} to ${signed(high)})`;
};

const failureReasons = ({ figures, failures }: ReasonOptions): readonly string[] => {
  if (figures.failed === 0) return [];
  const kinds = [...failures]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, FAILURE_KINDS_TOLD)
    .map(([name, count]) => `${name}: ${count}`);
  return [`${figures.failed} of ${figures.issued} requests failed (${kinds.join(', ')})`];
};

const clientReasons = ({ report, verdict }: ReasonOptions): readonly string[] =>
  report.client.verdict === 'client-bound'
    ? [
        ...report.client.reasons,
        ...(verdict === 'held' ? ['the client was late and the objectives were met all the same'] : []),
      ]
    : [];

const lawReasons = ({ littlesLawRatio }: StageFigures): readonly string[] =>
  isKnown(littlesLawRatio) && Math.abs(littlesLawRatio - 1) > LAW_TOLERANCE
    ? [
        `Little's law does not hold (mean in flight is ${littlesLawRatio.toFixed(3)} × rate × latency): records were lost, or two clocks were read`,
      ]
    : [];

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${formatThreeDigits(Math.abs(value))}`;

const FAILURE_KINDS_TOLD = 3;
const LAW_TOLERANCE = 0.02;
