import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import type { BenchRequest } from '../../../src/bench/run/bench-request.ts';
import { benchExit } from '../../../src/cli/commands/bench.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { rebuildReport } from '../../../src/metrics/report-sources.ts';
import { reportVerdict } from '../../../src/render/run/report-summary.ts';
import { renderReport } from '../../../src/render/run/text-report.ts';
import { partsHere, requestHere } from '../../bench/run-here.ts';
import { type StubReply, stubServer } from '../../support/stub-server.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-stopped-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const GOOD: StubReply = {
  kind: 'stream',
  events: [
    { choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ],
};
const WRONG_KEY: StubReply = {
  kind: 'json',
  status: 401,
  body: { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } },
};

const ranAgainst = async (reply: (index: number) => StubReply, changes: Partial<BenchRequest>) => {
  await using server = await stubServer(reply);
  const request = requestHere(server.url, {
    pattern: { kind: 'concurrency', concurrency: 2 },
    samplesMax: undefined,
    durationMs: 60_000,
    warmup: { kind: 'default' },
    model: 'tiny',
    ...changes,
  });
  const { report, diskProblems } = await runBench(request, partsHere(folder));
  const exit = benchExit(report, { maxFailures: 0, needsTrustworthy: false, diskProblems });
  const lines = renderReport(report, { isUnicode: true, isFull: false });
  return { exit, report, lines, requests: server.requestCount };
};

test('a wrong key is refused once: the run stops after its warm-up, and reports why and what to do', async () => {
  const { exit, report, lines, requests } = await ranAgainst(() => WRONG_KEY, {});
  expect(exit).toBe('benchStopped');
  expect(requests).toBe(1);
  expect(report.stopped?.cause).toBe('rejected');
  expect(report.counts.issued).toBe(0);
  // However the client did, it changed no figure.
  expect(report.client.verdict).not.toBe('client-bound');
  expect(
    lines
      .slice(0, 7)
      .join('\n')
      .replaceAll(/\d:\d\d/gu, 'TIME'),
  ).toBe(
    `STOPPED: every request would fail as the one of the warm-up did: HTTP 401,
Incorrect API key provided. To send the load all the same: --keep-going.

  1 × HTTP 401, at TIME, in warm-up: Incorrect API key provided
    → Provide a key that the server accepts: --api-key-file FILE, or set
      OPENAI_API_KEY.
`,
  );
  // A report rebuilt from the run directory has the same.
  expect((await rebuildReport(join(folder, 'run'))).stopped).toEqual(report.stopped);
});

test('--keep-going sends the load to a server that refused the warm-up', async () => {
  const { exit, report } = await ranAgainst(() => WRONG_KEY, {
    durationMs: undefined,
    samplesMax: 4,
    stopRules: { when: [], keepsGoing: true },
  });
  expect(exit).toBe('benchFailures');
  expect(report.stopped).toBeUndefined();
  expect(report.counts).toMatchObject({ issued: 4, failed: 4 });
  expect(report.notices.some(notice => /^users waited .* before they sent again/u.test(notice))).toBe(true);
});

test('--stop-when ends a run in which more requests fail than it reports', async () => {
  const { exit, report, lines } = await ranAgainst(index => (index === 0 ? GOOD : WRONG_KEY), {
    stopRules: { when: [{ failedShareMax: 0.5, windowMs: 1_000 }], keepsGoing: false },
  });
  expect(exit).toBe('benchStopped');
  expect(report.stopped?.cause).toBe('stop-when');
  expect(lines[0]).toMatch(/^STOPPED: \d+ of \d+ requests that ended within 1 s failed \(--stop-when/u);
  expect(report.complete).toBe(false);
});

test('requests that are in flight after --grace are cancelled and counted apart, and fail nothing', async () => {
  // Replies come long after the load is over.
  const { exit, report, lines } = await ranAgainst(
    index => (index < 3 ? GOOD : { ...GOOD, afterMs: 20_000 }),
    { durationMs: 200, shape: { ...PLAIN_SHAPE, graceMs: 100 } },
  );
  expect(exit).toBe('ok');
  expect(report.complete).toBe(true);
  expect(report.counts).toMatchObject({ issued: 4, completed: 2, failed: 0, cancelled: 2, unresolved: 0 });
  expect(lines.join('\n')).toContain('2 requests were still in flight when the time of --grace was over');
});

test('a run whose every request is cancelled after --grace reports that nothing was measured, and what to lengthen', async () => {
  const { exit, report, lines } = await ranAgainst(
    index => (index === 0 ? GOOD : { ...GOOD, afterMs: 20_000 }),
    { durationMs: 200, shape: { ...PLAIN_SHAPE, graceMs: 0 } },
  );
  expect(exit).toBe('benchTooFew');
  expect(report.counts).toMatchObject({ completed: 0, failed: 0, cancelled: 2 });
  expect(report.client.verdict).not.toBe('client-bound');
  expect(lines.slice(0, 2).join(' ')).toContain(
    'NO REQUEST COMPLETED: all 2 were cancelled after --grace 0s; lengthen --duration or --grace.',
  );
  expect(reportVerdict(report)).toMatchObject({
    tone: 'bad',
    headline: 'No request completed: all 2 were cancelled after --grace 0s; lengthen --duration or --grace',
  });
  // A report rebuilt from the run directory has the same.
  expect((await rebuildReport(join(folder, 'run'))).cutAfterGrace).toBe(2);
});

test('an error in a reply of status 200 is backed off from, too', async () => {
  const error: StubReply = {
    kind: 'stream',
    events: [{ error: { message: 'no such adapter', code: 500 } }],
  };
  const { report, requests } = await ranAgainst(() => error, { durationMs: 2_000 });
  expect(report.counts.completed).toBe(0);
  expect(requests).toBeLessThanOrEqual(30);
  expect(requests).toBeGreaterThan(4);
});
