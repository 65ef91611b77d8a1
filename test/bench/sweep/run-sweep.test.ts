// What a sweep does when its results cannot be written, and when the server refuses its requests.

import { expect, test } from 'vitest';
import type { Warmup } from '../../../src/bench/run/bench-request.ts';
import type { StageParts } from '../../../src/bench/sweep/run-stage.ts';
import { runSweep } from '../../../src/bench/sweep/run-sweep.ts';
import { sweepExit } from '../../../src/cli/commands/sweep.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { SWEEP_SCHEMA, type SweepDocument } from '../../../src/core/sweep/sweep-document.ts';
import { sweepText } from '../../../src/render/sweep/sweep-text.ts';
import { sweepDocumentFromJson, sweepDocumentToJson } from '../../../src/wire/stored-json.ts';
import { madeUpSweep } from '../../support/made-up-line.ts';
import { stubServer } from '../../support/stub-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { stageParts, startQueue, stoppedAtSecond } from './stage-setting.ts';

const withoutTimes = (line: string): string => line.replace(/(?:at )?\d:\d\d(?: to \d:\d\d)?/u, 'TIME');

const sweepThatCannotWrite = async (fault: Error): Promise<SweepDocument> => {
  await using mock = await startQueue({ ttftMs: 1 });
  return await sweepOf(mock.url, { kind: 'none' }, () => Promise.reject(fault));
};

const sweepOf = async (
  url: string,
  warmup: Warmup,
  write: () => Promise<void>,
  partsOf: (setting: { readonly url: string; readonly directory: string }) => StageParts = stageParts,
): Promise<SweepDocument> => {
  using folder = temporaryDirectory();
  const requested = [1, 2, 3].map(concurrency => ({ kind: 'concurrency', concurrency }) as const);
  return await runSweep(
    { durationMs: 300, warmup, pauseMs: 1, isStubborn: false },
    {
      stage: partsOf({ url, directory: folder.path }),
      document: { ...madeUpSweep('sweep-1'), schema: SWEEP_SCHEMA, requested, stages: [] },
      write,
      observer: {
        phase: () => undefined,
        snapshot: () => undefined,
        notice: () => undefined,
        stageBegan: () => undefined,
        stageEnded: async () => undefined,
        changed: () => undefined,
      },
    },
  );
};

test('a sweep whose file cannot be written stops after the stage, keeps it, and reports why', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const document = await sweepThatCannotWrite(full);
  expect(document.stages.map(({ number, state }) => [number, state])).toEqual([[1, 'ended']]);
  expect(document).toMatchObject({
    state: 'interrupted',
    endedEarly: 'sweep.json could not be written: no space left on the disk',
  });
});

test('a sweep that is stopped while a stage is prepared ends with the stages before', async () => {
  await using mock = await startQueue({ ttftMs: 1 });
  const document = await sweepOf(mock.url, { kind: 'none' }, async () => undefined, stoppedAtSecond);
  expect(document.stages.map(({ number, state }) => [number, state])).toEqual([[1, 'ended']]);
  expect(document.state).toBe('stopped');
  expect(EXIT_CODES[sweepExit(document, false)]).toBe(EXIT_CODES.benchInterrupted);
});

test('a sweep hides no error of its own behind the disk', async () => {
  await expect(sweepThatCannotWrite(new Error('not of the disk'))).rejects.toThrow('not of the disk');
});

test('a sweep ends with the first stage whose warm-up the server refuses, and reports why', async () => {
  await using server = await stubServer(() => ({
    kind: 'json',
    status: 401,
    body: { error: { message: 'Incorrect API key provided' } },
  }));
  const document = await sweepOf(server.url, { kind: 'requests', count: 2 }, async () => undefined);
  expect(server.requestCount).toBe(2);
  expect(document.stages).toHaveLength(1);
  expect(document).toMatchObject({
    state: 'interrupted',
    endedEarly:
      'it ended at stage 1, 1 at a time: every request would fail as all 2 requests of the warm-up did: HTTP 401, Incorrect API key provided',
    stages: [{ verdict: 'broken' }],
    stopped: { failures: { groups: [{ statusCode: 401, warmupCount: 2 }] } },
  });
  expect(EXIT_CODES[sweepExit(document, false)].code).toBe(23);
  const lines = sweepText(document, { isUnicode: true, columns: 80 }).map(withoutTimes);
  expect(lines.slice(0, 7).join('\n')).toBe(
    `STOPPED at stage 1, 1 at a time: every request would fail as all 2 requests of
the warm-up did: HTTP 401, Incorrect API key provided. Provide a key that the
server accepts: --api-key-file FILE, or set OPENAI_API_KEY. To send the load all
the same: --keep-going.
  2 × HTTP 401, TIME, in warm-up: Incorrect API key provided

0 of 1 load held. At 1 at a time nothing was answered.`,
  );
  expect(lines.join('\n')).not.toMatch(/undecided|too few/iu);
  // The stored document is the same.
  expect(sweepDocumentFromJson(sweepDocumentToJson(document)).stopped).toEqual(document.stopped);
});
