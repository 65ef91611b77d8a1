import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import { NO_FIGURE } from '../../src/core/run/event-record.ts';
import type { RunConfig } from '../../src/core/run/report.ts';
import type { MetricsSnapshot } from '../../src/core/run/snapshot.ts';
import { RunDirectoryError, rebuildReport, writeReportFiles } from '../../src/metrics/report-sources.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';
import { encodeSampleLine, encodeSamplesEnd } from '../../src/wire/sample-line.ts';
import { snapshotToJson } from '../../src/wire/snapshot-codec.ts';
import { reportFromJson, runConfigToJson } from '../../src/wire/stored-json.ts';
import { runConfig } from '../support/run-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const CONFIG = runConfig({ pattern: { kind: 'concurrency', concurrency: 1 } });

const sample = (sampleId: number, outcome: EndedSample['outcome'] = 'completed'): EndedSample => ({
  sampleId,
  window: 0,
  intendedNs: sampleId * 1_000,
  sentNs: sampleId * 1_000,
  connectNs: 0,
  heldBackNs: 0,
  firstByteNs: sampleId * 1_000 + 100,
  firstContentNs: sampleId * 1_000 + 200,
  firstAnswerNs: NO_FIGURE,
  chunkGapsNs: [50, 50],
  chunkCount: 3,
  endNs: sampleId * 1_000 + 400,
  outcome,
  failure: outcome === 'failed' ? { kind: 'truncated', statusCode: 200, detail: 'made up' } : undefined,
  inputTokens: 7,
  outputTokens: 5,
  finishReason: 'stop',
  bytesSent: 10,
  bytesReceived: 20,
});

const snapshotOf = (samples: readonly EndedSample[], state: MetricsSnapshot['state']): MetricsSnapshot => {
  const metrics = new RunMetrics({ pattern: CONFIG.run.pattern, isStreaming: true, objectives: [] });
  for (const one of samples) {
    metrics.issued(one);
    metrics.ended(one);
  }
  metrics.client.observed(
    {
      kind: 'client.observed',
      atNs: 2_000_000_000,
      thread: 0,
      eventLoopUtilization: 0.2,
      cpuShare: 0.2,
      eventLoopDelayNsMax: 1_000,
      readLatenessNsMax: 1_000,
      gcPauseNsTotal: 0,
      gcPauseNsMax: 0,
      connectionsOpened: 1,
      connectionsReused: 9,
      connectionsClosed: 0,
      connectionsStale: 0,
      arrivalsWaiting: 0,
      backoffNs: 0,
      connectionsAhead: 0,
    },
    true,
  );
  return { seq: 9, timestampNs: 5, state, pendingTasks: 0, metrics: metrics.final(), ...metrics.beside() };
};

interface Contents {
  readonly config?: RunConfig | string;
  readonly samples?: string;
  readonly snapshot?: MetricsSnapshot | string;
}

const runDirectory = async ({ config = CONFIG, samples, snapshot }: Contents): Promise<string> => {
  const directory = temporaryDirectory();
  onTestFinished(() => directory[Symbol.dispose]());
  const write = (name: string, text: string): Promise<void> => writeFile(join(directory.path, name), text);
  await write('config.json', typeof config === 'string' ? config : runConfigToJson(config));
  if (samples !== undefined) await write('samples.jsonl', samples);
  if (snapshot !== undefined)
    await write('final_snapshot.json', typeof snapshot === 'string' ? snapshot : snapshotToJson(snapshot));
  return directory.path;
};

const SAMPLES = [sample(1), sample(2), sample(3, 'failed'), sample(4)];
const LINES = SAMPLES.map(encodeSampleLine).join('');
const END = encodeSamplesEnd({ issued: 4, trackedIssued: 4, state: 'complete' });

describe('a report from a run directory', () => {
  test('is that of the final snapshot where it is complete', async () => {
    const report = await rebuildReport(
      await runDirectory({ snapshot: snapshotOf(SAMPLES, 'complete'), samples: '' }),
    );
    expect(report).toMatchObject({ complete: true, state: 'complete', source: 'final-snapshot-file' });
    expect(report.counts).toEqual({ issued: 4, completed: 3, failed: 1, cancelled: 0, unresolved: 0 });
    expect(report.errors).toEqual({ truncated: 1 });
    expect(report.windowNs).toBe(3_400);
    expect(report.requestsPerSecond).toBeCloseTo(3e9 / 3_400);
    expect(report.outputTokensPerSecond).toBeCloseTo(15e9 / 3_400);
    expect(report.perUserTokensPerSecond.p50).toBe(1e9 / 25);
    expect(report.series['ttftNs']).toMatchObject({
      mean: 200,
      stdDev: 0,
      failureAdjusted: { '75': 200, '99': 200 },
    });
    expect(report.client.verdict).toBe('trustworthy');
  });

  test('has the same figures when it is counted again from the samples', async () => {
    const counted = await rebuildReport(await runDirectory({ samples: LINES + END }));
    const reported = await rebuildReport(await runDirectory({ snapshot: snapshotOf(SAMPLES, 'complete') }));
    expect(counted).toMatchObject({ complete: true, source: 'samples-file' });
    const { client: _, source: __, notices: ___, rateBounds, ...figures } = counted;
    const { client: ____, source: _____, notices: ______, rateBounds: _______, ...same } = reported;
    expect(figures).toEqual(same);
    expect(rateBounds).toMatchObject({ reason: 'the marks that bounds rest on are not in samples.jsonl' });
    expect(counted.client).toMatchObject({ verdict: 'unknown' });
  });

  test('of a run that was killed states it and counts its samples, except an incomplete last line', async () => {
    const report = await rebuildReport(await runDirectory({ samples: LINES.slice(0, -30) }));
    expect(report).toMatchObject({ complete: false, interrupted: true, source: 'samples-file' });
    expect(report.incompleteReason).toMatch(/samples\.jsonl is cut off/);
    expect(report.counts).toMatchObject({ issued: 3, completed: 2, failed: 1 });
    expect(report.notices.join()).toMatch(/last line .* left out/);
  });

  test('of a run that was killed has from its interrupted snapshot what was in flight, and the client', async () => {
    const snapshot = snapshotOf([...SAMPLES, sample(5), sample(6)], 'interrupted');
    const report = await rebuildReport(await runDirectory({ samples: LINES, snapshot }));
    expect(report.counts).toEqual({ issued: 6, completed: 3, failed: 1, cancelled: 0, unresolved: 2 });
    expect(report.client).toMatchObject({ verdict: 'trustworthy', connections: { opened: 1, reused: 9 } });
  });

  test('of a run that was killed counts the warm-up for itself where its snapshot had missed some of it', async () => {
    const warm = [sample(1), sample(2)].map(one => ({ ...one, window: -1 }));
    // It has more measured requests than the lines, and fewer warm-ups.
    const snapshot = snapshotOf([...warm.slice(1), sample(3), sample(4), sample(5)], 'interrupted');
    const samples = [...warm, sample(3), sample(4)].map(encodeSampleLine).join('');
    const report = await rebuildReport(await runDirectory({ samples, snapshot }));
    expect(report.warmup).toMatchObject({ issued: 2, completed: 2, unresolved: 0 });
    expect(report.counts).toMatchObject({ issued: 3, completed: 2, unresolved: 1 });
  });

  test('is not complete when the end of the samples reports what cut the run short', async () => {
    const problems = ['the aggregator ended early (SIGKILL)'];
    const end = encodeSamplesEnd({ issued: 4, trackedIssued: 4, state: 'complete', problems });
    expect(end).toContain('"state":"interrupted"');
    const report = await rebuildReport(await runDirectory({ samples: LINES + end }));
    expect(report).toMatchObject({ complete: false, interrupted: false, runProblems: problems });
    expect(report.incompleteReason).toBe(problems[0]);
  });

  test('is interrupted when the aggregator was stopped before the end in the samples', async () => {
    const snapshot = snapshotOf(SAMPLES.slice(0, 2), 'interrupted');
    const report = await rebuildReport(await runDirectory({ samples: LINES + END, snapshot }));
    expect(report).toMatchObject({ complete: false, interrupted: true });
    expect(report.counts.issued).toBe(4);
  });

  test('is incomplete when lines cannot be read, and counts them', async () => {
    const report = await rebuildReport(
      await runDirectory({ samples: `${LINES}not json\n{"kind":"other"}\n${END}` }),
    );
    expect(report.complete).toBe(false);
    expect(report.incompleteReason).toMatch(/2 lines of samples\.jsonl could not be read/);
    expect(report.counts.issued).toBe(4);
  });

  test('counts a sample that has two lines once', async () => {
    const report = await rebuildReport(await runDirectory({ samples: LINES + LINES + END }));
    expect(report.counts.issued).toBe(4);
    expect(report.recordProblems).toEqual({ recordsDuplicate: 4 });
  });

  test('is made of the samples when the final snapshot is damaged, and reports that', async () => {
    const report = await rebuildReport(await runDirectory({ samples: LINES + END, snapshot: '{"schema":' }));
    expect(report).toMatchObject({ complete: true, source: 'samples-file' });
    expect(report.notices.join()).toMatch(/final_snapshot\.json cannot be used: not JSON/);
  });

  test('with nothing but its config has no figures and reasons for each', async () => {
    const report = await rebuildReport(await runDirectory({}));
    expect(report).toMatchObject({ complete: false, source: 'nothing', series: {} });
    expect(report.requestsPerSecond).toEqual({ kind: 'unknown', reason: 'nothing was measured' });
  });

  test('keeps what the run itself reported about lost records and threads', async () => {
    const directory = await runDirectory({ samples: LINES + END });
    const first = await rebuildReport(directory);
    await writeReportFiles(directory, {
      ...first,
      complete: false,
      droppedEvents: 5,
      eventLogDropped: 3,
      runProblems: ['load thread 1 was lost'],
    });
    const again = await rebuildReport(directory);
    expect(again).toMatchObject({ complete: false, droppedEvents: 5, eventLogDropped: 3 });
    expect(again.incompleteReason).toMatch(/load thread 1 was lost/);
    expect(again.client).toMatchObject({ verdict: 'client-bound' });
  });

  test('is not replaced by a poorer one when it was complete', async () => {
    const directory = await runDirectory({ snapshot: snapshotOf(SAMPLES, 'complete') });
    const first = await rebuildReport(directory);
    await writeReportFiles(directory, { ...first, source: 'complete-message' });
    await writeFile(join(directory, 'final_snapshot.json'), '');
    await writeFile(join(directory, 'samples.jsonl'), LINES);
    expect(await rebuildReport(directory)).toEqual({ ...first, source: 'complete-message' });
  });

  test('is not replaced by a poorer one where the disk refused the samples, and reports which it is', async () => {
    const directory = await runDirectory({ snapshot: snapshotOf(SAMPLES, 'complete') });
    const first = await rebuildReport(directory);
    const runProblems = ['samples.jsonl could not be written: no space left on the disk'];
    await writeReportFiles(directory, { ...first, complete: false, source: 'complete-message', runProblems });
    await writeFile(join(directory, 'final_snapshot.json'), '');
    await writeFile(join(directory, 'samples.jsonl'), LINES.slice(0, -30));
    const again = await rebuildReport(directory);
    expect(again).toMatchObject({ complete: false, counts: first.counts, runProblems });
    expect(again.notices.join()).toMatch(/samples\.jsonl holds 3 of 4 samples/);
  });

  test('is read back as it was written', async () => {
    const directory = await runDirectory({ samples: LINES + END });
    const report = await rebuildReport(directory);
    expect(await writeReportFiles(directory, report)).toEqual([]);
    expect(reportFromJson(await readFile(join(directory, 'report.json'), 'utf8'))).toEqual(report);
    expect(await readFile(join(directory, 'report.txt'), 'utf8')).toMatch(/time to first token/);
  });

  test.each([
    ['is none of a run', async () => join(await runDirectory({}), 'nowhere'), /not the directory of a run/],
    ['has a config that is not JSON', () => runDirectory({ config: '{' }), /config\.json is not JSON/],
    ['has a config of another kind', () => runDirectory({ config: '{"schema":"x"}' }), /wrong at schema/],
    [
      'has a folder where its config should be',
      async () => {
        const directory = await runDirectory({});
        await mkdir(join(directory, 'sub', 'config.json'), { recursive: true });
        return join(directory, 'sub');
      },
      /it is a folder/,
    ],
  ])('is refused in words when the directory %s', async (_, make, problem) => {
    const directory = await make();
    await expect(rebuildReport(directory)).rejects.toThrow(RunDirectoryError);
    await expect(rebuildReport(directory)).rejects.toThrow(problem);
  });

  test('reports which of its files cannot be written', async () => {
    const directory = await runDirectory({ samples: LINES + END });
    const report = await rebuildReport(directory);
    expect(await writeReportFiles(join(directory, 'gone'), report)).toHaveLength(2);
    await mkdir(join(directory, 'report.json'));
    const problems = await writeReportFiles(directory, report);
    expect(problems.join()).toMatch(/report\.json could not be written/);
    expect(problems).toHaveLength(1);
  });
});
