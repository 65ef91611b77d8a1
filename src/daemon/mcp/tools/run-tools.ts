// What load tests found: the runs that are known here, one report, two runs against each other.

import * as v from 'valibot';
import { figureText } from '../../../core/figure/figure.ts';
import type { RunId } from '../../../core/ids.ts';
import { isRunId } from '../../../core/ids.ts';
import { nodeName } from '../../../core/node/node-view.ts';
import { reportVerdict, summaryFigures } from '../../../core/run/report-summary.ts';
import { runView, runViews } from '../../../core/run/run-selectors.ts';
import { isUnknown, knownOr } from '../../../core/unknown.ts';
import { quoted } from '../figure-fields.ts';
import type { McpTool } from '../mcp-tool.ts';
import { McpToolError, mcpTool } from '../mcp-tool.ts';
import { LIMIT } from '../tool-arguments.ts';

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
});

export const listRunsTool: McpTool = mcpTool({
  name: 'list_runs',
  title: 'List runs',
  description: 'Load tests of endpoints, newest first.',
  input: v.object({ limit: LIMIT }),
  output: v.object({ runs: v.array(runSchema), leftOut: v.number() }),
  call: ({ limit }, { state, nowMs }) => {
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
    }));
    return { text: `${all.length} runs.`, structured: { runs, leftOut: all.length - runs.length } };
  },
});

export const runReportTool: McpTool = mcpTool({
  name: 'run_report',
  title: 'Report of a run',
  description:
    "The verdict and the main figures of a finished load test, as its report says them. A run whose client was the limit says so: its figures are not the server's.",
  input: v.object({ run: RUN }),
  output: v.object({
    verdict: v.string(),
    sentence: v.string(),
    reasons: v.array(v.string()),
    figures: v.array(
      v.object({
        name: v.string(),
        value: v.string(),
        isAtLeast: v.boolean(),
        note: v.string(),
      }),
    ),
  }),
  call: async ({ run }, { state, nowMs, runs }) => {
    const view = runView(state, runOf(run), nowMs);
    if (view === undefined) throw new McpToolError('there is no such run: list_runs lists them');
    if (view.isLive) throw new McpToolError('the run goes on: ask again when it has ended');
    const report = await runs?.report(view.run.runId);
    if (report === undefined) throw new McpToolError('its files are not on the machine that answers');
    const verdict = reportVerdict(report);
    return {
      text: 'A finished run.',
      structured: {
        verdict: quoted(verdict.headline),
        sentence: quoted(verdict.sentence),
        reasons: verdict.reasons.map(quoted),
        figures: summaryFigures(report).map(({ name, value, isAtLeast, remark }) => ({
          name,
          value: figureText(value),
          isAtLeast,
          note: quoted(remark),
        })),
      },
    };
  },
});

const runOf = (text: string): RunId => {
  if (isRunId(text)) return text;
  throw new McpToolError('this is no id of a run: list_runs lists them');
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
    'Two finished runs of the answering machine against each other, with intervals. One run each: how runs vary is not known, so the verdict is at most that they differ. What is not comparable is refused with the reason.',
  input: v.object({ a: RUN, b: RUN }),
  output: v.object({
    verdict: v.picklist(['better', 'worse', 'same', 'different', 'undecided', 'not-comparable']),
    sentence: v.string(),
    refusals: v.array(v.string()),
    metrics: v.array(metricSchema),
  }),
  call: async ({ a, b }, { comparisons }) => {
    const result = (await comparisons?.compare(runOf(a), runOf(b))) ?? 'elsewhere';
    if (result === 'elsewhere')
      throw new McpToolError('the files of one of these runs are not on this machine');
    if (result === 'busy')
      throw new McpToolError('too many comparisons wait already: ask again in a few seconds');
    if (result.kind !== 'compared') throw new McpToolError(quoted(result.reason));
    const { verdict, sentence, refusals, metrics } = result.document;
    return {
      text: 'Two runs compared.',
      structured: {
        verdict: verdict.kind,
        sentence: quoted(sentence),
        refusals: refusals.map(({ problem }) => quoted(problem)),
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
