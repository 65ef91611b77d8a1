// The whole command against a server that fails in every way of the mock's tables, one after another: every request
// is counted once, as what it was, and the run's totals match the server's own log.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failureKindRows } from '../../../src/core/run/outcome.ts';
import { FAULT_CASES } from '../../../src/mock/cases/fault-cases.ts';
import { FAILURES } from '../../../src/mock/failures.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { decodeSampleLine } from '../../../src/wire/sample-line.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere, expectInvariants } from './bench-here.ts';

test('a run against every failure counts each as what it is', { timeout: 120_000 }, async () => {
  using folder = temporaryDirectory();
  await using mock = await spawnMock(
    { ttftMs: 2, gapMs: 1, outputTokens: 10, failure: 'any' },
    { nodePath: process.execPath, env: process.env },
  );
  const requests = FAILURES.length + FAULT_CASES.length;
  const run = await benchHere(folder.path, [
    mock.url,
    ...['--model', 'mock-model', '--no-warmup', '--events', 'off', '--max-failures', String(requests)],
    ...['--requests', String(requests), '--concurrency', '24'],
    ...['--timeout', '4s', '--timeout-first-byte', '4s', '--timeout-idle', '3s'],
  ]);
  expect(run.exit).toBe('ok');
  const report = run.report();
  expectInvariants(report);
  expect(report).toMatchObject({
    complete: true,
    droppedEvents: 0,
    counts: { issued: requests, cancelled: 0 },
  });

  const reported: { outcomes: Record<string, number>; requests: number } = JSON.parse(
    await (await fetch(`${mock.url}/mock/log?entries=0`)).text(),
  );
  // Of a stream that has ended and whose connection does not, the client leaves.
  const { completed = 0, cancelled: left = 0, reset = 0, ...failures } = reported.outcomes;
  const { reset: resets = 0, ...errors } = Object.fromEntries(failureKindRows(report));
  expect(errors).toEqual(failures);
  // A reused connection that is closed at once cannot be distinguished from a stale one: its request is resent, and the server may
  // have read it (`close-before-headers`, `stale-connection`) or not (`keep-alive-lie`).
  const readTwice = reported.requests - requests;
  const { stale } = report.client.connections;
  expect(readTwice).toBeGreaterThanOrEqual(0);
  expect(readTwice).toBeLessThanOrEqual(stale);
  expect(completed + left - report.counts.completed + (reset - resets)).toBe(readTwice);

  const lines = readFileSync(join(run.directory, 'samples.jsonl'), 'utf8').trimEnd().split('\n');
  expect(lines.map(line => decodeSampleLine(line).kind).filter(kind => kind === 'sample')).toHaveLength(
    requests,
  );
});
