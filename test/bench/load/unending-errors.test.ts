// Errors whose body never ends: the status is known, and the connection is closed after 2 s or 64 KiB, not after --timeout.

import { expect, test } from 'vitest';
import type { LoadPlan } from '../../../src/bench/load/load-plan.ts';
import { CHUNKED_HEAD, chunkedStream, reply, STREAM } from '../target/reply-shapes.ts';
import type { RunHere } from './run-here.ts';
import { runVirtually } from './run-virtually.ts';

const CONNECT_MS = 0.001;
const REPLY_MS = 5;
/** Of the load's timer. */
const TICK_MS = 20;
const three: Partial<LoadPlan> = { limits: { samplesMax: 3, durationNs: undefined } };

const tookMs = ({ samples }: RunHere): readonly number[] =>
  samples.map(({ endNs, sentNs }) => (endNs - sentNs) / 1e6);
const failures = ({ samples }: RunHere) => samples.map(({ failure }) => failure);

test.each([
  ['HTTP chunks', 'transfer-encoding: chunked', '4\r\nhalf\r\n'],
  ['a length', 'content-length: 4000', 'half'],
  ['the end of the connection', 'connection: close', 'half'],
])('an error that stalls, delimited by %s, is a failure of its status after 2 s', async (_, head, body) => {
  const stalled = reply(`HTTP/1.1 500 Oops\ncontent-type: text/plain\n${head}`, body);
  const run = await runVirtually(three, { reply: () => stalled, replyMs: REPLY_MS });
  expect(failures(run)).toEqual(Array(3).fill({ kind: 'http-status', statusCode: 500, detail: 'half' }));
  for (const ms of tookMs(run)) {
    expect(ms).toBeGreaterThanOrEqual(REPLY_MS + 2_000 - CONNECT_MS);
    expect(ms).toBeLessThanOrEqual(REPLY_MS + 2_000 + TICK_MS);
  }
  expect(run.counts).toMatchObject({ opened: 3, closed: 3, reused: 0 });
});

test('an error without an end is a failure of its status after 64 KiB', async () => {
  const endless = reply('HTTP/1.1 500 Oops\ncontent-length: 99000000', 'y '.repeat(32_769));
  const run = await runVirtually(three, { reply: () => endless, replyMs: REPLY_MS });
  expect(failures(run)).toEqual(
    Array(3).fill({
      kind: 'http-status',
      statusCode: 500,
      detail: expect.stringMatching(/^y y y/),
    }),
  );
  for (const ms of tookMs(run)) expect(ms).toBeCloseTo(REPLY_MS, 1);
});

test('a reply of status 200 that pauses for longer is waited for', async () => {
  const run = await runVirtually(
    { ...three, limits: { samplesMax: 1, durationNs: undefined } },
    { reply: () => reply(CHUNKED_HEAD, '4\r\ndata\r\n'), replyMs: REPLY_MS },
  );
  expect(failures(run)).toMatchObject([{ kind: 'timeout', statusCode: 200 }]);
  expect(tookMs(run)[0]).toBeGreaterThanOrEqual(10_000);
});

test('an error of exactly 64 KiB that ends keeps its connection', async () => {
  const long = reply('HTTP/1.1 500 Oops\ncontent-length: 65536', 'y '.repeat(32_768));
  const good = chunkedStream(STREAM);
  const run = await runVirtually(three, {
    reply: request => (request === 0 ? long : good),
    replyMs: REPLY_MS,
  });
  expect(run.samples.map(({ outcome }) => outcome)).toEqual(['failed', 'completed', 'completed']);
  expect(run.counts).toMatchObject({ opened: 1, reused: 2 });
});
