// What a search for a load line asks of its stages.

import { describe, expect, test } from 'vitest';
import type { SearchOptions } from '../../../src/bench/line/line-search.ts';
import { runLine, withFailuresCounted } from '../../../src/bench/sweep/run-line.ts';
import { lineExit } from '../../../src/cli/commands/line.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import type { Objective } from '../../../src/core/run/objective.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { sweepText } from '../../../src/render/sweep/sweep-text.ts';
import { stubServer } from '../../support/stub-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { stageParts, startQueue, stoppedAtSecond } from './stage-setting.ts';

const SEARCH: SearchOptions = {
  by: 'rate',
  arrival: { kind: 'poisson' },
  resolution: 0.05,
  loadMax: 100_000,
};

const START = {
  id: 'line-1',
  startedAt: '2026-01-01T00:00:00.000Z',
  command: '',
  resume: unknown('not stored'),
};

const optionOf = (...objectives: Objective[]): readonly Objective[] =>
  withFailuresCounted(stageParts({ url: 'http://127.0.0.1:1', directory: '.', objectives }).request)
    .objectives;

const MEAN: Objective = { kind: 'mean', name: 'ttft', limitNs: 5e8 };
const P95: Objective = { kind: 'percentile', name: 'ttft', percentile: 95, limitNs: 5e8 };
const EACH: Objective = { kind: 'request', name: 'ttft', limitNs: 5e8 };

describe('a search for a load line', () => {
  test('counts failures also where no objective does, so that a load which is refused is not carried', () => {
    const few: Objective = { kind: 'error-rate', limitShare: expect.closeTo(0.05) };
    expect(optionOf()).toEqual([few]);
    expect(optionOf(MEAN)).toEqual([MEAN, few]);
  });

  test('asks nothing more where failures count as misses already', () => {
    expect(optionOf(P95)).toEqual([P95]);
    expect(optionOf(EACH, MEAN)).toEqual([EACH, MEAN]);
    expect(optionOf({ kind: 'error-rate', limitShare: 0 })).toEqual([{ kind: 'error-rate', limitShare: 0 }]);
  });

  test('that is stopped while a stage is prepared ends with the stages before', async () => {
    using folder = temporaryDirectory();
    await using mock = await startQueue({ ttftMs: 1 });
    const { document, diskProblems } = await runLine(
      { start: START, search: SEARCH, budgetMs: 60_000 },
      stoppedAtSecond({ url: mock.url, directory: folder.path }),
      { changed: () => undefined, stageEnded: async () => undefined },
    );
    expect(document.stages.map(({ number, state }) => [number, state])).toEqual([[1, 'ended']]);
    expect(document.state).toBe('stopped');
    expect(EXIT_CODES[lineExit({ document, diskProblems })]).toBe(EXIT_CODES.benchInterrupted);
  });

  test('that the server refuses reports why and what to do, and ends with the code of a run that was stopped', async () => {
    using folder = temporaryDirectory();
    await using server = await stubServer(() => ({
      kind: 'json',
      status: 401,
      body: { error: { message: 'Incorrect API key provided' } },
    }));
    const { document, diskProblems } = await runLine(
      {
        start: START,
        search: SEARCH,
        budgetMs: 60_000,
      },
      stageParts({ url: server.url, directory: folder.path }),
      { changed: () => undefined, stageEnded: async () => undefined },
    );
    expect(diskProblems).toEqual([]);
    expect(EXIT_CODES[lineExit({ document, diskProblems })].code).toBe(23);
    expect(document.line).toEqual({
      kind: 'unknown',
      reason: 'every request would fail as the one of the warm-up did: HTTP 401, Incorrect API key provided',
    });
    const text = sweepText(document, { isUnicode: true, columns: 80 }).join('\n');
    expect(
      text
        .replaceAll(/at \d:\d\d/gu, 'TIME')
        .split('\n')
        .slice(0, 5)
        .join('\n'),
    ).toBe(
      `STOPPED at stage 1, 1 at a time: every request would fail as the one of the
warm-up did: HTTP 401, Incorrect API key provided. Provide a key that the server
accepts: --api-key-file FILE, or set OPENAI_API_KEY. To send the load all the
same: --keep-going.
  1 × HTTP 401, TIME, in warm-up: Incorrect API key provided`,
    );
  });
});
