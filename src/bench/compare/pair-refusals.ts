// Reasons that prevent two sides measured in pairs from being compared, found in their reports: another model,
// answers of another length, a client that limits, failed requests, contamination of one side alone. Both received
// the same requests by construction.

import { type ComparisonRefusal, isClientInTheWay } from '../../core/comparison/comparison-document.ts';
import { exactPercentText } from '../../core/comparison/comparison-labels.ts';
import { COMPARISON_METRICS } from '../../core/comparison/comparison-metrics.ts';
import { counted, formatThreeDigits } from '../../core/figure/figure.ts';
import { contaminationOf } from '../../core/run/contamination.ts';
import { type FigureVerdict, figureVerdictText } from '../../core/run/figure-verdict.ts';
import type { Report } from '../../core/run/report.ts';
import { isKnown, knownOr, type Reported } from '../../core/unknown.ts';

interface RefusalQuestion {
  /** Of whole pairs. */
  readonly a: { readonly model: Reported<string>; readonly reports: readonly Report[] };
  readonly b: { readonly model: Reported<string>; readonly reports: readonly Report[] };
  readonly primary: PrimaryMetric;
}

/** The metric that decides, and by how much it must differ. */
export interface PrimaryMetric {
  readonly name: string;
  readonly marginShare: number;
}

export const pairRefusals = ({ a, b, primary }: RefusalQuestion): readonly ComparisonRefusal[] => [
  ...modelRefusal(a, b),
  ...lengthRefusal('input', 'inputTokens', a.reports, b.reports),
  ...lengthRefusal('output', 'outputTokens', a.reports, b.reports),
  ...clientRefusal(a.reports, b.reports, primary),
  ...failureRefusal(a.reports, b.reports),
  ...contaminationRefusal(a.reports, b.reports),
];

/** Codes of what spoils one of two segments alone: then their difference is not caused by the servers. */
export const spoiledApart = (a: Report, b: Report): readonly string[] => {
  const [ofA, ofB] = [spoilerCodes(a), spoilerCodes(b)];
  return [...new Set([...ofA, ...ofB])].filter(code => ofA.has(code) !== ofB.has(code));
};

/** Compares the model that replies now with the one in earlier pairs: a comparison may be resumed after days. */
const modelRefusal = (a: RefusalQuestion['a'], b: RefusalQuestion['b']): readonly ComparisonRefusal[] => {
  const namesOf = ({ model, reports }: RefusalQuestion['a']): readonly string[] => [
    ...new Set([...reports.map(({ run }) => run.model), model].filter(isKnown)),
  ];
  const [ofA, ofB] = [namesOf(a), namesOf(b)];
  if (ofA.length === 0 || ofB.length === 0 || new Set([...ofA, ...ofB]).size === 1) return [];
  return [
    { code: 'model', problem: 'the models have different names', a: ofA.join(', '), b: ofB.join(', ') },
  ];
};

const lengthRefusal = (
  direction: string,
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
      problem: `mean ${direction} lengths differ by ${exactPercentText(Math.round(off * 1000) / 1000)}, more than ${exactPercentText(LENGTH_DIFFERENCE_MOST)}`,
      a: `${formatThreeDigits(meanA)} tokens`,
      b: `${formatThreeDigits(meanB)} tokens`,
    },
  ];
};

/** Mean over all requests; undefined if a server reported none. */
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
  primary: PrimaryMetric,
): readonly ComparisonRefusal[] => {
  const [ofA, ofB] = [hindered(a, primary), hindered(b, primary)];
  if (ofA.length + ofB.length === 0) return [];
  const hindrances = (affected: readonly Report[], all: readonly Report[]): string =>
    affected.length === 0
      ? 'all segments usable'
      : `${affected.length} of ${counted(all.length, 'segment')}: ${affected[0] === undefined ? '' : hindranceText(affected[0], primary)}`;
  return [
    {
      code: 'client',
      problem: 'this client, and not the server, may have made the figures',
      a: hindrances(ofA, a),
      b: hindrances(ofB, b),
    },
  ];
};

/**
 * Against the median latency, because the client's share is in every figure; and if most of the primary figure itself
 * may come from the client.
 */
export const hindered = (
  reports: readonly Report[],
  { name, marginShare }: PrimaryMetric,
): readonly Report[] =>
  reports.filter(
    report =>
      clientPart(report, name)?.kind === 'not-usable' ||
      isClientInTheWay(report, {
        figureNs: report.series.ttftNs?.percentiles['50'] ?? report.series.latencyNs?.percentiles['50'] ?? 0,
        marginShare,
      }),
  );

const hindranceText = (report: Report, { name }: PrimaryMetric): string => {
  const part = clientPart(report, name);
  return part?.kind === 'not-usable'
    ? figureVerdictText(part)
    : (report.client.reasons[0] ?? 'nobody may vouch for it');
};

const clientPart = (report: Report, name: string): FigureVerdict | undefined =>
  COMPARISON_METRICS.find(row => row.name === name)?.clientPart(report);

const failureRefusal = (a: readonly Report[], b: readonly Report[]): readonly ComparisonRefusal[] => {
  const [ofA, ofB] = [failedShare(a), failedShare(b)];
  if (Math.max(ofA, ofB) <= FAILED_SHARE_MOST) return [];
  const failedText = (share: number): string => `${exactPercentText(Math.round(share * 1000) / 1000)} failed`;
  return [
    {
      code: 'failures',
      problem: `more than ${exactPercentText(FAILED_SHARE_MOST)} of the requests failed`,
      a: failedText(ofA),
      b: failedText(ofB),
    },
  ];
};

const failedShare = (reports: readonly Report[]): number => {
  const failed = reports.reduce((sum, { counts }) => sum + counts.failed, 0);
  const ended = reports.reduce((sum, { counts }) => sum + counts.failed + counts.completed, 0);
  return ended === 0 ? 0 : failed / ended;
};

/** As for finished runs: what spoils both sides is noted next to the figures, and refuses nothing. */
const contaminationRefusal = (a: readonly Report[], b: readonly Report[]): readonly ComparisonRefusal[] => {
  const apart = new Set(
    a.flatMap((ofA, index) => {
      const ofB = b[index];
      return ofB === undefined ? [] : spoiledApart(ofA, ofB);
    }),
  );
  if (apart.size === 0) return [];
  const described = (reports: readonly Report[]): string =>
    [...apart]
      .flatMap(code => {
        const found = reports.filter(report => spoilerCodes(report).has(code)).length;
        return found === 0 ? [] : [`${code} in ${found} of ${counted(reports.length, 'segment')}`];
      })
      .join(', ') || 'nothing';
  return [
    {
      code: 'contamination',
      problem: 'what spoils the figures of one side does not spoil those of the other',
      a: described(a),
      b: described(b),
    },
  ];
};

/** Empty if nothing was checked: runs from several load machines are not checked for contamination. */
const spoilerCodes = (report: Report): ReadonlySet<string> =>
  new Set(knownOr(contaminationOf(report), []).map(({ code }) => code));

const LENGTH_DIFFERENCE_MOST = 0.02;
/** Above this share, fast refusals count as fast answers in every rate. */
const FAILED_SHARE_MOST = 0.05;
