// What a person looks for first in a report, made once for every form of it: whether it is trustworthy, six
// figures, and a sentence about them. Reasons not to trust a run come first; a figure that is a lower limit
// is marked as such.

import { formatClock, formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import {
  counted,
  type Figure,
  figureText,
  formatCount,
  formatThreeDigits,
  ofCount,
  UNKNOWN_FIGURE,
} from '../../core/figure/figure.ts';
import { spoiling } from '../../core/run/contamination.ts';
import {
  failureHeadline,
  failureHeadlineText,
  failureLabel,
  withLastSuccess,
} from '../../core/run/failure-text.ts';
import { foreignLabel, foreignSentence } from '../../core/run/foreign-run.ts';
import { lostHistoryHeadline } from '../../core/run/lost-history.ts';
import { failureKindRows } from '../../core/run/outcome.ts';
import { rateBoundText } from '../../core/run/rate-bounds.ts';
import type { Report, ReportSeries } from '../../core/run/report.ts';
import { runDigest, stateOf } from '../../core/run/run-digest.ts';
import { type HeadlineRateKey, RUN_RATES, rateRow } from '../../core/run/run-rates.ts';
import { headlineSeries, type SeriesKey, seriesRow } from '../../core/run/run-series.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isKnown, isUnknown, knownOr, type Reported } from '../../core/unknown.ts';
import { formatRunFigure } from './format-run-figure.ts';
import { objectiveSentence } from './objective-labels.ts';
import { percentileText, TOO_FEW, vouchedPercentile } from './percentile-text.ts';
import { type VerdictLabel, verdictLabel } from './verdict-text.ts';

interface ReportVerdict {
  /** bad: no figure means what its name claims, because requests failed. */
  readonly tone: VerdictLabel['tone'] | 'bad';
  /** "Trustworthy within 0.4 ms, complete", "Interrupted", "Client-bound". */
  readonly headline: string;
  readonly sentence: string;
  /** Reasons not to trust it, most serious first. */
  readonly reasons: readonly string[];
  /** Whether rates, and counts, are only lower limits. */
  readonly atLeast: { readonly rates: boolean; readonly counts: boolean };
}

export const reportVerdict = (report: Report): ReportVerdict => {
  const { client, counts } = report;
  const failed = failureHeadline(report);
  const lost = lostHistoryHeadline(report);
  const digest = runDigest(report);
  const verdict = verdictLabel(digest.client, stateOf(report), digest.series);
  const isBound = client.verdict === 'client-bound';
  const isWhole = report.complete && !report.interrupted;
  // Lost records and a client that is the limit make rates too low; an end in which nothing succeeded makes
  // them too high.
  const areRatesAtLeast =
    (isBound || report.droppedEvents > 0) &&
    knownOr(report.failures, undefined)?.unsuccessfulEnd === undefined;
  // A rule that ends a run loses nothing that was sent.
  const isCounted = isWhole || (report.stopped !== undefined && report.runProblems.length === 1);
  const reasons = [
    ...(isWhole ? [] : [report.incompleteReason ?? 'something is missing']),
    ...(client.verdict === 'trustworthy' ||
    (client.verdict === 'unknown' && counts.completed === 0 && counts.failed > 0)
      ? []
      : client.reasons),
    ...(lost !== undefined && isBound ? [lost] : []),
  ];
  const { foreign } = report.run;
  if (foreign !== undefined)
    return {
      tone: 'open',
      headline: `From ${foreignLabel(foreign)}, no verdict`,
      sentence: `${foreignSentence(foreign)}.`,
      reasons: isWhole ? [] : reasons,
      atLeast: { rates: false, counts: !isWhole },
    };
  if (report.stopped !== undefined)
    return {
      tone: 'bad',
      headline: `Stopped: ${report.stopped.problem}`,
      sentence: report.stopped.advice,
      reasons: isBound && !isStoppedUnmeasured(report) ? client.reasons : [],
      atLeast: { rates: areRatesAtLeast, counts: !isCounted },
    };
  if (failed !== undefined)
    return {
      tone: failed.isGrave ? 'bad' : 'caution',
      headline: isWhole ? failureHeadlineText(failed) : `${failureHeadlineText(failed)}. ${verdict.label}`,
      sentence: ofCompleted(report, verdict),
      reasons,
      atLeast: { rates: areRatesAtLeast, counts: !isWhole },
    };
  if (lost !== undefined && !isBound)
    return {
      tone: 'bad',
      headline: isWhole ? lost : `${lost}. ${verdict.label}`,
      sentence: ofCompleted(report, verdict),
      reasons,
      atLeast: { rates: report.droppedEvents > 0, counts: !isCounted },
    };
  return {
    tone: verdict.tone,
    headline: verdict.tone === 'good' ? `${verdict.label}, complete` : verdict.label,
    sentence:
      verdict.tone === 'good'
        ? 'The load generator was not the limit, no record was lost, and every request has an outcome.'
        : verdict.remark,
    reasons,
    atLeast: { rates: areRatesAtLeast, counts: !isCounted },
  };
};

/** Nothing was measured that the client could have affected. */
export const isStoppedUnmeasured = ({ stopped, counts }: Report): boolean =>
  stopped !== undefined && counts.completed === 0;

/** The verdict on the rest: the client is not the cause of the server's failures. */
const ofCompleted = ({ counts }: Report, { remark, label }: VerdictLabel): string =>
  counts.completed === 0
    ? 'No request completed, so there are no figures of latency and throughput.'
    : `Figures are those of the ${counted(counts.completed, 'request')} that completed. ${label}: ${remark.charAt(0).toLowerCase()}${remark.slice(1)}`;

export interface SummaryFigure {
  readonly name: string;
  readonly value: Figure;
  readonly isAtLeast: boolean;
  /** Marked by the findings next to the figures. */
  readonly isSpoiled: boolean;
  readonly remark: string;
}

/** "8 HTTP 401", "3 timeout", "2 other", most frequent first; by kind if they are not grouped. */
const failureShort = ({ failures, ...report }: Report): readonly string[] => {
  const counts = new Map<string, number>();
  if (isUnknown(failures)) for (const [kind, count] of failureKindRows(report)) counts.set(kind, count);
  else
    for (const group of failures.groups) {
      const label = failureLabel(group);
      counts.set(label, (counts.get(label) ?? 0) + group.count);
    }
  const sorted = [...counts].filter(([, count]) => count > 0).toSorted(([, a], [, b]) => b - a);
  const ungrouped = isUnknown(failures) ? 0 : (failures.others?.count ?? 0);
  const isAllShown = ungrouped === 0 && sorted.length <= FAILURES_SHOWN_MAX;
  const shown = isAllShown ? sorted : sorted.slice(0, FAILURES_SHOWN_MAX - 1);
  const others = sorted.slice(shown.length).reduce((sum, [, count]) => sum + count, ungrouped);
  return [...shown, ...(others === 0 ? [] : [['other', others] as const])].map(
    ([label, count]) => `${formatCount(count)} ${label}`,
  );
};

const FAILURES_SHOWN_MAX = 3;

/** The six figures at the top of a report. */
export const summaryFigures = (report: Report): readonly SummaryFigure[] => {
  const { rates, counts: areCountsAtLeast } = reportVerdict(report).atLeast;
  const { counts, run } = report;
  const failures = failureShort(report);
  const requested = 'requestsPerSecond' in run.pattern ? run.pattern.requestsPerSecond : undefined;
  return [
    percentileFigure(report, headlineSeries({ isStreaming: run.streaming })),
    run.streaming
      ? percentileFigure(report, 'tpotNs', userRemark(report.perUserTokensPerSecond.p50))
      : rateFigure(report, 'windowNs', { isAtLeast: false, remark: 'first request to last reply' }),
    report.documentsPerSecond === undefined
      ? rateFigure(report, 'outputTokensPerSecond', {
          isAtLeast: rates,
          remark: meanRemark(report.series.outputTokens, 'tokens'),
        })
      : {
          name: RUN_RATES.documentsPerSecond.shortLabel,
          isSpoiled: spoiling(report, 'requestsPerSecond').length > 0,
          ...shownValue(report.documentsPerSecond, value => formatRunFigure('doc/s', value), {
            isAtLeast: rates,
            remark: meanRemark(report.series.rankedDocuments, 'documents'),
          }),
        },
    rateFigure(report, 'requestsPerSecond', {
      isAtLeast: rates,
      remark:
        requested === undefined ? `over ${windowText(report)}` : `${formatThreeDigits(requested)} requested`,
    }),
    report.goodput === undefined
      ? percentileFigure(report, run.streaming ? 'latencyNs' : 'firstByteNs')
      : {
          name: 'Goodput',
          isSpoiled: spoiling(report, 'requestsPerSecond').length > 0,
          ...shownValue(report.goodput, value => formatRunFigure('req/s', value), {
            isAtLeast: rates,
            remark: withLastSuccess('requests that meet every objective', report.failures),
          }),
        },
    {
      name: 'Failed',
      value: { figure: formatCount(counts.failed), unit: `of ${formatCount(counts.issued)}` },
      isAtLeast: areCountsAtLeast && counts.failed > 0,
      isSpoiled: false,
      remark:
        failures.length === 0
          ? `${formatCount(counts.completed)} completed`
          : `${percentText(counts.failed / Math.max(1, counts.issued))}: ${failures.join(', ')}`,
    },
  ];
};

/** Whether enough requests were sent to know how late the latest hundredth of them was. */
export const isSendTailReported = ({ series }: Report): boolean =>
  !['too-few', 'interval'].includes(vouchedPercentile(series.sendLatenessNs, '99').kind);

/** The meaning of the figures, most important first: objectives, then how long people waited. */
export const summarySentences = (report: Report): readonly string[] => {
  const objectives = answerSentences(report);
  const key = headlineSeries({ isStreaming: report.run.streaming });
  const series = report.series[key];
  const median = series?.percentiles['50'];
  if (series === undefined || median === undefined)
    return [...objectives, `${capitalized(whyNoSeries(report, key))}.`];
  const tail = ['99', '95', '90'].find(each => vouchedPercentile(series, each).kind === 'value');
  const what = key === 'ttftNs' ? 'of the first tokens arrived' : 'of the requests were answered';
  const half = `Half ${what} within ${percentileText(series, '50')}`;
  const slowest = `the slowest after ${figureText(formatMeasuredNanoseconds(series.max ?? median))}`;
  return [
    ...objectives,
    tail === undefined
      ? `${half}, ${slowest}; ${counted(series.count, 'request')} ${ofCount(series.count, 'is', 'are')} too few for other percentiles.`
      : `${half}, ${tail}\u202f% within ${percentileText(series, tail)}, and ${slowest}.`,
  ];
};

const answerSentences = ({ objectiveAnswers }: Report): readonly string[] =>
  (['missed', 'too-few-samples', 'met'] as const).flatMap(wanted => {
    const found = knownOr(objectiveAnswers, [])
      .filter(({ answer }) => answer === wanted)
      .map(({ objective }) => objective);
    return found.length === 0 ? [] : [`${ANSWERS[wanted]} ${found.join(', and ')}.`];
  });

const ANSWERS = {
  missed: 'It missed',
  'too-few-samples': 'Too few requests to decide whether it met',
  met: 'It met',
} as const;

/** One line for each objective; from a version that judged none, how many requests met it. */
export const objectiveLines = ({ objectiveAnswers, objectives = [] }: Report): readonly string[] => {
  const answers = knownOr(objectiveAnswers, []);
  return answers.length > 0
    ? answers.map(objectiveSentence)
    : objectives.map(
        ({ name, limitNs, metSamples, samples }) =>
          `${name} ≤ ${figureText(formatMeasuredNanoseconds(limitNs))}: met by ${formatCount(metSamples)} of ${counted(samples, 'request')}`,
      );
};

export const windowText = ({ windowNs }: Pick<Report, 'windowNs'>): string =>
  isUnknown(windowNs)
    ? 'no time'
    : windowNs < 120e9
      ? figureText(formatMeasuredNanoseconds(windowNs))
      : `${formatClock(windowNs / 1e6)} min`;

/** Never 100 % or 0 % unless it is all or none: "99.98 %", "0.01 %". */
export const percentText = (share: number): string => {
  const percent = share * 100;
  const rounded = Number(percent.toFixed(2));
  const kept = percent > 0 && percent < 100 ? Math.min(Math.max(rounded, 0.01), 99.99) : rounded;
  return `${kept}\u202f%`;
};

const percentileFigure = (report: Report, key: SeriesKey, remark?: string): SummaryFigure => {
  const series = report.series[key];
  const { shortLabel, unit } = seriesRow(key);
  const median = series?.percentiles['50'];
  const tails = ['90', '99'].map(each =>
    vouchedPercentile(series, each).kind === 'too-few'
      ? `p${each}: ${TOO_FEW}`
      : `p${each} ${percentileText(series, each)}`,
  );
  return {
    name: `${capitalized(shortLabel)} p50`,
    value: median === undefined ? UNKNOWN_FIGURE : formatRunFigure(unit, median),
    isAtLeast: false,
    isSpoiled: spoiling(report, key).length > 0,
    remark: median === undefined ? whyNoSeries(report, key) : (remark ?? tails.join(' · ')),
  };
};

const whyNoSeries = ({ counts, perUserTokensPerSecond: { p50 } }: Report, key: SeriesKey): string =>
  whyNoFigure({ completed: counts.completed, perUser: p50 }, key);

/** Requests may have completed without a figure: without usage, times per token are unknown. */
export const whyNoFigure = (
  { completed, perUser }: { readonly completed: number; readonly perUser: Reported<number> },
  key: SeriesKey,
): string => {
  if (completed === 0) return 'no request completed';
  return key === 'tpotNs' && isUnknown(perUser)
    ? perUser.reason
    : `no completed request has ${aOrAn(seriesRow(key).label)}`;
};

/** For a table of series without rows. */
export const whyNoRow = ({ counts }: Pick<Report, 'counts'>): string =>
  counts.completed === 0 ? 'no request completed' : 'no completed request has such a figure';

const aOrAn = (label: string): string => `${/^[aeiou]/.test(label) ? 'an' : 'a'} ${label}`;

interface RateText {
  readonly isAtLeast: boolean;
  readonly remark: string;
}

const rateFigure = (
  report: Report,
  key: Exclude<HeadlineRateKey, 'perUserTokensPerSecond'>,
  rate: RateText,
): SummaryFigure => {
  const remark = withLastSuccess(rate.remark, report.failures);
  const { shortLabel, unit } = rateRow(key);
  const isSpoiled = spoiling(report, key).length > 0;
  return {
    name: shortLabel,
    isSpoiled,
    ...shownValue(report[key], known => formatRunFigure(unit, known), {
      ...rate,
      remark: [remark, key === 'windowNs' ? '' : rateBoundText(report.rateBounds, key)]
        .filter(each => each !== '')
        .join(', '),
    }),
  };
};

/** The reason replaces the remark. */
const shownValue = (
  value: Reported<number>,
  format: (value: number) => Figure,
  { isAtLeast, remark }: RateText,
): Omit<SummaryFigure, 'name' | 'isSpoiled'> =>
  isUnknown(value)
    ? { value: UNKNOWN_FIGURE, isAtLeast: false, remark: value.reason }
    : { value: format(value), isAtLeast, remark };

const userRemark = (rate: Reported<number>): string =>
  isKnown(rate) ? `${formatThreeDigits(rate)} tok/s for one user` : rate.reason;

const meanRemark = (series: ReportSeries | undefined, what: string): string =>
  series?.mean === undefined || series.mean === null
    ? 'for all users together'
    : `${formatThreeDigits(series.mean)} ${what} a request, mean`;
