import { describe, expect, test } from 'vitest';
import { OBJECTIVE_NAMES } from '../../../src/core/run/objective.ts';
import type { Report } from '../../../src/core/run/report.ts';
import type { MetricsSnapshot, SnapshotState } from '../../../src/core/run/snapshot.ts';
import { logBuckets, logEdges } from '../../../src/core/statistics/log-buckets.ts';
import { textWidth } from '../../../src/core/text/columns.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { buildReport } from '../../../src/metrics/build-report.ts';
import { RunMetrics } from '../../../src/metrics/run-metrics.ts';
import { renderReport } from '../../../src/render/run/text-report.ts';
import { runPage } from '../../../src/report/html/run-page.ts';
import { runMarkdown } from '../../../src/report/markdown/run-markdown.ts';
import { runConfig } from '../../support/run-records.ts';

const CONFIG = runConfig();

const snapshotOf = (state: SnapshotState): MetricsSnapshot => {
  const metrics = new RunMetrics({ pattern: CONFIG.run.pattern, isStreaming: true, objectives: [] });
  for (let index = 0; index < 20; index += 1) {
    const sentNs = index * 1_000_000;
    const isFailed = index % 10 === 9;
    metrics.issued({ window: 0, intendedNs: sentNs, sentNs, heldBackNs: 0 });
    metrics.ended({
      sampleId: index,
      window: 0,
      intendedNs: sentNs,
      sentNs,
      connectNs: 0,
      heldBackNs: 0,
      firstByteNs: sentNs + 10_000_000,
      firstContentNs: sentNs + 12_340_000,
      firstAnswerNs: -1,
      chunkGapsNs: [1_000_000, 2_000_000],
      chunkCount: 3,
      endNs: sentNs + 16_000_000 + index * 1_000_000,
      outcome: isFailed ? 'failed' : 'completed',
      failure: isFailed ? { kind: 'http-status', statusCode: 503, detail: '' } : undefined,
      inputTokens: 5,
      outputTokens: 3,
      finishReason: 'length',
      bytesSent: 1,
      bytesReceived: 1,
    });
  }
  return { seq: 1, timestampNs: 0, state, pendingTasks: 0, metrics: metrics.final() };
};

const reportOf = (state: SnapshotState, more: Partial<Report> = {}): Report => ({
  ...buildReport({
    config: CONFIG,
    snapshot: snapshotOf(state),
    source: state === 'live' ? 'live-snapshot' : 'complete-message',
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: ['one thing to know'],
  }),
  ...more,
});

const textOf = (report: Report, isUnicode = true): string =>
  renderReport(report, { isUnicode, isFull: true }).join('\n');
const shortOf = (report: Report): readonly string[] =>
  renderReport(report, { isUnicode: true, isFull: false });

describe('the text of a report', () => {
  test('reports first that a run was interrupted, is incomplete, or has a client that was the limit', () => {
    expect(textOf(reportOf('interrupted'))).toMatch(/^INTERRUPTED: the run was interrupted\./);
    expect(textOf(reportOf('live'))).toMatch(
      /^INCOMPLETE: [\s\S]*last\s+live\s+figures[\s\S]*\nThese are live figures/,
    );
    const { client } = reportOf('complete');
    const bound = { ...client, verdict: 'client-bound', reasons: ['it was slow'] } as const;
    expect(textOf(reportOf('complete', { client: bound }))).toMatch(
      /^10.% OF 20 REQUESTS FAILED\.\nCLIENT-BOUND: it was slow\./,
    );
    expect(
      textOf(
        reportOf('complete', {
          counts: { issued: 18, completed: 18, failed: 0, cancelled: 0, unresolved: 0 },
          client: { ...client, verdict: 'trustworthy', reasons: [] },
        }),
      ),
    ).toMatch(/^Trustworthy( within .*)?, complete\.\n\nRun run-1/);
  });

  test('begins with a failure, however rare, before it blames the client', () => {
    const { client, counts } = reportOf('complete');
    const text = textOf(
      reportOf('complete', {
        counts: { ...counts, issued: 1_000, completed: 999, failed: 1 },
        client: { ...client, verdict: 'client-bound', reasons: ['it was slow'] },
      }),
    );
    expect(text).toMatch(/^1 OF 1.000 REQUESTS FAILED.*\nCLIENT-BOUND: it was slow\./u);
  });

  test('fits on a screen of 41 lines and 80 columns however much went wrong, with the verdict on top', () => {
    const { run, client } = reportOf('complete');
    // As long as the sentences of a report are at most: three lines.
    const long = 'something that takes many words to report  '.repeat(4);
    const lines = shortOf(
      reportOf('interrupted', {
        run: {
          ...run,
          id: 'x'.repeat(200),
          target: `http://${'y'.repeat(400)}`,
          model: 'z'.repeat(300),
          requests: {
            inputTokens: { text: 'a', mean: 1, min: 1, max: 2 },
            outputTokens: { text: 'b', mean: 1, min: 1, max: 2 },
            outputSource: 'option',
            lengthFields: [],
            warmupTokensMax: 1,
            shortestTokens: 20,
            calibration: { requests: 1, requestedTokens: 1, countedTokens: 1 },
            prefixes: { count: 2, tokens: 3 },
            body: '{"k":1}',
          },
        },
        incompleteReason: long,
        client: { ...client, verdict: 'client-bound', reasons: [long, long] },
        notices: Array.from({ length: 100 }, () => long),
        errors: { 'http-status': 1, reset: 2, timeout: 3, truncated: 4, malformed: 5 },
        goodput: 1,
        objectives: OBJECTIVE_NAMES.map(name => ({
          name,
          limitNs: 1,
          metSamples: 1,
          unknownSamples: 0,
          samples: 2,
        })),
      }),
    );
    // The command prints up to four more lines: where the rest is, and the run directory.
    expect(lines.length).toBeLessThanOrEqual(41 - 4);
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(80);
    expect(lines[0]).toMatch(/^INTERRUPTED: something/);
    expect(lines.join('\n')).toMatch(/more lines with --full/);
  });

  test('shows each objective whole, the missed ones first, however long its sentence is', () => {
    const estimate = { value: 0, low: 0, high: 0.0132 };
    const few = { limit: 0.001, unit: 'share', answer: 'too-few-samples', estimate } as const;
    const text = shortOf(
      reportOf('complete', {
        objectiveAnswers: [
          { ...few, objective: 'error-rate=0.1%', samplesNeeded: 3_688 },
          {
            objective: 'ttft.p99=60ms',
            limit: 60e6,
            unit: 'ns',
            answer: 'missed',
            estimate: { value: 118e6, low: 86.9e6, high: null },
            samplesNeeded: 277,
          },
        ],
      }),
    )
      .join('\n')
      .replace(/[\u00a0\u202f]/g, ' ');
    expect(text).toMatch(/^ {2}ttft\.p99=60ms {4}missed: 118 ms \(at least 86\.9 ms\)\n {2}error-rate/m);
    expect(text.replace(/\s+/g, ' ')).toContain(
      'too few requests to decide: 0 % (at most 1.32 %); about 3 700 requests would decide',
    );
  });

  test('gives the reason of a figure that completed requests do not have, and not that none completed', () => {
    const { tpotNs: _, ...series } = reportOf('complete').series;
    const missing = unknown("the server's usage was missing");
    const report = reportOf('complete', { series, perUserTokensPerSecond: { p50: missing, p90: missing } });
    for (const text of [
      shortOf(report).join('\n'),
      runMarkdown(report),
      runPage({ report, overTime: undefined, fonts: [] }),
    ]) {
      expect(text).toMatch(/the server(’|'|&#39;|&#x27;)s usage was missing/);
      expect(text).not.toMatch(/no request completed/i);
    }
  });

  test('of 80 columns leaves out no figure of a long line: the line goes on beneath', () => {
    const notices = [
      `the server counted 13 366 requests, 12 133 of them from others, between the first of ours and the last one, which is ${'more '.repeat(20)}than 0.125 %`,
    ];
    const lines = shortOf(reportOf('complete', { notices }));
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(80);
    const text = lines.join('').replace(/\s+/g, '');
    expect(text).toContain('morethan0.125%');
    expect(text).not.toContain('…');
  });

  test('has p90 of few requests with its interval, in a table of 80 columns, and p99 of few with a dash and its reason', () => {
    const { series } = reportOf('complete');
    const { ttftNs } = series;
    if (ttftNs === undefined) throw new Error('it has times to first token');
    const few = {
      ...ttftNs,
      percentiles: { ...ttftNs.percentiles, 90: 31.2e6, 99: 38e6 },
      intervals: { 90: { low: 28.5e6, high: 36.1e6 }, 99: { low: 31e6, high: null } },
    };
    const lines = shortOf(reportOf('complete', { series: { ...series, ttftNs: few } }));
    expect(lines.join('\n')).toMatch(
      /^ {2}TTFT +12\.3.ms +12\.3.ms +31\.2.ms \(28\.5–36\.1\) +– few +– few +12\.3.ms +18$/mu,
    );
    expect(lines.join('\n')).toMatch(
      /^ {2}few: too few requests; \(a–b\): 95 % interval, for independent requests$/mu,
    );
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(80);
  });

  test('has the interval of p95 where there are enough requests for p90', () => {
    const { series } = reportOf('complete');
    const { ttftNs } = series;
    if (ttftNs === undefined) throw new Error('it has times to first token');
    const some = {
      ...ttftNs,
      percentiles: { ...ttftNs.percentiles, 90: 31.2e6, 95: 36e6, 99: 38e6 },
      estimates: { 90: 32e6, 95: null, 99: null },
      intervals: { 95: { low: 33e6, high: 37.5e6 }, 99: { low: 36e6, high: null } },
    };
    const text = shortOf(reportOf('complete', { series: { ...series, ttftNs: some } })).join('\n');
    expect(text).toMatch(/^ {2}TTFT .*31\.2.ms +36\.0.ms \(33\.0–37\.5\) +– few/mu);
  });

  test('explains once what a dash without a figure means', () => {
    const { series } = reportOf('complete');
    const { ttftNs } = series;
    if (ttftNs === undefined) throw new Error('it has times to first token');
    const { 95: _, ...percentiles } = ttftNs.percentiles;
    const foreign = { ...ttftNs, mean: null, percentiles };
    const text = shortOf(reportOf('complete', { series: { ...series, ttftNs: foreign } })).join('\n');
    expect(text).toMatch(/^ {2}TTFT +– none +12\.3.ms +– few +– none/mu);
    expect(text.match(/few: too few requests; none: no value reported/gu)).toHaveLength(1);
  });

  test.each([60, 80, 120])('breaks its sentences at %i columns and loses nothing of them', columns => {
    const notices = ['one of many words that a person should read to its end, '.repeat(5).trim()];
    const lines = renderReport(reportOf('complete', { notices }), {
      isUnicode: true,
      isFull: false,
      columns,
    });
    const whole = lines.join(' ').replace(/\s+/gu, ' ');
    expect(whole).toContain(notices[0]?.slice(1));
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(columns);
  });

  test('in full begins with the short one', () => {
    const report = reportOf('complete');
    expect(textOf(report).startsWith(`${shortOf(report).join('\n')}\n`)).toBe(true);
    expect(shortOf(report).join('\n')).toMatch(
      /TTFT +12\.3.ms +12\.3.ms +– few +– few +– few +– few +12\.3.ms +18\n/,
    );
    expect(shortOf(report).join('\n')).toMatch(/^ {2}few: too few requests$/mu);
  });

  test('calls the client of a run that is not whole trustworthy only as far as it was seen', () => {
    const of = (state: SnapshotState): string => {
      const report = reportOf(state);
      return textOf({ ...report, client: { ...report.client, verdict: 'trustworthy', reasons: [] } });
    };
    expect(of('complete')).toMatch(/^Client: trustworthy$/m);
    expect(of('interrupted')).toMatch(/^INTERRUPTED: [\s\S]*^Client: kept up until then$/m);
    expect(of('live')).toMatch(/^INCOMPLETE: [\s\S]*^Client: kept up, in part$/m);
    expect(of('interrupted')).not.toMatch(/trustworthy/i);
  });

  test('has counts, rates, percentiles, estimates or that there are too few, errors, reasons and notices', () => {
    const text = textOf(reportOf('complete'));
    expect(text).toMatch(/measured +20 +18 +2 +0 +0/);
    expect(text).toMatch(/requests\/s +\d/);
    expect(text).toMatch(/time to first token +18 +12\.3.ms/);
    expect(text).toMatch(/p99 .*too few +failed/);
    expect(text).toMatch(/Errors\n +http-status +2\n/);
    expect(text).toMatch(/Finish reasons\n +length +18\n/);
    expect(text).toMatch(/Notices\n +one thing to know\n/);
    expect(text).toMatch(/│█+ \d/);
    expect(text).toMatch(/docs\/metrics\.md/);
  });

  test('distinguishes the buckets of a narrow range', () => {
    const report = reportOf('complete');
    const { latencyNs } = report.series;
    if (latencyNs === undefined) throw new Error('no latency');
    const histogram = logBuckets(logEdges(5.05e9, 5.1e9), Array(30).fill(1));
    const text = textOf({ ...report, series: { latencyNs: { ...latencyNs, histogram } } });
    const edges = [...text.matchAll(/^ +([\d.]+)\ss │/gm)].map(([, edge]) => edge);
    expect(edges).toHaveLength(30);
    expect(new Set(edges).size).toBe(30);
  });

  test('of a run without any figure reports what is unknown and why', () => {
    const empty = buildReport({
      config: CONFIG,
      snapshot: undefined,
      source: 'nothing',
      droppedEvents: 0,
      eventLogDropped: 0,
      isInterrupted: false,
      runProblems: [],
      sourceProblems: [],
      notices: [],
    });
    const text = textOf(empty);
    expect(text).toMatch(/^INCOMPLETE: no metrics of this run were received\./);
    expect(text).toMatch(/requests\/s +unknown: nothing was measured/);
    expect(text).toMatch(/no request completed/);
  });

  test('is plain ASCII where a terminal has nothing else', () => {
    expect(textOf(reportOf('complete'), false)).toMatch(/^[\x20-\x7e\n]*$/);
  });

  test('lets no name control the terminal', () => {
    const { run } = reportOf('complete');
    const text = textOf(reportOf('complete', { run: { ...run, model: '\u001b[2Jmodel\u009b1m' } }));
    expect(text).toContain('?[2Jmodel?1m');
  });
});
