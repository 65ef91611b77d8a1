// The lines of a text report about what was asked of each request: how long prompts and answers should be beside what the
// server counted, so that nobody compares figures of answers that were cut at different lengths.

import { formatCount } from '../core/figure/figure.ts';
import type { ReportRun, ReportSeries } from '../core/run/report.ts';
import type { AskedTokens, RunRequests } from '../core/run/run-requests.ts';
import { isUnknown } from '../core/unknown.ts';

export interface CountedTokens {
  readonly input: ReportSeries | undefined;
  readonly output: ReportSeries | undefined;
}

/** Rows of name and text; none for a run of a version that left lengths to the server. */
export const requestRows = (
  { requests }: Pick<ReportRun, 'requests'>,
  counted: CountedTokens,
): readonly (readonly [name: string, text: string])[] => {
  if (isUnknown(requests)) return [];
  const { inputTokens, outputTokens, prefixes, body } = requests;
  const input = isUnknown(inputTokens) ? inputTokens.reason : `asked ${askedText(inputTokens)}`;
  const shared = isUnknown(prefixes)
    ? ''
    : `, ${formatCount(prefixes.tokens)} of them one of ${formatCount(prefixes.count)} shared ${prefixes.count === 1 ? 'prefix' : 'prefixes'}`;
  const output = isUnknown(outputTokens)
    ? `length left to ${outputTokens.reason}`
    : `asked ${askedText(outputTokens)}${sourceText(requests)}`;
  return [
    ['input tokens', `${input}${shared}; ${countedText(counted.input, inputTokens)}`],
    ['output tokens', `${output}; ${countedText(counted.output, outputTokens)}`],
    ...(body === '{}' ? [] : [['body', `each with ${body}`] as const]),
  ];
};

const sourceText = ({ outputSource, lengthFields }: RunRequests): string => {
  switch (outputSource) {
    case 'default':
      return ' at most by default (--output-tokens sets it)';
    case 'option':
      return lengthFields.length === 0
        ? ' at most: this server is not known to have min_tokens or ignore_eos, so answers may be shorter'
        : ` with ${lengthFields.join(' and ')}`;
    case 'dataset':
      return ' at most';
    case 'body':
      return '';
    default:
      return outputSource satisfies never;
  }
};

const askedText = ({ text, mean, min, max }: AskedTokens): string =>
  min === max
    ? formatCount(min)
    : `${text}: ${formatCount(Math.round(mean))} on average, ${formatCount(min)} to ${formatCount(max)},`;

const countedText = (series: ReportSeries | undefined, asked: RunRequests['inputTokens']): string => {
  if (
    series === undefined ||
    series.count === 0 ||
    series.mean === null ||
    series.min === null ||
    series.max === null
  )
    return 'none counted by the server';
  const { mean, min, max } = series;
  if (min === max) return `the server counted ${formatCount(min)}`;
  const deviation =
    isUnknown(asked) || asked.min !== asked.max ? '' : ` (${signedPercent(mean / asked.mean - 1)})`;
  return `the server counted ${mean.toFixed(1)} on average${deviation}, ${formatCount(min)} to ${formatCount(max)}`;
};

const signedPercent = (share: number): string =>
  `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)}%`;
