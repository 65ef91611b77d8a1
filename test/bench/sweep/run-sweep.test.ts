// What a sweep does when what it knows cannot be written down.

import { expect, test } from 'vitest';
import { runSweep } from '../../../src/bench/sweep/run-sweep.ts';
import { SWEEP_SCHEMA, type SweepDocument } from '../../../src/core/sweep/sweep-document.ts';
import { madeUpSweep } from '../../support/made-up-line.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { stageParts, startQueue } from './stage-setting.ts';

const sweepThatCannotWrite = async (fault: Error): Promise<SweepDocument> => {
  await using mock = await startQueue({ ttftMs: 1 });
  using folder = temporaryDirectory();
  const asked = [1, 2, 3].map(concurrency => ({ kind: 'concurrency', concurrency }) as const);
  return await runSweep(
    { durationMs: 300, warmup: { kind: 'none' }, pauseMs: 1, isStubborn: false },
    {
      stage: stageParts({ url: mock.url, directory: folder.path }),
      document: { ...madeUpSweep('sweep-1'), schema: SWEEP_SCHEMA, asked, stages: [] },
      write: () => Promise.reject(fault),
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

test('a sweep whose file cannot be written stops after the stage, keeps it, and says why', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const document = await sweepThatCannotWrite(full);
  expect(document.stages.map(({ number, state }) => [number, state])).toEqual([[1, 'ended']]);
  expect(document).toMatchObject({
    state: 'interrupted',
    endedEarly: 'sweep.json could not be written: no space left on the disk',
  });
});

test('a sweep hides no error of its own behind the disk', async () => {
  await expect(sweepThatCannotWrite(new Error('not of the disk'))).rejects.toThrow('not of the disk');
});
