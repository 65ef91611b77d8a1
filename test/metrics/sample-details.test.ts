// What a report has of its requests together, from the file of samples. Sessions are in test/core/run/session-report.test.ts.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordOf } from '../../src/core/record-of.ts';
import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import { NO_FIGURE, SERVED_KEYS } from '../../src/core/run/event-record.ts';
import type { Report } from '../../src/core/run/report.ts';
import { buildReport } from '../../src/metrics/build-report.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';
import { withSampleDetails } from '../../src/metrics/sample-details.ts';
import { encodeSampleLine } from '../../src/wire/sample-line.ts';
import { reportFromJson, reportToJson } from '../../src/wire/stored-json.ts';
import { runConfig } from '../support/run-records.ts';
import { REMARK, streamed } from '../support/spoiled-run.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const CONFIG = runConfig();

const detailsOf = async (samples: readonly EndedSample[], isLost = false): Promise<Report> => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'samples.jsonl');
  const metrics = new RunMetrics({ pattern: CONFIG.run.pattern, isStreaming: true, objectives: [] });
  for (const sample of samples) {
    metrics.issued(sample);
    metrics.ended(sample);
  }
  writeFileSync(path, samples.map(sample => encodeSampleLine(sample)).join(''));
  if (isLost) rmSync(path);
  const report = buildReport({
    config: CONFIG,
    snapshot: { seq: 1, timestampNs: 0, state: 'complete', pendingTasks: 0, metrics: metrics.final() },
    source: 'complete-message',
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: [],
  });
  return reportFromJson(reportToJson(await withSampleDetails(report, path)));
};

/** 20 tokens each: from 1 to 15 of 19 later ones accepted, so that each step gave more and took as long. */
const DRAFTED = Array.from({ length: 60 }, (_, index): EndedSample => {
  const predictedTokens = 1 + (index % 15);
  const gapNs = 10_000_000 - 600_000 * predictedTokens;
  return streamed(100, {
    sampleId: index,
    chunkGapsNs: Array.from({ length: 19 }, () => gapNs),
    endNs: 100e6 + 19 * gapNs,
    remark: { ...REMARK, predictedTokens },
    served: { ...recordOf(SERVED_KEYS, () => NO_FIGURE), draftedTokens: 20 },
  });
});

test('requests with draft tokens are divided by what they accepted', async () => {
  const { series, speculation } = await detailsOf(DRAFTED);
  expect(series.tokensPerStep?.count).toBe(60);
  expect(series.acceptedShare).toMatchObject({ count: 60, max: 0.75 });
  expect(speculation?.tpotCorrelation).toBeCloseTo(-1, 9);
  expect(speculation?.byTercile).toMatchObject([{ count: 20 }, { count: 20 }, { count: 20 }]);
});

test('single requests with cached tokens have their times by what was not in the cache', async () => {
  const cached = Array.from({ length: 12 }, (_, index) =>
    streamed(100, { sampleId: index, ...(index === 0 ? {} : { remark: { ...REMARK, cachedTokens: 60 } }) }),
  );
  const { prefixCache, speculation } = await detailsOf(cached);
  expect(prefixCache).toMatchObject({
    hitShare: (11 * 60) / 1_200,
    byUncached: [
      { from: 32, count: 11 },
      { from: 64, count: 1 },
    ],
  });
  expect(speculation).toBeUndefined();
});

test('a run with neither, or whose samples are gone, stays as it is', async () => {
  const plain = await detailsOf([streamed(100)]);
  expect(plain).not.toHaveProperty('prefixCache');
  expect(plain).not.toHaveProperty('speculation');
  expect(await detailsOf(DRAFTED, true)).not.toHaveProperty('speculation');
});
