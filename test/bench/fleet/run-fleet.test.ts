// A run from two agents: one schedule, one account, exact figures.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { lowerPercentile } from '../../../src/core/statistics/percentile.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { rebuildReport } from '../../../src/metrics/report-sources.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { decodeSampleLine } from '../../../src/wire/sample-line.ts';
import { reportFromJson } from '../../../src/wire/stored-json.ts';
import { decodeTruthStamps } from '../../../src/wire/truth-stamps.ts';
import { stubServer } from '../../support/stub-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { requestHere } from '../run-here.ts';
import { FleetHere } from './agents-here.ts';

const FAST = { ttftMs: 5, gapMs: 1, outputTokens: 3 };
const originOf = (url: string): string => new URL(url).origin;

const samplesIn = (path: string): readonly EndedSample[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .flatMap(line => {
      const decoded = decodeSampleLine(line);
      return decoded.kind === 'sample' ? [decoded.sample] : [];
    });

describe('a run from two agents', () => {
  test('is one run: every arrival once, percentiles those of all samples, and a part of each', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(FAST);
    const fleet = new FleetHere(folder.path, ['atlas', 'boreas'], { targets: [originOf(mock.url)] });
    const { report, diskProblems } = await fleet.run(
      requestHere(mock.url, {
        samplesMax: 41,
        warmup: { kind: 'default' },
        objectives: [{ kind: 'mean', name: 'latency', limitNs: 1e9 }],
      }),
    );
    expect(diskProblems).toEqual([]);
    expect(report).toMatchObject({
      complete: true,
      counts: { issued: 41, completed: 41, unresolved: 0 },
      warmup: { issued: 2 },
      run: { from: ['atlas', 'boreas'] },
    });
    const directory = join(folder.path, 'run');
    const merged = samplesIn(join(directory, 'samples.jsonl'));
    const parts = [0, 1].map(index => samplesIn(join(directory, 'agents', String(index), 'samples.jsonl')));
    expect(merged.map(({ sampleId }) => sampleId).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 43 }, (_, index) => index),
    );
    for (const [index, part] of parts.entries())
      expect(new Set(part.map(({ sampleId }) => sampleId % 2))).toEqual(new Set([index]));
    // Exactly the percentiles of all latencies of both, from the files that they sent.
    const measured = parts.flat().filter(({ window }) => window >= 0);
    const sorted = Float64Array.from(measured.map(({ endNs, sentNs }) => endNs - sentNs)).sort();
    const { latencyNs } = report.series;
    expect(latencyNs?.isExact).toBe(true);
    for (const [percentile, value] of Object.entries(latencyNs?.percentiles ?? {}))
      expect(value).toBe(lowerPercentile(sorted, Number(percentile)));
    // Sent when one machine would have sent them, within the clock error: at the start and at the end, they are as
    // far apart as each agent reports.
    const clockErrorsNs = (report.agents ?? []).map(({ clockErrorMs }) => Number(clockErrorMs) * 1e6);
    const apartNs = Math.max(5e6, 1e6 + 2 * clockErrorsNs.reduce((sum, ns) => sum + ns, 0));
    const due = merged
      .filter(({ window }) => window >= 0)
      .toSorted((a, b) => a.sampleId - b.sampleId)
      .map(({ intendedNs }) => intendedNs);
    const [first = 0] = due;
    for (const [index, intendedNs] of due.entries())
      expect(Math.abs(intendedNs - first - index * 20e6)).toBeLessThan(apartNs);
    expect(report.agents).toMatchObject([
      { name: 'atlas', state: 'complete', counts: { issued: 21 }, planned: 21 },
      { name: 'boreas', state: 'complete', counts: { issued: 20 }, planned: 20 },
    ]);
    expect(reportFromJson(readFileSync(join(directory, 'report.json'), 'utf8'))).toEqual(report);
    expect(await rebuildReport(directory)).toMatchObject({ complete: true, agents: report.agents });
    expect(fleet.phases).toEqual(['waiting', 'measuring', 'draining', 'ended']);
    expect(fleet.snapshots.length).toBeGreaterThan(1);
    // Objectives are judged while it goes on, by what had ended by then.
    const live = fleet.snapshots.filter(({ state }) => state === 'live');
    expect(live.flatMap(({ objectives = [] }) => objectives.map(({ estimate }) => estimate))).toContainEqual(
      expect.objectContaining({ value: expect.any(Number) }),
    );
    // So is each agent, and nothing of it is left in the account.
    expect(live.at(-1)?.agents).toMatchObject([
      { agent: 'atlas', state: 'loading', counts: { failed: 0 }, requestsPerSecond: expect.any(Number) },
      { agent: 'boreas', state: 'loading', counts: { failed: 0 }, requestsPerSecond: expect.any(Number) },
    ]);
    expect(fleet.snapshots.at(-1)).not.toHaveProperty('agents');
    for (const end of await Promise.all(fleet.ends)) expect(end.kind).toBe('done');
  });

  test('groups the failures of both by the message of the server, while it goes on and at its end', async () => {
    using folder = temporaryDirectory();
    await using server = await stubServer(index => ({
      kind: 'json',
      status: 500,
      body: { error: { message: `worker ${index} died` } },
    }));
    const fleet = new FleetHere(folder.path, ['atlas', 'boreas'], { targets: [originOf(server.url)] });
    const { report } = await fleet.run(requestHere(server.url, { samplesMax: 60 }));
    expect(report.failures).toMatchObject({
      groups: [
        {
          kind: 'http-status',
          statusCode: 500,
          message: 'worker # died',
          isVaried: true,
          count: 60,
          warmupCount: 0,
        },
      ],
      outages: [],
    });
    const live = fleet.snapshots
      .filter(({ state }) => state === 'live')
      .flatMap(({ failures }) => failures ?? []);
    expect(live.at(-1)?.groups).toMatchObject([{ message: 'worker # died', count: expect.any(Number) }]);
    // On one clock: an agent begins to count when it is prepared, before the coordinator starts the load.
    const [final] = isUnknown(report.failures) ? [] : report.failures.groups;
    expect(live.at(-1)?.groups[0]?.firstAtNs).toBeLessThanOrEqual((final?.lastAtNs ?? 0) + 1e6);
  });

  test('has error bounds that hold the gaps as the server wrote them', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock({ ttftMs: 5, gapMs: 5, outputTokens: 20, stampsWrites: true });
    const fleet = new FleetHere(folder.path, ['atlas', 'boreas'], { targets: [originOf(mock.url)] });
    const { report } = await fleet.run(
      requestHere(mock.url, {
        pattern: { kind: 'concurrency', concurrency: 4 },
        durationMs: 1_000,
      }),
    );
    const reply = await fetch(`${mock.url}/mock/stamps`);
    const truth = decodeTruthStamps(Buffer.from(await reply.arrayBuffer()));
    const written = samplesIn(join(folder.path, 'run', 'samples.jsonl'))
      .filter(({ window }) => window >= 0)
      .flatMap(({ sampleId }) => {
        const { writeNs = [] } = truth.get(sampleId) ?? {};
        return writeNs.slice(1).map((ns, at) => Number(ns - (writeNs[at] ?? 0n)));
      });
    const gaps = report.series.chunkGapNs;
    expect(gaps?.count).toBe(written.length);
    const sorted = Float64Array.from(written).sort();
    // Not the tail: where the machine is busy, the mock itself is held up between its stamp and its write.
    for (const p of ['50', '90']) {
      const bound = gaps?.errorBound?.percentiles[p];
      const error = (gaps?.percentiles[p] ?? 0) - lowerPercentile(sorted, Number(p));
      expect(bound?.above, p).toBeGreaterThan(error - 1_000);
      expect(bound?.below, p).toBeGreaterThan(-error - 1_000);
    }
    expect(report.rateBounds).toMatchObject({
      windowNs: { above: expect.any(Number), below: expect.any(Number) },
    });
  });
});
