// Several base URLs in one run: who is sent what, that one that is down spoils nothing of the others, and that each has figures.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { BenchError } from '../../../src/bench/bench-error.ts';
import type { BenchRequest } from '../../../src/bench/run/bench-request.ts';
import { queryTargets } from '../../../src/bench/run/target-spread.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { decodeSampleLine } from '../../../src/wire/sample-line.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';

const QUICK = { ttftMs: 1, gapMs: 0, outputTokens: 3 };

const spreadOver = (
  urls: readonly (readonly [url: string, weight: number])[],
  changes: Partial<BenchRequest>,
): BenchRequest => {
  const targets = urls.map(([url, weight]) => ({ target: requestHere(url).target, weight }));
  return requestHere(urls[0]?.[0] ?? '', { ...changes, targets });
};

describe('a run with several URLs', () => {
  test('sends each its share of the requests over any transport, and reports their results', async () => {
    using folder = temporaryDirectory();
    await using one = await startMock(QUICK);
    await using other = await startMock({ ...QUICK, socketPath: join(folder.path, 'mock') });
    const { report } = await runBench(
      spreadOver(
        [
          [one.url, 3],
          [other.url, 1],
        ],
        {
          samplesMax: 40,
          pattern: { kind: 'concurrency', concurrency: 4 },
          warmup: { kind: 'default' },
        },
      ),
      partsHere(folder.path),
    );
    expect(report.counts).toMatchObject({ issued: 40, completed: 40 });
    expect(report.variants).toMatchObject([
      { variant: 0, completed: 30, failed: 0, outputTokens: 90, errors: {}, usageMissing: 0 },
      { variant: 1, completed: 10, failed: 0, outputTokens: 30 },
    ]);
    expect(report.run).toMatchObject({
      target: `${one.url}, ${other.url}`,
      serverKind: 'Plimsoll mock',
      urls: [
        { url: one.url, weight: 3, serverKind: 'Plimsoll mock' },
        { url: other.url, weight: 1, serverKind: 'Plimsoll mock' },
      ],
    });
    // Each was warmed up, and only once.
    expect([one.log().requests, other.log().requests]).toEqual([31, 11]);
  });

  test('goes on with the others where one is down, and counts its requests as its own errors', async () => {
    using folder = temporaryDirectory();
    await using up = await startMock(QUICK);
    const down = await startMock(QUICK);
    await down.stop();
    const { report } = await runBench(
      spreadOver(
        [
          [up.url, 1],
          [down.url, 1],
        ],
        {
          samplesMax: 20,
          pattern: { kind: 'constant', requestsPerSecond: 200 },
          warmup: { kind: 'default' },
        },
      ),
      partsHere(folder.path),
    );
    expect(report.variants).toMatchObject([
      { variant: 0, completed: 10, failed: 0 },
      { variant: 1, completed: 0, failed: 10, errors: { connect: 10 }, ttftNs: null },
    ]);
    expect(report.notices.join('\n')).toContain(`${down.url} cannot be reached`);
    expect(report.run.urls).toMatchObject([
      { serverKind: 'Plimsoll mock' },
      { serverKind: { kind: 'unknown' } },
    ]);
  });

  test('plays each session to its end at one URL', async () => {
    using folder = temporaryDirectory();
    await using one = await startMock(QUICK);
    await using other = await startMock(QUICK);
    const { report } = await runBench(
      spreadOver(
        [
          [one.url, 1],
          [other.url, 1],
        ],
        {
          pattern: { kind: 'concurrency', concurrency: 3 },
          shape: { ...PLAIN_SHAPE, sessions: { concurrencyOf: 'sessions' } },
          sessions: { turns: { kind: 'fixed', value: 3 }, thinkTime: undefined, answers: 'live' },
          samplesMax: 6,
        },
      ),
      partsHere(folder.path),
    );
    expect(report.counts).toMatchObject({ issued: 18, completed: 18 });
    const urlsOf = Map.groupBy(
      readFileSync(join(folder.path, 'run', 'samples.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
        .map(decodeSampleLine)
        .flatMap(line => (line.kind === 'sample' ? [line.sample] : [])),
      ({ turn }) => turn?.session,
    );
    expect([...urlsOf.values()].map(turns => new Set(turns.map(({ note }) => note?.variant)).size)).toEqual([
      1, 1, 1, 1, 1, 1,
    ]);
    const sent = [one.log().requests, other.log().requests];
    expect(sent.every(requests => requests > 0 && requests % 3 === 0)).toBe(true);
    expect(report.variants?.map(({ completed }) => completed)).toEqual(sent);
  });

  test('has what each server reported about itself, by its URL', async () => {
    const servers = [1, 2].map(port => ({
      target: requestHere(`http://127.0.0.1:${port}`).target,
      weight: 1,
    }));
    const requested = await queryTargets(servers, async ({ shown }) => ({
      model: 'm',
      serverKind: shown.endsWith('1') ? 'vLLM' : 'SGLang',
      reported: [{ from: 'GET /version', facts: [{ name: 'version', value: shown.slice(-1) }] }],
      notices: [],
    }));
    expect(requested).toMatchObject({
      serverKind: { kind: 'unknown', reason: 'servers of several kinds: vLLM, SGLang' },
      serverKinds: ['vLLM', 'SGLang'],
      reported: [{ from: 'http://127.0.0.1:1 GET /version' }, { from: 'http://127.0.0.1:2 GET /version' }],
    });
  });

  test('is refused where they serve different models and none was named', async () => {
    const target = (url: string) => ({ target: requestHere(url).target, weight: 1 });
    const servers = [target('http://127.0.0.1:1'), target('http://127.0.0.1:2')];
    const none = unknown('not asked');
    const requested = queryTargets(servers, async ({ shown }) => ({
      model: `model of ${shown}`,
      serverKind: none,
      reported: none,
      notices: [],
    }));
    await expect(requested).rejects.toThrow(
      '127.0.0.1:1 serves "model of http://127.0.0.1:1" and http://127',
    );
    const gone = new BenchError({ code: 'unreachable', problem: 'nobody is there', advice: 'Start it.' });
    await expect(queryTargets(servers, () => Promise.reject(gone))).rejects.toBe(gone);
  });
});
