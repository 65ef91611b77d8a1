// Why requests failed, as text for people: the headline of a run in which some did, a row for each cause, and
// the outages.

import { formatAge, formatClock } from '../figure/duration.ts';
import { counted, figureText, formatCount, formatFinePercent } from '../figure/figure.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import { type FailureCounts, type FailureGroup, NO_FAILURES, type RunFailures } from './failure-groups.ts';
import type { Outage } from './outage.ts';
import { FAILURE_LABELS, type SampleCounts } from './outcome.ts';
import { type RunShape, shapeOf } from './run-shape.ts';

/** A report, or the figures of a run in the cluster. */
interface MaybeFailed {
  /** In the measured phase. */
  readonly counts: SampleCounts;
  readonly failures: Reported<RunFailures>;
  /** In the measured phase; missing in live figures. */
  readonly cutAfterGrace?: number;
  readonly run?: { readonly shape: Reported<RunShape> };
}

export interface FailureHeadline {
  /** "All 8 requests failed", "The server was down". */
  readonly lead: string;
  /**
   * Text that follows, with its punctuation: ": HTTP 401, invalid key", " from 0:12 to 0:31; 26 % of 812
   * requests failed".
   */
  readonly rest: string;
  /** For a column: "all failed", "was down", "13 % failed". */
  readonly short: string;
  /** Nothing completed, or the server was away: no figure means what its name claims. */
  readonly isGrave: boolean;
}

/**
 * What a person must know first about a run in which requests failed, or none had time to end; undefined if
 * all is well.
 */
export const failureHeadline = (ran: MaybeFailed): FailureHeadline | undefined => {
  const { counts, failures } = ran;
  const known = isUnknown(failures) ? NO_FAILURES : failures;
  const { completed, failed, issued } = counts;
  const why = causeText(known, failed === 0 ? 'warmupCount' : 'count');
  if (failed === 0) {
    const warmup = sumOf(known, 'warmupCount');
    if (warmup === 0 && isAllCutAfterGrace(ran)) return cutHeadline(ran);
    if (warmup === 0 || (completed > 0 && known.outages.length === 0)) return undefined;
    return {
      lead: `${counted(warmup, 'warm-up request')} failed`,
      rest: why,
      short: 'warm-up failed',
      isGrave: completed === 0,
    };
  }
  if (completed === 0)
    return {
      lead: failed === issued ? allFailed(failed) : `No request completed, ${formatCount(failed)} failed`,
      rest: why,
      short: failed === issued ? 'all failed' : 'none completed',
      isGrave: true,
    };
  const share = failed / Math.max(1, issued);
  const many = share < PERCENT_LEAST ? formatCount(failed) : figureText(formatFinePercent(share));
  const part = `${many} of ${counted(issued, 'request')} failed`;
  const { outages, unsuccessfulEnd: end } = known;
  if (end !== undefined && outages.every(({ isOver }) => isOver))
    return {
      lead: `Nothing succeeded after ${clock(end.fromNs)}`,
      rest: `; ${part}${why}`,
      short: `all failed after ${clock(end.fromNs)}`,
      isGrave: true,
    };
  if (outages.length === 0)
    return { lead: part, rest: why, short: `${many} failed`, isGrave: share >= GRAVE_LEAST };
  return {
    lead: outageLead(outages),
    rest: ` ${outageText(outages)}; ${part}${why}`,
    short: outages.every(isSilent) ? 'did not answer' : 'was down',
    isGrave: true,
  };
};

/** "All 8 requests failed: HTTP 401, invalid key" */
export const failureHeadlineText = ({ lead, rest }: FailureHeadline): string => `${lead}${rest}`;

/** "HTTP 401", "connection failed". */
export const failureLabel = ({ kind, statusCode }: Pick<FailureGroup, 'kind' | 'statusCode'>): string =>
  kind === 'http-status' ? `HTTP ${statusCode}` : FAILURE_LABELS[kind];

/** The server's message, and whether similar ones are counted with it. */
export const failureMessage = ({ example, isVaried }: Pick<FailureGroup, 'example' | 'isVaried'>): string =>
  isVaried ? `${example} (also with other numbers)` : example;

/** "at 0:12", "0:12 to 0:31, 2 of them in warm-up". */
export const failureTimes = ({ count, warmupCount, firstAtNs, lastAtNs }: FailureCounts): string => {
  const [first, last] = [clock(firstAtNs), clock(lastAtNs)];
  const range = first === last ? `at ${first}` : `${first} to ${last}`;
  if (warmupCount === 0) return range;
  return `${range}, ${count === 0 ? '' : `${formatCount(warmupCount)} of them `}in warm-up`;
};

/** Including failures outside the measured phase. */
export const failureCountText = ({ count, warmupCount }: FailureCounts): string =>
  formatCount(count + warmupCount);

/** "8 × HTTP 401, 0:12 to 0:31, 1 of them in warm-up: invalid key" */
export const failureSentence = (group: FailureGroup): string =>
  `${failureCountText(group)} × ${failureLabel(group)}, ${failureTimes(group)}${group.example === '' ? '' : `: ${failureMessage(group)}`}`;

export const outageLead = (outages: readonly Outage[]): string =>
  outages.every(isSilent) ? 'The server did not answer' : 'The server was down';

/** "from 0:12 to 0:31", "from 0:12 to the end", "3 times, 48 s in total, first from 0:12 to 0:31". */
export const outageText = (outages: readonly Outage[]): string => {
  const [first] = outages;
  if (first === undefined) return '';
  const range = `from ${clock(first.fromNs)} to ${first.isOver ? clock(first.toNs) : 'the end'}`;
  if (outages.length === 1) return range;
  const sumNs = outages.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0);
  return `${counted(outages.length, 'time')}, ${figureText(formatAge(sumNs / 1e6))} in total, first ${range}`;
};

/** A line for each: "0:12 to 0:31, 19 s, 212 requests failed". */
export const outageLines = (outages: readonly Outage[]): readonly string[] =>
  outages.map(
    outage =>
      `${clock(outage.fromNs)} to ${outage.isOver ? clock(outage.toNs) : 'the end'}, ${figureText(formatAge((outage.toNs - outage.fromNs) / 1e6))}${outage.isOver ? '' : ' or more'}${isSilent(outage) ? ' without an answer' : ''}: ${counted(outage.failed, 'request')} failed`,
  );

const isSilent = (outage: Outage): boolean => outage.isSilent === true;

/** For any allowed number of failures: the server did not answer the rest of the load. */
export const hasUnsuccessfulEnd = (failures: Reported<RunFailures>): boolean =>
  !isUnknown(failures) && failures.unsuccessfulEnd !== undefined;

/** Remark of a rate: "over 4.95 s, until the last success at 0:05", if nothing succeeded at the end. */
export const withLastSuccess = (remark: string, failures: Reported<RunFailures>): string => {
  const end = isUnknown(failures) ? undefined : failures.unsuccessfulEnd;
  if (end === undefined) return remark;
  return `${remark === '' ? '' : `${remark}, `}until the last success at ${clock(end.fromNs)}`;
};

/** Nothing was measured, and only because there was not enough time. */
export const isAllCutAfterGrace = ({ counts, cutAfterGrace = 0 }: MaybeFailed): boolean =>
  counts.completed === 0 && counts.failed === 0 && cutAfterGrace > 0 && cutAfterGrace === counts.cancelled;

const cutHeadline = ({ counts: { cancelled }, run }: MaybeFailed): FailureHeadline => {
  const { graceMs } = shapeOf({ shape: run?.shape ?? unknown('live figures') });
  const who = cancelled === 1 ? 'the only one was' : `all ${formatCount(cancelled)} were`;
  const grace =
    graceMs === undefined
      ? '--grace'
      : `--grace ${graceMs % 1_000 === 0 ? `${graceMs / 1_000}s` : `${graceMs}ms`}`;
  return {
    lead: 'No request completed',
    rest: `: ${who} cancelled after ${grace}; lengthen --duration or --grace`,
    short: 'none completed',
    isGrave: true,
  };
};

const allFailed = (failed: number): string =>
  failed === 1 ? 'The only request failed' : `All ${counted(failed, 'request')} failed`;

/** ": HTTP 401, invalid key"; if no cause has half of them, the number of reasons. */
const causeText = ({ groups, others }: RunFailures, of: 'count' | 'warmupCount'): string => {
  const [first, ...rest] = groups.toSorted((a, b) => b[of] - a[of]).filter(group => group[of] > 0);
  if (first === undefined) return '';
  const more = rest.length + (others === undefined ? 0 : 1);
  const example = first.example === '' ? '' : `, ${short(first.example)}`;
  const also =
    more === 0 ? '' : `; and ${others === undefined ? counted(more, 'other reason') : 'other reasons'}`;
  return `: ${failureLabel(first)}${example}${also}`;
};

const sumOf = ({ groups, others }: RunFailures, of: 'count' | 'warmupCount'): number =>
  groups.reduce((sum, group) => sum + group[of], others?.[of] ?? 0);

const clock = (ns: number): string => formatClock(ns / 1e6);

const short = (text: string): string =>
  text.length <= HEADLINE_MESSAGE_MAX ? text : `${text.slice(0, HEADLINE_MESSAGE_MAX - 1).trimEnd()}…`;

/** A smaller share is shown as a count: "3 of 10 000 requests failed". */
const PERCENT_LEAST = 0.01;
/** From this share on the missing requests distort every figure. */
const GRAVE_LEAST = 0.05;
const HEADLINE_MESSAGE_MAX = 140;
