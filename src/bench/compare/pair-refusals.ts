// What keeps two sides that were measured in pairs from being compared, found in their reports: another model, answers of another
// length, a client in the way, requests that failed. What both were asked is the same by construction.

import { isClientInTheWay } from '../../core/comparison/compared-unit.ts';
import type { ComparisonRefusal } from '../../core/comparison/comparison-document.ts';
import { percentWords } from '../../core/comparison/comparison-words.ts';
import { formatThreeDigits } from '../../core/figure/figure.ts';
import type { Report } from '../../core/run/report.ts';
import type { Reported } from '../../core/unknown.ts';
import { isUnknown } from '../../core/unknown.ts';

export interface RefusalQuestion {
  /** Of whole pairs. */
  readonly a: { readonly model: Reported<string>; readonly reports: readonly Report[] };
  readonly b: { readonly model: Reported<string>; readonly reports: readonly Report[] };
  /** Of the primary metric. */
  readonly marginShare: number;
}

export const pairRefusals = ({ a, b, marginShare }: RefusalQuestion): readonly ComparisonRefusal[] => [
  ...modelRefusal(a.model, b.model),
  ...lengthRefusal('input', 'inputTokens', a.reports, b.reports),
  ...lengthRefusal('output', 'outputTokens', a.reports, b.reports),
  ...clientRefusal(a.reports, b.reports, marginShare),
  ...failureRefusal(a.reports, b.reports),
];

const modelRefusal = (a: Reported<string>, b: Reported<string>): readonly ComparisonRefusal[] =>
  isUnknown(a) || isUnknown(b) || a === b
    ? []
    : [{ code: 'model', problem: 'the models have different names', a, b }];

const lengthRefusal = (
  word: string,
  key: 'inputTokens' | 'outputTokens',
  a: readonly Report[],
  b: readonly Report[],
): readonly ComparisonRefusal[] => {
  const [meanA, meanB] = [meanOf(a, key), meanOf(b, key)];
  if (meanA === undefined || meanB === undefined) return [];
  const off = Math.abs(meanB / meanA - 1);
  if (off <= LENGTH_DIFFERENCE_MOST) return [];
  return [
    {
      code: 'lengths',
      problem: `mean ${word} lengths differ by ${percentWords(Math.round(off * 1000) / 1000)}, more than ${percentWords(LENGTH_DIFFERENCE_MOST)}`,
      a: `${formatThreeDigits(meanA)} tokens`,
      b: `${formatThreeDigits(meanB)} tokens`,
    },
  ];
};

/** Over all requests; undefined where the server of one told none. */
const meanOf = (reports: readonly Report[], key: 'inputTokens' | 'outputTokens'): number | undefined => {
  let total = 0;
  let count = 0;
  for (const { series } of reports) {
    total += Number(series[key]?.total ?? 0);
    count += series[key]?.count ?? 0;
  }
  return total > 0 ? total / count : undefined;
};

const clientRefusal = (
  a: readonly Report[],
  b: readonly Report[],
  marginShare: number,
): readonly ComparisonRefusal[] => {
  const [ofA, ofB] = [hindered(a, marginShare), hindered(b, marginShare)];
  if (ofA.length + ofB.length === 0) return [];
  const words = (held: readonly Report[], all: readonly Report[]): string =>
    held.length === 0
      ? 'all segments trustworthy'
      : `${held.length} of ${all.length} segments: ${held[0]?.client.reasons[0] ?? 'nobody may vouch for it'}`;
  return [
    {
      code: 'client',
      problem: 'this client, and not the server, may have made the figures',
      a: words(ofA, a),
      b: words(ofB, b),
    },
  ];
};

/** Against the median latency: what the client adds to it is in every figure. */
export const hindered = (reports: readonly Report[], marginShare: number): readonly Report[] =>
  reports.filter(report =>
    isClientInTheWay(report, {
      figureNs: report.series.ttftNs?.percentiles['50'] ?? report.series.latencyNs?.percentiles['50'] ?? 0,
      marginShare,
    }),
  );

const failureRefusal = (a: readonly Report[], b: readonly Report[]): readonly ComparisonRefusal[] => {
  const [ofA, ofB] = [failedShare(a), failedShare(b)];
  if (Math.max(ofA, ofB) <= FAILED_SHARE_MOST) return [];
  const words = (share: number): string => `${percentWords(Math.round(share * 1000) / 1000)} failed`;
  return [
    {
      code: 'failures',
      problem: `more than ${percentWords(FAILED_SHARE_MOST)} of the requests failed`,
      a: words(ofA),
      b: words(ofB),
    },
  ];
};

const failedShare = (reports: readonly Report[]): number => {
  const failed = reports.reduce((sum, { counts }) => sum + counts.failed, 0);
  const ended = reports.reduce((sum, { counts }) => sum + counts.failed + counts.completed, 0);
  return ended === 0 ? 0 : failed / ended;
};

const LENGTH_DIFFERENCE_MOST = 0.02;
/** Past it a fast refusal passes for a fast answer in every rate. */
const FAILED_SHARE_MOST = 0.05;
