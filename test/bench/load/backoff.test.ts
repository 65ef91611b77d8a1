// Users of a closed loop against a server that refuses at once: how many requests it gets, and what is reported of the wait.

import { expect, test } from 'vitest';
import { backoffNs } from '../../../src/bench/load/failure-backoff.ts';
import type { LoadPlan } from '../../../src/bench/load/load-plan.ts';
import { chunkedStream, STREAM } from '../target/reply-shapes.ts';
import type { RunHere } from './run-here.ts';
import { runVirtually } from './run-virtually.ts';

const GOOD = chunkedStream(STREAM);
const refusal = (status: string, body: string): Buffer =>
  Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: text/html\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
const WRONG_KEY = refusal('401 Unauthorized', '{"error":{"message":"Incorrect API key provided"}}');
const BAD_GATEWAY = refusal('502 Bad Gateway', '<html><head><title>502 Bad Gateway</title></head></html>');

const tenSeconds = (concurrency: number): Partial<LoadPlan> => ({
  pattern: { kind: 'concurrency', concurrency },
  limits: { samplesMax: undefined, durationNs: 10e9 },
});

const backoffOf = ({ records }: RunHere): number =>
  records.reduce((sum, record) => sum + (record.kind === 'client.observed' ? record.backoffNs : 0), 0);

const sentMs = ({ samples, startNs }: RunHere): readonly number[] =>
  samples.map(({ sentNs }) => Math.round((sentNs - startNs) / 1e6));

test.each([
  ['a wrong key', WRONG_KEY],
  ['a gateway without a server', BAD_GATEWAY],
])('two users send at most 60 requests in 10 s to %s', async (_, reply) => {
  const run = await runVirtually(tenSeconds(2), { reply: () => reply, replyMs: 1 });
  expect(run.samples.length).toBeLessThanOrEqual(60);
  expect(run.samples.length).toBeGreaterThanOrEqual(26);
  expect(run.samples.every(({ outcome }) => outcome === 'failed')).toBe(true);
});

test('the wait doubles from 50 ms to 1 s, and is reported', async () => {
  const run = await runVirtually(tenSeconds(1), { reply: () => WRONG_KEY, replyMs: 1 });
  const gaps = sentMs(run).map((ms, at, all) => ms - (all[at - 1] ?? 0));
  // A beat of 20 ms later at most, and the millisecond of the reply.
  for (const [at, wanted] of [50, 100, 200, 400, 800, 1_000, 1_000].entries()) {
    expect(gaps[at + 1]).toBeGreaterThanOrEqual(wanted);
    expect(gaps[at + 1]).toBeLessThanOrEqual(wanted + 22);
  }
  expect(backoffOf(run) / 1e9).toBeGreaterThan(9.9);
  expect(backoffOf(run) / 1e9).toBeLessThanOrEqual(10.02);
});

test('a success ends the doubling', async () => {
  // Every third request is answered.
  const run = await runVirtually(tenSeconds(1), {
    reply: request => (request % 3 === 2 ? GOOD : WRONG_KEY),
    replyMs: 1,
  });
  const gaps = sentMs(run).map((ms, at, all) => ms - (all[at - 1] ?? 0));
  const longest = Math.max(...gaps);
  expect(longest).toBeGreaterThanOrEqual(100);
  expect(longest).toBeLessThanOrEqual(122);
});

test('requests that fail after a second or more are followed at once, and reported without backoff', async () => {
  const run = await runVirtually(tenSeconds(1), { reply: () => WRONG_KEY, replyMs: 1_001 });
  expect(run.samples).toHaveLength(10);
  expect(backoffOf(run)).toBe(0);
});

test('a connection that is closed without a reply counts as a failure, too', async () => {
  const run = await runVirtually(tenSeconds(2), { reply: () => undefined, replyMs: 1 });
  expect(run.samples.length).toBeLessThanOrEqual(60);
});

test('users wait 50 ms, doubling to a second', () => {
  expect([0, 1, 2, 3, 4, 5, 1_000].map(streak => backoffNs(streak) / 1e6)).toEqual([
    50, 100, 200, 400, 800, 1_000, 1_000,
  ]);
});

test('while nothing has succeeded, a reply of status 200 that is an error is followed by a wait, too', async () => {
  const run = await runVirtually(
    tenSeconds(2),
    { reply: () => GOOD, replyMs: 1 },
    {
      whileRunning: load => {
        load.isFailing = true;
      },
    },
  );
  expect(run.samples.length).toBeLessThanOrEqual(60);
});
