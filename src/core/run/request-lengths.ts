// The lengths that a run drew for its requests, in the order in which it sends them, over and over: what was asked of those
// that were really sent follows from how many there were.

import { isUnknown, type Reported } from '../unknown.ts';
import type { ReportRun } from './report.ts';
import type { AskedTokens, RequestLengths } from './run-requests.ts';

export const lengthsText = (lengths: readonly number[]): string =>
  lengths.length > REQUEST_LENGTHS_MAX || new Set(lengths).size === 1 ? '' : lengths.join(',');

/** Requests in their order of sending, which goes through all lengths over and over. */
export interface SentRange {
  /** How many were sent before the first of them. */
  readonly from: number;
  readonly count: number;
}

/** What was asked over all prompts, or over the requests of a range. */
export const askedTokens = (
  text: string,
  lengths: readonly number[],
  { from, count }: SentRange = { from: 0, count: lengths.length },
): AskedTokens => {
  let sum = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (const [index, length] of lengths.entries()) {
    /** Of the first so many requests, those that asked for this length. */
    const among = (requests: number): number => Math.ceil((requests - index) / lengths.length);
    const times = Math.max(0, among(from + count)) - Math.max(0, among(from));
    if (times === 0) continue;
    sum += length * times;
    if (length < min) min = length;
    if (length > max) max = length;
  }
  return { text, mean: sum / count, min, max };
};

/** The run as its report tells it: what it asked of the requests of the measured phase. */
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

const ofSent = (asked: Reported<AskedTokens>, lengths: string, sent: SentRange): Reported<AskedTokens> =>
  isUnknown(asked) || lengths === '' ? asked : askedTokens(asked.text, lengths.split(',').map(Number), sent);

/** Of one list; a data set that is longer is told as a whole. */
const REQUEST_LENGTHS_MAX = 4_096;
/** Of the text of one list. */
export const LENGTHS_TEXT_MAX = 32_768;
