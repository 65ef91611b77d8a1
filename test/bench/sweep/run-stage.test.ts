// Stages against the mock, which with `--concurrency k` is a queue of k servers.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runStage } from '../../../src/bench/sweep/run-stage.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import type { Stage, StageFigures, StageVerdict } from '../../../src/core/sweep/stage.ts';
import { isUnknown, type Unknown } from '../../../src/core/unknown.ts';
import { reportFromJson } from '../../../src/wire/stored-json.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { rateOrder, stageParts, startQueue } from './stage-setting.ts';

const figuresOf = ({ figures }: Stage): StageFigures => {
  if (isUnknown(figures)) throw new Error(figures.reason);
  return figures;
};

/** On a busy machine this client may be the limit, and then the stage reports it. */
const verdictsOf = ({ client }: Report, verdict: StageVerdict): readonly (StageVerdict | Unknown)[] =>
  client.verdict === 'trustworthy' ? [verdict] : [verdict, 'client-bound', 'undecided'];

describe('a stage', () => {
  test('at half the capacity holds, ends long before its time and is an ordinary, complete run', async () => {
    using folder = temporaryDirectory();
    await using mock = await startQueue({ ttftMs: 4, concurrencyMax: 1 });
    const seen: Stage[] = [];
    const parts = stageParts({
      url: mock.url,
      directory: folder.path,
      seen,
    });
    const { stage, report } = await runStage(rateOrder(100), parts);
    expect(verdictsOf(report, 'held')).toContain(stage.verdict);
    const figures = figuresOf(stage);
    if (stage.verdict === 'held') expect(figures.elapsedNs).toBeLessThan(19e9);
    expect(figures.completed + figures.cancelled).toBe(figures.issued);
    expect(report.complete).toBe(true);
    expect(report.interrupted).toBe(false);
    expect(report.counts).toMatchObject({ issued: figures.issued, completed: figures.completed });
    expect(reportFromJson(readFileSync(join(folder.path, 'stage-01', 'report.json'), 'utf8'))).toEqual(
      report,
    );
    expect(existsSync(join(folder.path, 'stage-01', 'samples.jsonl'))).toBe(true);
    expect(figures.littlesLawRatio).toBeCloseTo(1, 2);
    expect(figures.timeline.inFlight.length).toBeGreaterThan(0);
    expect(seen.at(-1)).toEqual(stage);
    expect(seen[0]).toMatchObject({ state: 'running', verdict: { kind: 'unknown' } });
  });

  test('over the capacity is seen by its growing queue and cancelled, and its report is complete', async () => {
    using folder = temporaryDirectory();
    await using mock = await startQueue({ ttftMs: 20, concurrencyMax: 1 });
    const parts = stageParts({ url: mock.url, directory: folder.path });
    const { stage, report } = await runStage(rateOrder(80), parts);
    expect(verdictsOf(report, 'over-capacity')).toContain(stage.verdict);
    const figures = figuresOf(stage);
    expect(report.complete).toBe(true);
    // A machine that is busy may send so late that nothing is decided: then nothing is cancelled either.
    if (stage.verdict === 'over-capacity') {
      expect(figures.cancelled).toBeGreaterThan(0);
      expect(figures.inFlightGrowthPerMinute).toMatchObject({ value: expect.any(Number) });
      expect(figures.elapsedNs).toBeLessThan(20e9);
    }
    expect(report.counts.cancelled).toBe(figures.cancelled);
  });

  test('with a ramp, a warm-up and a bound in flight measures what comes behind them, and reports nothing of its queue', async () => {
    using folder = temporaryDirectory();
    await using mock = await startQueue({ ttftMs: 5, concurrencyMax: 4 });
    const parts = stageParts({ url: mock.url, directory: folder.path });
    const shape = { ...PLAIN_SHAPE, rampMs: 300, warmupMs: 300, inFlightCap: 2 };
    const { stage, report } = await runStage(
      rateOrder(60, { durationMs: 1_000, goal: { kind: 'measure' } }),
      { ...parts, request: { ...parts.request, shape } },
    );
    expect(report.run.shape).toEqual(shape);
    // Those before the measured window are in the report, and not among those of the stage.
    expect(report.warmup.issued).toBeGreaterThan(5);
    const figures = figuresOf(stage);
    expect(figures).toMatchObject({
      issued: report.counts.issued,
      completed: report.counts.completed,
      inFlightGrowthPerMinute: { kind: 'unknown', reason: expect.stringContaining('wait for a slot') },
    });
    expect(figures.littlesLawRatio).toBeCloseTo(1, 2);
    expect(figures.elapsedNs).toBeLessThan(1.5e9);
  });

  test('that a person stops reports it', async () => {
    using folder = temporaryDirectory();
    await using mock = await startQueue({ ttftMs: 20, concurrencyMax: 4 });
    const stop = new AbortController();
    const parts = stageParts({ url: mock.url, directory: folder.path, stop: stop.signal });
    const { stage, report } = await runStage(rateOrder(20), {
      ...parts,
      // Not as soon as the stage changes: on a busy machine its run has not begun by then.
      observer: { ...parts.observer, phase: phase => phase === 'measuring' && stop.abort() },
    });
    expect(stage.verdict).toBe('stopped');
    expect(report.interrupted).toBe(true);
  });

  test('of an endpoint that answers nobody is broken', async () => {
    using folder = temporaryDirectory();
    await using mock = await startQueue({ ttftMs: 20, failure: 'silent' });
    const parts = stageParts({ url: mock.url, directory: folder.path });
    const request = { ...parts.request, timeouts: { ...parts.request.timeouts, totalMs: 500 } };
    const { stage, report } = await runStage(
      rateOrder(20, { durationMs: 1_000, warmup: { kind: 'requests', count: 1 } }),
      { ...parts, request },
    );
    expect(verdictsOf(report, 'broken')).toContain(stage.verdict);
    expect(figuresOf(stage)).toMatchObject({ completed: 0 });
  });
});
