// Rates, windows, goodput and the plateau by METRICS §4.

import { describe, expect, test } from 'vitest';
import { benchExit } from '../../src/cli/commands/bench.ts';
import { recordOf } from '../../src/core/record-of.ts';
import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import { NO_FIGURE, REPLY_COUNT_KEYS } from '../../src/core/run/event-record.ts';
import { failureHeadline } from '../../src/core/run/failure-text.ts';
import type { RequestLimit } from '../../src/core/run/objective.ts';
import type { Report, ReportRun } from '../../src/core/run/report.ts';
import { RATE_KEYS } from '../../src/core/run/run-rates.ts';
import { unknown } from '../../src/core/unknown.ts';
import { buildReport, type ReportInput } from '../../src/metrics/build-report.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';
import { rateSection } from '../../src/render/run/outcome-rows.ts';
import { reportVerdict, summaryFigures } from '../../src/render/run/report-summary.ts';
import { renderReport } from '../../src/render/run/text-report.ts';
import { runPage } from '../../src/report/html/run-page.ts';
import { runMarkdown } from '../../src/report/markdown/run-markdown.ts';
import { reportToJson } from '../../src/wire/stored-json.ts';
import { runConfig } from '../support/run-records.ts';

const sample = (
  sampleId: number,
  sentNs: number,
  endNs: number,
  more: Partial<EndedSample> = {},
): EndedSample => ({
  sampleId,
  window: 0,
  intendedNs: sentNs,
  sentNs,
  connectNs: 0,
  heldBackNs: 0,
  firstByteNs: sentNs,
  firstContentNs: sentNs,
  firstAnswerNs: NO_FIGURE,
  chunkGapsNs: [],
  chunkCount: 1,
  endNs,
  outcome: 'completed',
  failure: undefined,
  inputTokens: 3,
  outputTokens: 1,
  finishReason: 'stop',
  bytesSent: 0,
  bytesReceived: 0,
  ...more,
});

const failure = (sampleId: number, sentNs: number, endNs: number): EndedSample =>
  sample(sampleId, sentNs, endNs, {
    outcome: 'failed',
    failure: { kind: 'reset', statusCode: 0, detail: '' },
  });

interface Made extends Partial<Omit<ReportInput, 'config' | 'snapshot'>> {
  readonly run?: Partial<ReportRun>;
  readonly objectives?: readonly RequestLimit[];
}

const reportOf = (samples: readonly EndedSample[], { run, objectives = [], ...more }: Made = {}): Report => {
  const config = { ...runConfig(run), objectives };
  const metrics = new RunMetrics({
    pattern: config.run.pattern,
    isStreaming: config.run.streaming,
    objectives,
  });
  for (const one of samples) {
    metrics.issued(one);
    metrics.ended(one);
  }
  return buildReport({
    config,
    snapshot: {
      seq: 1,
      timestampNs: 0,
      state: 'complete',
      pendingTasks: 0,
      metrics: metrics.final(),
      ...metrics.failures(),
    },
    source: 'complete-message',
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: [],
    ...more,
  });
};

describe('the rates of a run in which nothing succeeded at the end', () => {
  const S = 1e9;
  const samples = [
    ...Array.from({ length: 50 }, (_, at) => sample(at, (at * S) / 10, ((at + 1) * S) / 10)),
    ...[5, 6, 7, 8, 9, 10].map(at => failure(100 + at, at * S, (at + 0.1) * S)),
  ];
  const made = reportOf(samples);
  /** A client that was the limit, too: without the failures the report would begin with it. */
  const report: Report = { ...made, client: { ...made.client, verdict: 'client-bound', reasons: ['slow'] } };

  test('are those of its window, with the part that they leave out in the report', () => {
    expect(report.requestsPerSecond).toBe(10);
    expect(JSON.parse(reportToJson(report))).toMatchObject({
      windowNs: 5 * S,
      failures: { unsuccessfulEnd: { fromNs: 5 * S, toNs: 10 * S } },
    });
  });

  test('are not called a lower bound, and are marked in the text, the page and Markdown', async () => {
    const text = renderReport(report, { isUnicode: true, isFull: false }).join('\n');
    const markdown = runMarkdown(report);
    const page = await runPage({ report, overTime: undefined, fonts: [] });
    for (const view of [text, markdown, page]) {
      expect(view).toMatch(/until the last success at 0:05/);
      expect(view).not.toMatch(/at least/);
    }
    expect(text).toMatch(/Requests\s+10\.0\sreq\/s\s+over 5\.00\ss, until the last success at 0:05/);
    const sentence = 'Nothing succeeded from 0:05 to 0:10: the rates are those of the time before.';
    for (const view of [renderReport(report, { isUnicode: true, isFull: true }).join('\n'), markdown, page])
      expect(view).toContain(sentence);
  });

  test('come after that, which is before the reasons of the client, and the run has failed', () => {
    expect(failureHeadline(report)).toMatchObject({
      lead: 'Nothing succeeded after 0:05',
      short: 'all failed after 0:05',
      isGrave: true,
    });
    expect(reportVerdict(report)).toMatchObject({
      tone: 'bad',
      headline: expect.stringMatching(/^Nothing succeeded after 0:05; 11\s% of 56 requests failed/),
      reasons: ['slow'],
    });
    const demands = { maxFailures: 100, needsTrustworthy: true, diskProblems: [] };
    expect(benchExit(report, demands)).toBe('benchFailures');
  });
});

describe('the window', () => {
  test('reaches from the first sent sample to the last completed end, failures notwithstanding', () => {
    const report = reportOf([failure(1, 1_000, 9_000), sample(2, 2_000, 5_000), sample(3, 4_000, 6_000)]);
    expect(report.windowNs).toBe(5_000);
    expect(report.requestsPerSecond).toBe(2e9 / 5_000);
    expect(report.outputTokensPerSecond).toBe(2e9 / 5_000);
    expect(report.totalTokensPerSecond).toBe(8e9 / 5_000);
  });

  test('without a completed sample makes every rate unknown, with the reason', () => {
    const report = reportOf([failure(1, 0, 5)]);
    for (const figure of [report.windowNs, report.requestsPerSecond, report.outputTokensPerSecond])
      expect(figure).toEqual({ kind: 'unknown', reason: 'no request completed' });
    expect(report.series['latencyNs']).toMatchObject({ count: 0, failureAdjusted: { '50': null } });
  });

  test('has no token rate when a server reported usage for only some', () => {
    const report = reportOf([sample(1, 0, 5), sample(2, 0, 9, { outputTokens: NO_FIGURE })]);
    expect(report.outputTokensPerSecond).toEqual({
      kind: 'unknown',
      reason: "the server's usage was missing for 1 of 2 samples",
    });
    expect(report.inputTokensPerSecond).toBe(6e9 / 9);
    expect(report.totalTokensPerSecond).toMatchObject({ kind: 'unknown' });
  });
});

describe('embeddings', () => {
  test('have no output tokens, which is no gap in the usage of the server', () => {
    const vector = sample(1, 1_000, 5_000, { outputTokens: NO_FIGURE });
    const report = reportOf([vector], { run: { api: 'embeddings' } });
    for (const figure of [report.outputTokensPerSecond, report.perUserTokensPerSecond.p50])
      expect(figure).toEqual({
        kind: 'unknown',
        reason: 'not applicable: the replies of this API have no output tokens',
      });
    expect(report.inputTokensPerSecond).toBe(3e9 / 4_000);
    expect(report.totalTokensPerSecond).toBe(report.inputTokensPerSecond);
  });

  test('are reported without them: neither as missing nor as a bound of what is not there', async () => {
    const report = reportOf([sample(1, 1_000, 5_000, { outputTokens: NO_FIGURE })], {
      run: { api: 'embeddings' },
    });
    const page = await runPage({ report, overTime: undefined, fonts: [] });
    expect(page).toMatch(/3(\.00)? tokens in, mean/);
    const rateBounds = recordOf(RATE_KEYS, () => unknown('made up'));
    const rates = JSON.stringify(rateSection({ ...report, rateBounds }));
    expect(rates).not.toContain('have no output tokens (bound');
    expect(rates).toContain('(bound unknown: made up)');
  });
});

test('a ranking has documents per second, and other runs have no such rate', () => {
  const counts = recordOf(REPLY_COUNT_KEYS, () => NO_FIGURE);
  const ranked = [10, 6].map((rankedDocuments, at) =>
    sample(at + 1, 1_000, 5_000, { outputTokens: NO_FIGURE, counts: { ...counts, rankedDocuments } }),
  );
  const report = reportOf(ranked, { run: { api: 'rerank' } });
  expect(report.documentsPerSecond).toBe(16e9 / 4_000);
  expect(report.outputTokensPerSecond).toMatchObject({ kind: 'unknown' });
  expect(reportOf([sample(1, 0, 5)]).documentsPerSecond).toBeUndefined();
  expect(summaryFigures(report)[2]).toMatchObject({
    name: 'Documents',
    value: { figure: expect.stringMatching(/^4\D000\D000$/), unit: 'doc/s' },
    remark: '8.00 documents a request, mean',
  });
});

describe('the steady state', () => {
  test('is the time in which the asked concurrency was in flight, and counts what ended in it', () => {
    const report = reportOf([
      sample(1, 0, 100),
      sample(2, 40, 120, { outputTokens: 7 }),
      sample(3, 100, 200),
      sample(4, 121, 150),
      sample(5, 200, 300),
    ]);
    // Two in flight from 40 on; the last time that one of two ends is at 150, and nothing follows it before 200.
    expect(report.steadyStateWindowNs).toBe(110);
    expect(report.steadyStateRequestsPerSecond).toBe(3e9 / 110);
    expect(report.steadyStateOutputTokensPerSecond).toBe(9e9 / 110);
  });

  test('is unknown when the concurrency was never reached, and for schedules', () => {
    expect(reportOf([sample(1, 0, 10), sample(2, 10, 20)]).steadyStateWindowNs).toMatchObject({
      reason: '2 requests were never in flight at once',
    });
    const poisson = { pattern: { kind: 'poisson', requestsPerSecond: 1 } } as const;
    expect(reportOf([sample(1, 0, 10)], { run: poisson }).steadyStateWindowNs).toMatchObject({
      kind: 'unknown',
    });
  });
});

describe('goodput', () => {
  const objectives = [
    { name: 'latency', limitNs: 100 },
    { name: 'tpot', limitNs: 10 },
  ] as const;

  test('counts the samples that meet every objective; failures are bad', () => {
    const slow = { firstContentNs: 10, chunkGapsNs: [20], chunkCount: 2, outputTokens: 2 };
    const report = reportOf(
      [sample(1, 0, 100, { outputTokens: 7 }), sample(2, 0, 101), sample(3, 0, 90, slow), failure(4, 0, 5)],
      { objectives },
    );
    expect(report.objectives).toEqual([
      { name: 'latency', limitNs: 100, metSamples: 2, unknownSamples: 0, samples: 4 },
      { name: 'tpot', limitNs: 10, metSamples: 2, unknownSamples: 0, samples: 4 },
    ]);
    expect(report.goodput).toBeCloseTo(1e9 / 101, 3);
    expect(report.goodOutputTokensPerSecond).toBeCloseTo(7e9 / 101, 3);
  });

  test('is unknown when a sample lacks the figure that an objective is about', () => {
    const report = reportOf([sample(1, 0, 50, { outputTokens: NO_FIGURE })], { objectives });
    expect(report.goodput).toMatchObject({ reason: '1 request lacks the figure of an objective' });
  });

  test('is absent without objectives', () => {
    expect('goodput' in reportOf([sample(1, 0, 50)])).toBe(false);
  });
});

describe('a report is complete', () => {
  const samples = [sample(1, 0, 50)];

  test('only when nothing is missing', () => {
    expect(reportOf(samples).complete).toBe(true);
    expect(reportOf(samples, { droppedEvents: 1 })).toMatchObject({
      complete: false,
      incompleteReason: '1 event records were lost',
    });
    expect(reportOf(samples, { runProblems: ['load thread 0 was lost'] })).toMatchObject({
      complete: false,
      incompleteReason: 'load thread 0 was lost',
    });
    expect(reportOf(samples, { isInterrupted: true })).toMatchObject({
      complete: false,
      interrupted: true,
      state: 'interrupted',
    });
  });

  test.each([
    ['complete', 0, true],
    ['complete', 1, false],
    ['interrupted', 0, false],
    ['draining', 0, false],
    ['live', 0, false],
    ['initialize', 0, false],
  ] as const)('in state %s with %i tasks pending: %s', (state, pendingTasks, isComplete) => {
    const report = buildReport({
      config: runConfig(),
      snapshot: { seq: 1, timestampNs: 0, state, pendingTasks, metrics: [] },
      source: 'complete-message',
      droppedEvents: 0,
      eventLogDropped: 0,
      isInterrupted: false,
      runProblems: [],
      sourceProblems: [],
      notices: [],
    });
    expect(report.complete).toBe(isComplete);
    expect(report.interrupted).toBe(state === 'interrupted');
    expect('incompleteReason' in report).toBe(!isComplete);
  });
});
