// Every form of the report of a run, a sweep, a load line and a comparison.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLAIN_SHAPE } from '../../src/core/run/run-shape.ts';
import { runFiles } from '../../src/metrics/run-files.ts';
import { renderReport } from '../../src/render/run/text-report.ts';
import { comparisonJunit } from '../../src/report/comparison-junit.ts';
import { runPage } from '../../src/report/html/run-page.ts';
import { runMarkdown } from '../../src/report/markdown/run-markdown.ts';
import { runTelemetry } from '../../src/report/otlp/run-telemetry.ts';
import { runOverTime } from '../../src/report/run-over-time.ts';
import { renderRun, renderRunLine } from '../../src/tui/render-run.ts';
import {
  comparisonFromJson,
  comparisonToJson,
  reportFromJson,
  reportToJson,
  runConfigToJson,
} from '../../src/wire/stored-json.ts';
import { madeUpComparison } from '../../test/support/made-up-comparison.ts';
import { madeUpLine, madeUpSweep, writeLine, writeSweep } from '../../test/support/made-up-line.ts';
import { MadeUpRun } from '../../test/support/made-up-run.ts';
import { runConfig } from '../../test/support/run-records.ts';
import { writeTimedRun } from '../../test/support/timed-runs.ts';
import { runSnapshot } from '../../test/tui/run-snapshot.ts';

const FIXTURES = new URL('../../test/fixtures/versions/1/', import.meta.url);
const documents = JSON.parse(readFileSync(new URL('documents.json', FIXTURES), 'utf8'));
const FORMS = ['vllm', 'aiperf', 'guidellm', 'genai-perf', 'inference-perf', 'csv'];

export const writeReports = async ({ put, printed, work }) => {
  const folder = join(work, 'reports');
  const runs = runDirectories(folder);
  for (const [name, directory] of Object.entries(runs)) {
    await reported(`reports/${name}`, directory, { put, printed });
    put(`reports/${name}/full.txt`, await printed(['report', directory, '--full']));
    for (const tool of FORMS)
      put(`reports/${name}/as-${tool}`, await printed(['report', directory, '--as', tool]));
    const { run } = reportFromJson(readFileSync(join(directory, 'report.json'), 'utf8'));
    const { samples } = runFiles(directory);
    const messages = await runTelemetry(run, samples, { version: '1.2.3', isInterrupted: false });
    put(
      `reports/${name}/otlp.json`,
      messages.map(({ path, body }) => ({ path, body: JSON.parse(body) })),
    );
  }
  const overTime = await runOverTime(runFiles(runs['of-mock']), { isStreaming: true });
  for (const [name, report] of Object.entries(wholeReports(runs['of-mock']))) {
    const text = isFull => `${renderReport(report, { isUnicode: true, isFull }).join('\n')}\n`;
    put(`reports/${name}/report.txt`, text(false));
    put(`reports/${name}/full.txt`, text(true));
    put(`reports/${name}/ascii.txt`, renderReport(report, { isUnicode: false, isFull: true }).join('\n'));
    put(`reports/${name}/report.json`, reportToJson(report));
    put(`reports/${name}/report.md`, runMarkdown(report));
    put(`reports/${name}/report.html`, runPage({ report, overTime, fonts: [] }));
  }
  writeLine(join(folder, 'line'), madeUpLine());
  writeLine(join(folder, 'line-cut'), madeUpLine(370));
  writeSweep(join(folder, 'sweep'), madeUpSweep('sweep-1'));
  const comparison = madeUpComparison(PAIRS);
  writeComparison(join(folder, 'comparison'), comparison);
  writeComparison(join(folder, 'comparison-whole'), comparisonFromJson(JSON.stringify(documents.comparison)));
  writeFileSync(join(mkdir(join(folder, 'line-whole')), 'line.json'), JSON.stringify(documents.line));
  writeFileSync(join(mkdir(join(folder, 'sweep-whole')), 'sweep.json'), JSON.stringify(documents.sweep));
  for (const name of [
    'line',
    'line-cut',
    'line-whole',
    'sweep',
    'sweep-whole',
    'comparison',
    'comparison-whole',
  ])
    await reported(`reports/${name}`, join(folder, name), { put, printed });
  put('reports/comparison/junit.xml', comparisonJunit(comparison));
  await reported('reports/repeats', repeats(join(folder, 'repeats')), { put, printed });
  for (const columns of [60, 100, 160])
    put(
      `reports/screen-${columns}.txt`,
      renderRun(WATCHED, { columns, rows: 60, color: columns === 160, isUnicode: true }).join('\n'),
    );
  put('reports/screen-line.txt', renderRunLine(WATCHED));
};

const reported = async (name, directory, { put, printed }) => {
  put(`${name}/report.txt`, await printed(['report', directory]));
  put(`${name}/report.json`, await printed(['report', directory, '--json']));
  for (const form of ['html', 'csv', 'md'])
    put(`${name}/report.${form}`, await printed(['report', directory, `--${form}`, '-']));
};

/** One that was measured, one with failures and objectives, one cut short. */
const runDirectories = folder => {
  const ofMock = join(folder, 'of-mock');
  cpSync(new URL('run', FIXTURES), ofMock, { recursive: true });
  const config = {
    ...runConfig({
      id: 'run-2',
      pattern: { kind: 'poisson', requestsPerSecond: 8.5 },
      tags: { engine: 'vllm' },
    }),
    objectives: [{ name: 'ttft', limitNs: 3e8 }],
  };
  const failing = new MadeUpRun({
    directory: join(folder, 'failing'),
    config: { ...config, shape: PLAIN_SHAPE },
    failureShare: 0.07,
  });
  failing.samples(1_200, { fromMs: 0, untilMs: 120_000 });
  failing.report();
  writeFileSync(join(failing.directory, 'config.json'), runConfigToJson(failing.config));
  const timed = join(folder, 'timed');
  writeTimedRun(timed, { seed: 3, requests: 200, stepNs: 3e9, run: { id: 'run-3' } });
  return { 'of-mock': ofMock, failing: failing.directory, timed };
};

const repeats = directory => {
  for (const [seed, name] of ['run-01', 'run-02', 'run-03'].entries())
    writeTimedRun(join(directory, name), { seed, requests: 100, stepNs: 3e9, run: { id: `r-${name}` } });
  return directory;
};

/** The measured run with everything that a report may have: what it lacks is from the example of the format. */
const wholeReports = directory => {
  const measured = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8'));
  const { foreign, ...run } = documents.report.run;
  const whole = { ...joined({ ...documents.report, run }, measured), series: measured.series };
  const report = reportFromJson(JSON.stringify(withPercentiles(whole)));
  return {
    whole: report,
    interrupted: { ...report, interrupted: true, complete: false, state: 'interrupted' },
    foreign: { ...report, run: { ...report.run, foreign } },
    unknown: {
      ...reportFromJson(JSON.stringify(measured)),
      ...Object.fromEntries(UNKNOWN_PARTS.map(key => [key, { kind: 'unknown', reason: `no ${key}` }])),
    },
  };
};

const UNKNOWN_PARTS = [
  'failures',
  'objectiveAnswers',
  'rateBounds',
  'contamination',
  'server',
  'machine',
  'provenance',
];

const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const isMissing = value =>
  value === undefined || value?.kind === 'unknown' || (Array.isArray(value) && value.length === 0);

const joined = (example, measured) => {
  if (isMissing(measured)) return example ?? measured;
  if (!isObject(measured) || !isObject(example)) return measured;
  const keys = new Set([...Object.keys(measured), ...Object.keys(example)]);
  return Object.fromEntries([...keys].map(key => [key, joined(example[key], measured[key])]));
};

/** An example has one percentile that nobody asks for. */
const withPercentiles = value => {
  if (Array.isArray(value)) return value.map(withPercentiles);
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.length === 1 && /^\d+$/.test(keys[0]))
    return Object.fromEntries(['50', '90', '99'].map(key => [key, withPercentiles(value[keys[0]])]));
  return Object.fromEntries(keys.map(key => [key, withPercentiles(value[key])]));
};

const writeComparison = (directory, document) =>
  writeFileSync(join(mkdir(directory), 'comparison.json'), comparisonToJson(document));

const mkdir = directory => {
  mkdirSync(directory, { recursive: true });
  return directory;
};

/** TTFT p90 of each pair in ms. */
const PAIRS = [
  [182, 168],
  [179, 171],
  [185, 166],
  [190, 172],
  [176, 161],
  [188, 170],
  [181, 169],
  [184, 165],
];

const WATCHED = {
  run: {
    id: '20260101-000000-abcd',
    target: 'http://127.0.0.1:8000',
    model: 'a-model',
    pattern: { kind: 'concurrency', concurrency: 8 },
    shape: PLAIN_SHAPE,
    isStreaming: true,
    hasNonce: true,
    isUnguarded: false,
    requests: { kind: 'unknown', reason: 'left to the server' },
    isDepthProfile: false,
    limits: { samplesMax: 206, durationMs: undefined },
  },
  stage: 'measuring',
  elapsedMs: 12_000,
  snapshot: runSnapshot(),
  snapshotAgeMs: 100,
  recent: { requestsPerSecond: 99.4, outputTokensPerSecond: 994 },
  notices: ['a notice'],
  spoiled: ['12 of 103 requests were served from a cache'],
};
