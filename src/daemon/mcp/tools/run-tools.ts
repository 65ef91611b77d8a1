// What load tests found: the runs that are known here, one report, two runs against each other.

import * as v from 'valibot';
import { counted, figureText } from '../../../core/figure/figure.ts';
import { isRunId, type RunId } from '../../../core/ids.ts';
import { nodeName } from '../../../core/node/node-view.ts';
import { adviceContext, failureAdvice } from '../../../core/run/failure-advice.ts';
import { NO_FAILURES } from '../../../core/run/failure-groups.ts';
import { failureSentence } from '../../../core/run/failure-text.ts';
import type { Report } from '../../../core/run/report.ts';
import type { Run } from '../../../core/run/run.ts';
import { rateRow } from '../../../core/run/run-rates.ts';
import { runView, runViews } from '../../../core/run/run-selectors.ts';
import { seriesOf, seriesRow } from '../../../core/run/run-series.ts';
import { partedSentence, textsIn } from '../../../core/text/sentence.ts';
import { isUnknown, knownOr, unknown } from '../../../core/unknown.ts';
import { intervalText, vouchedPercentile } from '../../../render/run/percentile-text.ts';
import { reportVerdict, summaryFigures } from '../../../render/run/report-summary.ts';
import {
  quoted,
  type ReportedFigure,
  type ReportedSentence,
  reportedFigureOf,
  reportedFigureSchema,
  reportedSentence,
  reportedSentenceSchema,
  unknownFigure,
} from '../figure-fields.ts';
import { type McpTool, McpToolError, mcpTool } from '../mcp-tool.ts';
import { limitFrom } from '../tool-arguments.ts';

const RUN = v.pipe(v.string(), v.maxLength(64), v.description('The id of a run: list_runs lists them.'));

const runSchema = v.object({
  runId: v.string(),
  startedAt: v.string(),
  node: v.string(),
  target: v.string(),
  model: v.string(),
  name: v.string(),
  state: v.picklist(['running', 'complete', 'incomplete', 'interrupted', 'failed']),
  reason: v.string(),
  ttftP50: reportedFigureSchema,
  output: v.pipe(reportedFigureSchema, v.description('Tokens of output, all requests together.')),
  requests: reportedFigureSchema,
});

export const listRunsTool: McpTool = mcpTool({
  name: 'list_runs',
  title: 'List runs',
  description:
    'Load tests of endpoints, newest first, with their main figures once they have ended. Ages are those of their beginning.',
  input: v.object({ limit: limitFrom(6) }),
  output: v.object({ runs: v.array(runSchema), leftOut: v.number() }),
  call: ({ limit }, { state, nowMs, wallMs }) => {
    const all = runViews(state, nowMs);
    const runs = all.slice(0, limit).map(({ run, node, state: shown, reason }) => ({
      runId: run.runId,
      startedAt: run.startedAt,
      node: quoted(nodeName(state, node)),
      target: quoted(run.target),
      model: quoted(knownOr(run.model, '')),
      name: quoted(knownOr(run.runName, '')),
      state: shown,
      reason: quoted(reason),
      ...digestFigures(run, wallMs),
    }));
    return {
      text: `${counted(all.length, 'run')}.`,
      structured: { runs, leftOut: all.length - runs.length },
    };
  },
});

/** The figures of a finished run that its node published to the cluster. */
const digestFigures = (
  { figures, pattern, startedAt }: Run,
  wallMs: number,
): Readonly<Record<'ttftP50' | 'output' | 'requests', ReportedFigure>> => {
  if (isUnknown(figures))
    return {
      ttftP50: unknownFigure('ns', figures.reason),
      output: unknownFigure('tok/s', figures.reason),
      requests: unknownFigure('req/s', figures.reason),
    };
  const origin = originOf({ pattern, startedAt }, wallMs);
  const ttft = figures.series.ttftNs?.percentiles['50'] ?? unknown('no first token was seen');
  return {
    ttftP50: reportedFigureOf(ttft, { unit: 'ns', ...origin }),
    output: reportedFigureOf(figures.outputTokensPerSecond, { unit: 'tok/s', ...origin }),
    requests: reportedFigureOf(figures.requestsPerSecond, { unit: 'req/s', ...origin }),
  };
};

const originOf = ({ pattern, startedAt }: Pick<Run, 'pattern' | 'startedAt'>, wallMs: number) => ({
  ageMs: Math.max(0, wallMs - Date.parse(startedAt)),
  method: `load test with ${pattern.kind} load`,
});

export const runReportTool: McpTool = mcpTool({
  name: 'run_report',
  title: 'Report of a run',
  description:
    "The verdict and the main figures of a finished load test, from its report. If the client was the limit, the verdict states it: the figures are then not the server's.",
  input: v.object({ run: RUN }),
  output: v.object({
    verdict: reportedSentenceSchema,
    sentence: reportedSentenceSchema,
    reasons: v.array(reportedSentenceSchema),
    figures: v.pipe(
      v.array(
        v.object({
          name: v.string(),
          value: v.string(),
          isAtLeast: v.boolean(),
          note: reportedSentenceSchema,
        }),
      ),
      v.description('Formatted for a person.'),
    ),
    measured: v.pipe(
      v.array(v.object({ name: v.string(), figure: reportedFigureSchema })),
      v.description('Numbers for calculation. The age is that of the start of the run.'),
    ),
  }),
  call: async ({ run }, { state, nowMs, wallMs, runs }) => {
    const view = runView(state, runOf(run), nowMs);
    if (view === undefined) throw new McpToolError('there is no such run: list_runs lists them');
    if (view.isLive) throw new McpToolError('the run is in progress: try again when it has ended');
    const report = await runs?.report(view.run.runId);
    if (report === undefined) throw new McpToolError('its files are not on the answering machine');
    const verdict = reportVerdict(report);
    const names = [...textsIn(report.run), ...textsIn(report.failures)];
    const reported = (text: string): ReportedSentence => reportedSentence(partedSentence(text, names));
    return {
      text: 'A finished run.',
      structured: {
        verdict: reported(verdict.headline),
        sentence: reported(verdict.sentence),
        reasons: [...verdict.reasons, ...failureReasons(report)].map(reported),
        figures: summaryFigures(report).map(({ name, value, isAtLeast, remark }) => ({
          name,
          value: figureText(value),
          isAtLeast,
          note: reported(remark),
        })),
        measured: measuredFigures(report, wallMs),
      },
    };
  },
});

/** Each cause of failures with what to do. */
const failureReasons = (report: Report): readonly string[] =>
  knownOr(report.failures, NO_FAILURES).groups.map(group => {
    const advice = failureAdvice(group, adviceContext(report));
    return `${failureSentence(group)}${advice === '' ? '' : ` → ${advice}`}`;
  });

const measuredFigures = (
  report: Report,
  wallMs: number,
): { readonly name: string; readonly figure: ReportedFigure }[] => {
  const origin = originOf(report.run, wallMs);
  const percentiles = seriesOf('headline').flatMap(key => {
    const series = report.series[key];
    const { shortLabel, unit } = seriesRow(key);
    return series === undefined || series.count === 0
      ? []
      : PERCENTILES.map(percentile => {
          const vouched = vouchedPercentile(series, percentile);
          const figure =
            vouched.kind === 'value'
              ? reportedFigureOf(vouched.value, { unit, ...origin })
              : vouched.kind === 'interval'
                ? reportedFigureOf(vouched.value, {
                    unit,
                    ...origin,
                    method: `${origin.method}, of few requests ${intervalText(unit, vouched)}`,
                  })
                : unknownFigure(unit, 'too few requests');
          return { name: `${shortLabel} p${percentile}`, figure };
        });
  });
  const rates = RATES.map(key => {
    const { shortLabel, unit } = rateRow(key);
    return { name: shortLabel, figure: reportedFigureOf(report[key], { unit, ...origin }) };
  });
  return [...percentiles, ...rates];
};

const PERCENTILES = ['50', '90', '99'] as const;
const RATES = ['outputTokensPerSecond', 'requestsPerSecond'] as const;

const runOf = (text: string): RunId => {
  if (isRunId(text)) return text;
  throw new McpToolError('this is not the id of a run: list_runs lists them');
};

const share = (value: number): number => Math.round(value * 10_000) / 10_000;

const metricSchema = v.object({
  metric: v.string(),
  verdict: v.picklist(['better', 'worse', 'same', 'different', 'undecided', 'not-comparable']),
  ratio: v.pipe(v.nullable(v.number()), v.description('B ÷ A.')),
  low: v.nullable(v.number()),
  high: v.nullable(v.number()),
  reason: v.string(),
});

export const compareRunsTool: McpTool = mcpTool({
  name: 'compare_runs',
  title: 'Compare two runs',
  description:
    'Two finished runs of the answering machine against each other, with intervals. One run each: the variation between runs is not known, so the verdict is at most that they differ. Runs that are not comparable are refused with the reason.',
  input: v.object({ a: RUN, b: RUN }),
  output: v.object({
    verdict: v.picklist(['better', 'worse', 'same', 'different', 'undecided', 'not-comparable']),
    sentence: reportedSentenceSchema,
    refusals: v.array(reportedSentenceSchema),
    metrics: v.array(metricSchema),
  }),
  call: async ({ a, b }, { comparisons }) => {
    const result = (await comparisons?.compare(runOf(a), runOf(b))) ?? 'elsewhere';
    if (result === 'elsewhere')
      throw new McpToolError('the files of one of these runs are not on this machine');
    if (result === 'busy')
      throw new McpToolError('too many comparisons are waiting: try again in a few seconds');
    if (result.kind !== 'compared') throw new McpToolError(quoted(result.reason));
    const { verdict, sentence, refusals, metrics, a: one, b: other } = result.document;
    const names = textsIn([one, other]);
    const reported = (text: string): ReportedSentence => reportedSentence(partedSentence(text, names));
    return {
      text: 'Two runs compared.',
      structured: {
        verdict: verdict.kind,
        sentence: reported(sentence),
        refusals: refusals.map(({ problem }) => reported(problem)),
        metrics: metrics.map(({ name, verdict: each, ratio }) => ({
          metric: name,
          verdict: each.kind,
          ratio: isUnknown(ratio) ? null : share(ratio.value),
          low: isUnknown(ratio) ? null : share(ratio.low),
          high: isUnknown(ratio) ? null : share(ratio.high),
          reason: isUnknown(ratio) ? quoted(ratio.reason) : '',
        })),
      },
    };
  },
});
