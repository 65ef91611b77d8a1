// The lengths that a run drew for its requests, in sending order, repeated: the lengths of the requests that
// were really sent follow from their number.

import { isUnknown, type Reported } from '../unknown.ts';
import type { ReportRun } from './report.ts';
import type { RequestedTokens, RequestLengths } from './run-requests.ts';

export const lengthsText = (lengths: readonly number[]): string =>
  lengths.length > REQUEST_LENGTHS_MAX || new Set(lengths).size === 1 ? '' : lengths.join(',');

/** Requests in sending order, which repeats all lengths. */
export interface SentRange {
  /** How many were sent before the first of them. */
  readonly from: number;
  readonly count: number;
}

/** What was requested over all prompts, or over the requests of a range. */
export const requestedTokens = (
  text: string,
  lengths: readonly number[],
  { from, count }: SentRange = { from: 0, count: lengths.length },
): RequestedTokens => {
  let sum = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (const [index, length] of lengths.entries()) {
    /** How many of the first requests had this length. */
    const among = (requests: number): number => Math.ceil((requests - index) / lengths.length);
    const times = Math.max(0, among(from + count)) - Math.max(0, among(from));
    if (times === 0) continue;
    sum += length * times;
    if (length < min) min = length;
    if (length > max) max = length;
  }
  return { text, mean: sum / count, min, max };
};

/** The run as in its report: what it requested in the measured phase. */
export const runAsSent = (
  { run, requestLengths }: { readonly run: ReportRun; readonly requestLengths: Reported<RequestLengths> },
  sent: SentRange,
): ReportRun => {
  if (isUnknown(run.requests) || isUnknown(requestLengths) || sent.count === 0) return run;
  const { inputTokens, outputTokens } = run.requests;
  return {
    ...run,
    requests: {
      ...run.requests,
      inputTokens: ofSent(inputTokens, requestLengths.input, sent),
      outputTokens: ofSent(outputTokens, requestLengths.output, sent),
    },
  };
};

const ofSent = (
  requested: Reported<RequestedTokens>,
  lengths: string,
  sent: SentRange,
): Reported<RequestedTokens> =>
  isUnknown(requested) || lengths === ''
    ? requested
    : requestedTokens(requested.text, lengths.split(',').map(Number), sent);

/** Limit per list; a longer data set is reported as a whole. */
const REQUEST_LENGTHS_MAX = 4_096;
