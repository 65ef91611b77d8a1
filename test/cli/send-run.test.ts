// What a person reads of the sending of a run to a receiver of OpenTelemetry.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SendingBudget, sendingLimitOf, sendRun } from '../../src/cli/send-run.ts';
import { encodeSampleLine } from '../../src/wire/sample-line.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { MadeUpRun } from '../support/made-up-run.ts';
import { sampleOf } from '../support/sample-of.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

test('a run that was interrupted is sent too, marked, unless its person asks for the end once more', async () => {
  using folder = temporaryDirectory();
  const report = { ...new MadeUpRun({ directory: folder.path }).report(), interrupted: true };
  writeFileSync(join(folder.path, 'samples.jsonl'), encodeSampleLine(sampleOf({})));
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
    request.on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  try {
    const own = madeUpProcess([]);
    own.stop('SIGINT');
    await sendRun(report, folder.path, endpoint, own.state);
    expect(own.stderr.text).toContain('marked as of an interrupted run');
    expect(bodies).toHaveLength(2);
    for (const body of bodies) expect(body).toContain('"plimsoll.run.interrupted"');
    const hasty = madeUpProcess([]);
    hasty.stop('SIGINT');
    hasty.stop('SIGINT');
    await sendRun(report, folder.path, endpoint, hasty.state);
    expect(hasty.stderr.text).toContain(`plimsoll report ${folder.path} --otlp ${endpoint}`);
    expect(bodies).toHaveLength(2);
  } finally {
    server.close();
  }
});

test('who stops a command waits once for all that it sends, not for each stage', () => {
  const { state, stop } = madeUpProcess([]);
  const limit = sendingLimitOf(state);
  expect(limit()).toBe(state.stop);
  stop('SIGINT');
  const stopped = limit();
  expect(stopped.aborted).toBe(false);
  expect(limit()).toBe(stopped);
  stop('SIGINT');
  expect(limit().aborted).toBe(true);
});

test('all stages of a command share five seconds, however many there are', async () => {
  const clock = new VirtualClock();
  const budget = new SendingBudget(clock);
  const given: number[] = [];
  for (const tookMs of [3_000, 1_500, 2_000, 0])
    await budget.spend(async leftMs => {
      given.push(leftMs);
      await clock.advance(tookMs);
    });
  expect(given).toEqual([5_000, 2_000, 500, 0]);
});
