// The time from the first token to the first of the answer, in every form in which a run has its figures.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ComparedUnit, comparedUnit } from '../../src/core/comparison/comparison-document.ts';
import { runSpread } from '../../src/core/comparison/run-spread.ts';
import { NO_FIGURE } from '../../src/core/run/event-record.ts';
import type { Report } from '../../src/core/run/report.ts';
import type { MetricsSnapshot } from '../../src/core/run/snapshot.ts';
import { buildReport } from '../../src/metrics/build-report.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';
import { renderReport } from '../../src/render/run/text-report.ts';
import { samplesCsv } from '../../src/report/csv/samples-csv.ts';
import { runPage } from '../../src/report/html/run-page.ts';
import { runMarkdown } from '../../src/report/markdown/run-markdown.ts';
import { runTelemetry } from '../../src/report/otlp/run-telemetry.ts';
import { renderRun } from '../../src/tui/render-run.ts';
import { encodeSampleLine } from '../../src/wire/sample-line.ts';
import { reportFromJson, reportToJson } from '../../src/wire/stored-json.ts';
import { runConfig } from '../support/run-records.ts';
import { sampleOf } from '../support/sample-of.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { watchedRun } from '../tui/run-snapshot.ts';

const MS = 1e6;
const CONFIG = runConfig();
const REASONED = sampleOf({
  sampleId: 1,
  firstByteNs: 10 * MS,
  firstContentNs: 10 * MS,
  firstAnswerNs: 40 * MS,
  chunkGapsNs: [10 * MS, 20 * MS, 10 * MS],
  chunkCount: 4,
  endNs: 60 * MS,
  outputTokens: 4,
});
const PLAIN = { ...REASONED, sampleId: 2, firstAnswerNs: NO_FIGURE };

const snapshotOf = (...samples: readonly (typeof REASONED)[]): MetricsSnapshot => {
  const metrics = new RunMetrics({ pattern: CONFIG.run.pattern, isStreaming: true, objectives: [] });
  for (const sample of samples) {
    metrics.issued(sample);
    metrics.ended(sample);
  }
  return { seq: 1, timestampNs: 0, state: 'complete', pendingTasks: 0, metrics: metrics.final() };
};

const reportOf = (snapshot: MetricsSnapshot): Report =>
  reportFromJson(
    reportToJson(
      buildReport({
        config: CONFIG,
        snapshot,
        source: 'complete-message',
        droppedEvents: 0,
        eventLogDropped: 0,
        isInterrupted: false,
        runProblems: [],
        sourceProblems: [],
        notices: [],
      }),
    ),
  );

const formsOf = (snapshot: MetricsSnapshot): readonly string[] => {
  const report = reportOf(snapshot);
  const [short, full] = [false, true].map(isFull =>
    renderReport(report, { isUnicode: true, isFull }).join('\n'),
  );
  const screen = renderRun(watchedRun({ snapshot }), {
    columns: 100,
    rows: 40,
    color: false,
    isUnicode: true,
  });
  const page = runPage({ report, overTime: undefined, fonts: [] }).split('Settings').at(0) ?? '';
  return [short ?? '', full ?? '', runMarkdown(report), page, screen.join('\n')];
};

test('of a request that begins with reasoning is in every form of its run, and in none of a run without', () => {
  for (const text of formsOf(snapshotOf(REASONED, PLAIN)))
    expect(text).toMatch(/(?:reasoning|first token to first answer).{0,200}30(?:\.0)?.{1,24}ms/i);
  for (const text of formsOf(snapshotOf(PLAIN)))
    expect(text).not.toMatch(/^ *\|? *reasoning |time from first token to first answer/im);
  expect(reportOf(snapshotOf(PLAIN)).series.reasoningNs).toMatchObject({ count: 0, max: null });
});

test('is compared as a percentile, and repeated runs without reasoning do not list it', () => {
  const unitOf = (sample: typeof REASONED): ComparedUnit =>
    comparedUnit(
      reportOf(snapshotOf(...Array.from({ length: 20 }, (_, sampleId) => ({ ...sample, sampleId })))),
      '',
    );
  const [reasoned, plain] = [unitOf(REASONED), unitOf(PLAIN)];
  expect(reasoned.figures['reasoning.p50']).toBe(30 * MS);
  expect(plain.figures['reasoning.p50']).toMatchObject({
    reason: 'no request has a time from first token to first answer',
  });
  const listed = (unit: ComparedUnit): boolean =>
    runSpread([unit, unit]).some(({ name }) => name === 'reasoning.p50');
  expect([listed(reasoned), listed(plain)]).toEqual([true, false]);
});

test('has a column of its own in the CSV of requests, and a histogram in OpenTelemetry', async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'samples.jsonl');
  writeFileSync(path, [REASONED, PLAIN].map(encodeSampleLine).join(''));
  let csv = '';
  for await (const part of samplesCsv(path)) csv += part;
  const [head, ...rows] = csv
    .trimEnd()
    .split('\n')
    .map(line => line.split(','));
  const column = head?.indexOf('reasoning_ns') ?? -1;
  expect(rows.map(row => row[column])).toEqual([String(30 * MS), '']);
  const [metrics] = await runTelemetry(CONFIG.run, path, { version: '1.2.3', isInterrupted: false });
  expect(metrics?.body).toMatch(/"plimsoll\.client\.reasoning_duration".{0,600}"count":"1","sum":0\.03,/s);
});
