// The sentences about an ended stage: its verdict, anything that prevents it from describing the endpoint, and the
// reasons.

import { maximumOf, minimumOf } from '../../core/extremes.ts';
import { counted, formatCount, formatThreeDigits } from '../../core/figure/figure.ts';
import type { Report } from '../../core/run/report.ts';
import type { StageFigures, StagePurpose, StageVerdict } from '../../core/sweep/stage.ts';
import { isKnown } from '../../core/unknown.ts';
import { decidingCount, objectiveSentence } from '../../render/run/objective-labels.ts';
import { type Look, SESSIONS_LEAST } from '../line/stage-decider.ts';

/** What a report contains about this client. */
export interface ClientAccount extends Pick<Report, 'droppedEvents' | 'errors' | 'stopped'> {
  readonly client: Pick<
    Report['client'],
    'verdict' | 'reasons' | 'starved' | 'sendLatenessNs' | 'readLatenessNs' | 'beatLatenessNs'
  >;
}

interface VerdictOptions {
  readonly purpose: StagePurpose;
  readonly look: Look;
  readonly report: ClientAccount;
  readonly figures: StageFigures;
  readonly isStopped: boolean;
  /** Times that the look judges; by default those of the figures. */
  readonly limitsNs?: readonly number[];
}

export const finalVerdict = ({
  purpose,
  look,
  report,
  figures,
  isStopped,
  limitsNs = figures.objectives.filter(({ unit }) => unit === 'ns').map(({ limit }) => limit),
}: VerdictOptions): StageVerdict => {
  if (isStopped) return 'stopped';
  // No request of the load was sent: the only result is that those of the warm-up were refused.
  if (report.stopped?.cause === 'rejected') return 'broken';
  if (FAILING.has(look.verdict) && clientMattered(report, figures.curve, { verdict: look.verdict, limitsNs }))
    return 'client-bound';
  // With one request at a time, no other request could have been served first.
  if (purpose === 'alone' && figures.completed === 0 && figures.failed === 0) return 'broken';
  if (figures.issued < ISSUED_LEAST && figures.failed === 0) return 'undecided';
  // The queue of an endpoint that hangs grows as well; if nothing at all came back, that is the better explanation.
  if (figures.completed === 0) return figures.failed > 0 && look.verdict === 'missed' ? 'missed' : 'broken';
  return look.verdict;
};

/**
 * Whether this client, and not the endpoint, may have caused the failure: it lost something or got no processor, or
 * its own lateness is a part of the missed limit, or of the latency of a growing queue.
 */
const clientMattered = (
  { client, droppedEvents, errors }: ClientAccount,
  curve: StageFigures['curve'],
  { verdict, limitsNs }: { readonly verdict: Look['verdict']; readonly limitsNs: readonly number[] },
): boolean => {
  if (client.verdict !== 'client-bound') return client.verdict === 'unknown';
  if (client.starved || droppedEvents > 0 || (errors.client ?? 0) > 0) return true;
  const lateNs = maximumOf(
    [client.sendLatenessNs, client.readLatenessNs, client.beatLatenessNs].map(lateness =>
      isKnown(lateness) ? lateness.p99 : 0,
    ),
  );
  const scaleNs =
    verdict === 'missed' && limitsNs.length > 0 ? minimumOf(limitsNs) : isKnown(curve) ? curve.p50 : 0;
  return lateNs > LATE_PART_MOST * scaleNs;
};

/** Fewer than this may still be in transit. */
const ISSUED_LEAST = 5;
const FAILING: ReadonlySet<Look['verdict']> = new Set(['missed', 'over-capacity']);
/** As for the tail in the client's own verdict: two digits of the judged figure remain correct. */
const LATE_PART_MOST = 0.1;

interface ReasonOptions {
  readonly purpose: StagePurpose;
  readonly verdict: StageVerdict;
  readonly look: Look;
  readonly figures: StageFigures;
  readonly report: ClientAccount;
  readonly failures: ReadonlyMap<string, number>;
}

/** The deciding sentence comes first. */
export const stageReasons = (options: ReasonOptions): readonly string[] => [
  ...deciding(options),
  ...failureReasons(options),
  ...clientReasons(options),
  ...lawReasons(options.figures),
  ...lostReasons(options),
];

const deciding = ({ purpose, verdict, look, figures, report }: ReasonOptions): readonly string[] => {
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
      return [NOT_REQUESTED[purpose] ?? undecidedText(look, figures)];
    case 'client-bound':
      return ['this client was the limit, so the stage says nothing about the endpoint'];
    case 'stopped':
      return ['it was stopped'];
    case 'broken':
      if (report.stopped !== undefined) return [report.stopped.problem];
      return [
        `${figures.issued === 1 ? 'the only request was not' : `none of ${formatCount(figures.issued)} requests was`} answered`,
      ];
    default:
      return verdict satisfies never;
  }
};

/** These stages end before they could decide, because their purpose is another one. */
const NOT_REQUESTED: Partial<Record<StagePurpose, string>> = {
  alone: 'shows how fast an idle endpoint is; whether this load holds was not tested',
  estimate: 'gives a first estimate of the capacity; whether this load holds was not tested',
};

const undecidedText = ({ growth, results }: Look, figures: StageFigures): string => {
  const { sessions } = figures;
  if (sessions !== undefined && sessions.completed + sessions.failed < SESSIONS_LEAST)
    return `${counted(sessions.completed + sessions.failed, 'session')} ended in its time, and fewer than ${SESSIONS_LEAST} do not show how much their turns differ`;
  const open = figures.objectives.filter(({ answer }) => answer === 'too-few-samples');
  const isOfSessions = open.length > 0 && open.every(each => each.isOfSessions);
  if (growth !== undefined && results.every(({ answer }) => answer === 'met'))
    return 'too few requests to decide whether the queue grows';
  const needed = open.map(({ samplesNeeded }) => samplesNeeded).filter(isKnown);
  return `too few ${isOfSessions ? 'sessions' : 'requests'} to decide${needed.length === 0 ? '' : `; ${decidingCount(maximumOf(needed), isOfSessions ? 'session' : 'request')}`}`;
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
    .slice(0, FAILURE_KINDS_REPORTED)
    .map(([name, count]) => `${name}: ${formatCount(count)}`);
  return [
    `${formatCount(figures.failed)} of ${counted(figures.issued, 'request')} failed (${kinds.join(', ')})`,
  ];
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

/**
 * For an ended stage, for which Little's law cannot be checked. A user who stops a run may cut off its last lines.
 */
const lostReasons = ({ verdict, figures }: ReasonOptions): readonly string[] => {
  const lost = figures.issued - figures.completed - figures.failed - figures.cancelled;
  return lost <= 0 || verdict === 'stopped'
    ? []
    : [
        `how ${formatCount(lost)} of ${counted(figures.issued, 'request')} ended is not known: records were lost`,
      ];
};

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${formatThreeDigits(Math.abs(value))}`;

const FAILURE_KINDS_REPORTED = 3;
const LAW_TOLERANCE = 0.02;
