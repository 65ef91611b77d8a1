import { execFile } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import { writeFileAtomic } from '../../../src/process/atomic-file.ts';
import { FOREIGN_FORMS } from '../../../src/report/foreign/foreign-forms.ts';
import { measuredSamples } from '../../../src/report/foreign/foreign-series.ts';
import { guidellmSeries } from '../../../src/report/foreign/guidellm-report.ts';
import { encodeSampleLine } from '../../../src/wire/sample-line.ts';
import { sampleOf } from '../../support/sample-of.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeTimedRun } from '../../support/timed-runs.ts';

const python = process.env['PLIMSOLL_PEERS_PYTHON'];

/** GuideLLM's own models read the file, and its own code computes every metric again from the requests in it. */
const READER = `
import json, sys
from types import SimpleNamespace
from guidellm.benchmark.schemas.report import GenerativeBenchmarksReport
from guidellm.benchmark.schemas.accumulator import GenerativeRequestsAccumulator
from guidellm.benchmark.schemas.metrics import GenerativeMetrics
report = GenerativeBenchmarksReport.load_file(sys.argv[1])
def of(requests):
    return GenerativeRequestsAccumulator.model_construct(requests_stats=requests, samples=None)
differences, figures = [], 0
def walk(path, one, other):
    global figures
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one:
            walk(path + [key], one[key], other.get(key))
    elif isinstance(one, (int, float)):
        figures += 1
        if not isinstance(other, (int, float)) or abs(one - other) > 1e-9 * max(1, abs(one)):
            differences.append([".".join(path), one, other])
for benchmark in report.benchmarks:
    again = GenerativeMetrics.compile(SimpleNamespace(
        config=benchmark.config,
        timings=SimpleNamespace(
            finalized_measure_start=benchmark.scheduler_metrics.measure_start_time,
            finalized_measure_end=benchmark.scheduler_metrics.measure_end_time),
        completed=of(benchmark.requests.successful),
        incomplete=of(benchmark.requests.incomplete),
        errored=of(benchmark.requests.errored))).model_dump(mode="json")
    reported = benchmark.metrics.model_dump(mode="json")
    walk([], reported, again)
print(json.dumps({"requests": [len(benchmark.requests.successful) for benchmark in report.benchmarks], "figures": figures, "differences": differences[:20]}))
`;

const NO_TOKENS = { inputTokens: NO_FIGURE, outputTokens: NO_FIGURE };
const BEGUN: Partial<EndedSample> = {
  intendedNs: 3e9,
  sentNs: 3.001e9,
  firstByteNs: 3.1e9,
  firstContentNs: 3.2e9,
  chunkGapsNs: [1e7, 2e7],
  chunkCount: 3,
  endNs: 3.9e9,
};

/**
 * One that failed before its first token, one after it, and one that was cut off; the server reported no tokens for
 * any.
 */
const UNFINISHED: readonly EndedSample[] = [
  sampleOf({
    sampleId: 900,
    ...NO_TOKENS,
    outcome: 'failed',
    failure: { kind: 'http-status', statusCode: 503, detail: 'busy' },
    sentNs: 2e9,
    endNs: 2.5e9,
    chunkCount: 0,
  }),
  sampleOf({
    sampleId: 901,
    ...NO_TOKENS,
    outcome: 'failed',
    failure: { kind: 'truncated', statusCode: 200, detail: '' },
    ...BEGUN,
  }),
  sampleOf({ sampleId: 902, ...NO_TOKENS, outcome: 'cancelled', ...BEGUN }),
];

test.for([
  { load: 'closed loop', pattern: { kind: 'concurrency', concurrency: 8 } },
  { load: 'open loop', pattern: { kind: 'poisson', requestsPerSecond: 4 } },
  { load: 'bursts', pattern: { kind: 'gamma', requestsPerSecond: 4, burstiness: 0.5 } },
] as const)(
  "GuideLLM's own models read what is written for it in $load, and its code computes the same figures",
  {
    timeout: 300_000,
  },
  async ({ pattern }, context) => {
    if (python === undefined) context.skip('PLIMSOLL_PEERS_PYTHON names no Python that has guidellm');
    using directory = temporaryDirectory();
    const report = writeTimedRun(directory.path, { seed: 5, requests: 300, run: { pattern } });
    const samples = join(directory.path, 'samples.jsonl');
    appendFileSync(samples, UNFINISHED.map(encodeSampleLine).join(''));
    const path = join(directory.path, 'benchmarks.json');
    await writeFileAtomic(
      path,
      FOREIGN_FORMS.guidellm(report, () => measuredSamples(samples)),
    );
    const { stdout } = await promisify(execFile)(python ?? '', ['-c', READER, path]);
    const { requests, figures, differences } = JSON.parse(stdout);
    expect(differences).toEqual([]);
    expect(requests).toEqual([300]);
    expect(figures).toBeGreaterThan(1_000);
  },
);

test("GuideLLM's own models read a sweep as one benchmark for each of its runs", {
  timeout: 300_000,
}, async context => {
  if (python === undefined) context.skip('PLIMSOLL_PEERS_PYTHON names no Python that has guidellm');
  using directory = temporaryDirectory();
  const runs = [2, 4].map(requestsPerSecond => {
    const folder = join(directory.path, `stage-${requestsPerSecond}`);
    const pattern = { kind: 'poisson', requestsPerSecond } as const;
    const report = writeTimedRun(folder, { seed: requestsPerSecond, requests: 100, run: { pattern } });
    return { report, samples: () => measuredSamples(join(folder, 'samples.jsonl')) };
  });
  const path = join(directory.path, 'benchmarks.json');
  await writeFileAtomic(path, guidellmSeries('two-rates', runs));
  const { stdout } = await promisify(execFile)(python ?? '', ['-c', READER, path]);
  expect(JSON.parse(stdout)).toMatchObject({ requests: [100, 100], differences: [] });
});
