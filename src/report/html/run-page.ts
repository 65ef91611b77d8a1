// The report of a run as one page: the verdict, six figures with explanations, then charts; tables on the second
// page, definitions and settings folded at the end.

import { formatMeasuredNanoseconds, formatNanosecondsTick } from '../../core/figure/duration.ts';
import { counted, figureText, formatThreeDigits } from '../../core/figure/figure.ts';
import { seedText } from '../../core/run/foreign-run.ts';
import { limitsOn } from '../../core/run/objective.ts';
import type { Outage } from '../../core/run/outage.ts';
import { parseObjectives } from '../../core/run/parse-objective.ts';
import type { Report } from '../../core/run/report.ts';
import { isOpenLoop, type RunPattern } from '../../core/run/run-pattern.ts';
import { hasOutputTokens } from '../../core/run/run-rates.ts';
import { headlineSeries, type SeriesKey, seriesRow } from '../../core/run/run-series.ts';
import {
  hasSteps,
  isOfSessions,
  isOfTrace,
  loadLabel,
  nameTexts,
  shapeOf,
} from '../../core/run/run-shape.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import {
  LANE_TITLE,
  laneChart,
  laneQueueRemark,
  laneRemark,
  laneSentence,
  laneTable,
} from '../../render/chart/lane-chart.ts';
import {
  type ChartLimit,
  distribution,
  outputOverTime,
  percentileBands,
  powerOverTime,
  requestsOverTime,
  serverOverTime,
} from '../../render/chart/run-charts.ts';
import { depthSection } from '../../render/run/depth-text.ts';
import { failureSection } from '../../render/run/failure-rows.ts';
import { vouchedPercentile } from '../../render/run/percentile-text.ts';
import {
  reportVerdict,
  summaryFigures,
  summarySentences,
  whyNoFigure,
  windowText,
} from '../../render/run/report-summary.ts';
import { serverTimeSentence } from '../../render/run/server-times.ts';
import { type Markup, markup } from '../../render/text/markup.ts';
import type { TimeSeries } from '../../wire/api/run-answers.ts';
import { reportToJson } from '../../wire/stored-json.ts';
import {
  hostOf,
  pageSection,
  picture,
  reportPage,
  sectionMarkup,
  sixFigures,
  verdictBand,
} from './page-parts.ts';
import type { FontFace } from './page-style.ts';
import { runDetails, runObjectives, runTables, spoiledFigures } from './run-tables.ts';

interface RunPageInput {
  readonly report: Report;
  /** undefined: there are no samples to draw it from. */
  readonly overTime: TimeSeries | undefined;
  readonly fonts: readonly FontFace[];
}

export const runPage = ({ report, overTime, fonts }: RunPageInput): string => {
  const [lead = '', ...rest] = summarySentences(report);
  const title = runTitle(report);
  const failures = failureSection(report);
  return reportPage({
    title: `Run ${report.run.id} · ${title}`,
    fonts,
    head: {
      kind: 'Plimsoll report',
      id: `Run ${report.run.id}`,
      startedAt: report.run.startedAt,
      title,
      subtitle: subtitle(report),
      tags: nameTexts(report.run),
    },
    content: markup`${verdictBand(reportVerdict(report))}${failures && sectionMarkup(failures, 'failures')}${report.counts.completed + report.counts.failed + report.warmup.failed > 0 && report.counts.completed === 0 ? undefined : sixFigures(summaryFigures(report))}
<p class="lead">${rest.length === 0 ? lead : markup`<b>${lead}</b>`}${rest.map(sentence => ` ${sentence}`)}</p>${whereTimeWent(report)}${runObjectives(report)}${spoiledFigures(report)}
${pictures(report, overTime && { ...overTime, outages: outagesOf(report) })}${depthTable(report)}${runTables(report)}${runDetails(report)}`,
    raw: { file: 'report.json', json: reportToJson(report) },
  });
};

const depthTable = (report: Report): Markup | undefined => {
  const section = depthSection(report);
  return section && sectionMarkup(section);
};

/** By the server's own figures, if it has any: the usual question about a long time to first token. */
const whereTimeWent = (report: Report): Markup | undefined => {
  const sentence = serverTimeSentence(report);
  return sentence === undefined ? undefined : markup`<p>${capitalized(sentence)}.</p>`;
};

/** "Qwen3-14B-AWQ on bosun:8000, 8.50 requests a second". */
const runTitle = ({ run }: Report): string => {
  const model = isUnknown(run.model) ? 'Unknown model' : run.model;
  return `${model} on ${hostOf(run.target)}, ${loadTitle(run)}`;
};

/** Sessions in the usual form: "4 sessions at a time". */
const loadTitle = (run: Report['run']): string => {
  if (hasSteps(run.shape)) return counted(shapeOf(run).steps.length, 'stage');
  return isOfSessions(run.shape) || isOfTrace(run.shape) ? loadLabel(run) : loadText(run.pattern);
};

const loadText = (pattern: RunPattern): string => {
  if (isOpenLoop(pattern)) return `${formatThreeDigits(pattern.requestsPerSecond)} requests a second`;
  switch (pattern.kind) {
    case 'concurrency':
      return `${counted(pattern.concurrency, 'request')} at a time`;
    case 'max-throughput':
      return 'as many requests as it takes';
    default:
      return pattern satisfies never;
  }
};

const subtitle = ({ run, series, windowNs }: Report): string => {
  const mean = (key: SeriesKey): string => {
    const value = series[key]?.mean;
    return value === undefined || value === null ? 'unknown' : formatThreeDigits(value);
  };
  const output = hasOutputTokens(run.api) ? `, ${mean('outputTokens')} out` : '';
  return [
    ...(isUnknown(run.serverKind) ? [] : [run.serverKind]),
    `${capitalized(loadLabel(run))}${isUnknown(windowNs) ? '' : ` for ${windowText({ windowNs })}`}${seedText(run)}`,
    ...(isUnknown(windowNs) ? [] : [`${mean('inputTokens')} tokens in${output}, mean`]),
  ].join(' · ');
};

const outagesOf = ({ failures }: Report): readonly Outage[] => (isUnknown(failures) ? [] : failures.outages);

type DrawnSeries = TimeSeries & { readonly outages: readonly Outage[] };

const pictures = (report: Report, overTime: DrawnSeries | undefined): Markup => {
  const key = headlineSeries({ isStreaming: report.run.streaming });
  const tooShort = overTime === undefined ? 'There are no samples to draw it from.' : TOO_SHORT;
  const step = overTime === undefined ? '' : figureText(formatMeasuredNanoseconds(overTime.stepMs * 1e6));
  const name = capitalized(seriesRow(key).label);
  return markup`${pageSection({
    title: name,
    remark: overTime === undefined ? '' : `over the run, each ${step}, by time of the end`,
    content: picture(
      overTime &&
        percentileBands(overTime, limitsOf(report, key), {
          ...WHOLE,
          name: `${name} over time, as percentile bands`,
        }),
      tooShort,
    ),
  })}<div class="two">${distributionPart(report, key)}${pageSection({
    title: 'Output and requests in flight',
    content: picture(
      overTime &&
        outputOverTime(overTime, {
          ...HALF,
          name: 'Output tokens a second and requests in flight over time',
        }),
      tooShort,
    ),
  })}</div><div class="two next-page">${report.run.streaming ? distributionPart(report, 'latencyNs') : undefined}${pageSection(
    {
      title: 'Requests',
      content: picture(
        overTime && requestsOverTime(overTime, { ...HALF, name: 'Completed requests a second over time' }),
        tooShort,
      ),
    },
  )}</div>${lanesPart(report, overTime)}${serverPart(overTime)}${powerPart(overTime)}`;
};

const lanesPart = (report: Report, overTime: DrawnSeries | undefined): Markup | undefined => {
  const requests = overTime?.requests;
  if (requests === undefined) return undefined;
  const isStreaming = report.run.streaming;
  const drawn = laneChart(requests, { ...LANES, name: laneSentence(requests, isStreaming), isStreaming });
  if (drawn === undefined) return undefined;
  const queue = laneQueueRemark(requests);
  return sectionMarkup(
    {
      key: 'lanes',
      title: LANE_TITLE,
      note: laneRemark(requests),
      tables: [laneTable(requests, isStreaming)],
      remarks: queue === '' ? [] : [queue],
    },
    '',
    picture(drawn, ''),
  );
};

const serverPart = (overTime: DrawnSeries | undefined): Markup | undefined => {
  const drawn =
    overTime && serverOverTime(overTime, { ...WHOLE, name: 'The server over time, by its own metrics' });
  return drawn === undefined
    ? undefined
    : pageSection({
        title: 'Server',
        remark: 'by its own metrics, of all its clients',
        content: drawn,
      });
};

const powerPart = (overTime: DrawnSeries | undefined): Markup | undefined => {
  const drawn =
    overTime &&
    powerOverTime(overTime, { ...WHOLE, name: 'Power of the node beside output tokens a second' });
  return drawn === undefined
    ? undefined
    : pageSection({ title: 'Power', remark: 'by the sensors of the node that was loaded', content: drawn });
};

const distributionPart = (report: Report, key: SeriesKey): Markup => {
  const series = report.series[key];
  const { shortLabel, label } = seriesRow(key);
  const percentiles = Object.fromEntries(
    ['50', '90', '99'].flatMap(name => {
      const vouched = vouchedPercentile(series, name);
      return vouched.kind === 'value' ? [[name, vouched.value]] : [];
    }),
  );
  return pageSection({
    title: `${capitalized(shortLabel)} distribution`,
    remark: `${counted(series?.count ?? 0, 'request')}, log scale`,
    content: picture(
      distribution(
        { buckets: series?.histogram ?? [], percentiles, limitNs: limitsOf(report, key)[0]?.limitNs },
        { ...HALF, name: `Distribution of ${label}` },
      ),
      series === undefined || series.count === 0
        ? `${capitalized(whyNoFigure({ completed: report.counts.completed, perUser: report.perUserTokensPerSecond.p50 }, key))}.`
        : 'All values are the same.',
    ),
  });
};

/** Limits for each request, and for the run as a whole, in this series. */
const limitsOf = ({ objectives = [], objectiveAnswers }: Report, key: SeriesKey): readonly ChartLimit[] => {
  const requested = knownOr(objectiveAnswers, []).flatMap(({ objective }) => {
    const parsed = parseObjectives(objective);
    return parsed.kind === 'ok' ? parsed.value : [];
  });
  const runObjectives = requested.filter(objective => objective.kind !== 'request');
  return limitsOn({ objectives, runObjectives }, key).map(({ name, limitNs }) => ({
    limitNs,
    label: `${name} ≤ ${formatNanosecondsTick(limitNs)}`,
  }));
};

const TOO_SHORT = 'The run was too short for a picture over time.';
const WHOLE = { width: 748, height: 196 } as const;
const LANES = { width: 748, height: 320 } as const;
const HALF = { width: 358, height: 150 } as const;
