// A search that is resumed: what its file contains suffices to continue it, and which stages count.

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import type { SearchOptions } from '../../../src/bench/line/line-search.ts';
import { searchedStages } from '../../../src/bench/line/searched-stages.ts';
import { readLine, resumeLineDirectory } from '../../../src/bench/sweep/sweep-directory.ts';
import { type Stage, stageSchema } from '../../../src/core/sweep/stage.ts';
import type { LineDocument } from '../../../src/core/sweep/sweep-document.ts';
import { isUnknown, unknown } from '../../../src/core/unknown.ts';
import { LINE_CELLS } from '../../support/line-cells.ts';
import { madeUpLine, writeLine } from '../../support/made-up-line.ts';
import { simulateLine } from '../../support/simulated-line.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const SEARCH: SearchOptions = {
  by: 'rate',
  arrival: { kind: 'poisson' },
  resolution: 0.05,
  loadMax: 100_000,
};

const [anyStage] = madeUpLine().stages;

describe('a search that is cut off after a stage', { timeout: 120_000 }, () => {
  test.each(LINE_CELLS.filter((_, at) => at % 6 === 1))(
    'and resumed from its file finds what it would have found: $name',
    ({ endpoint }) => {
      const options = { ...SEARCH, budgetMs: 240_000, seed: 3 };
      const whole = simulateLine(endpoint, options);
      for (let count = 1; count < whole.stages.length; count += 3) {
        const before = whole.stages.slice(0, count);
        const resumed = simulateLine(endpoint, {
          ...options,
          before: before.map(stage => ({ ...stage, ...storedAndRead(stage) })),
        });
        expect(resumed.stages).toEqual(whole.stages);
        expect(resumed.line).toEqual(whole.line);
      }
    },
  );
});

/** As line.json has it. */
const storedAndRead = ({
  completedPerSecond,
  ...stage
}: ReturnType<typeof simulateLine>['stages'][number]): object => {
  if (anyStage === undefined || isUnknown(anyStage.figures)) throw new Error('it has no stage with figures');
  const { purpose, load, verdict, evidence } = stage;
  const stored: Stage = {
    ...anyStage,
    purpose,
    load,
    verdict,
    evidence,
    figures: { ...anyStage.figures, completedPerSecond },
  };
  const [read] = searchedStages([v.parse(stageSchema, JSON.parse(JSON.stringify(stored)))], undefined);
  if (read === undefined) throw new Error('it is no stage of a search');
  return read;
};

describe('the directory of a search that is resumed', () => {
  const searched = madeUpLine().stages.map((stage): Stage => ({ ...stage, evidence: { issued: 60 } }));

  const keptOf = async (stages: readonly Stage[], more: Partial<LineDocument> = {}) => {
    using folder = temporaryDirectory();
    const document = madeUpLine(undefined, { state: 'running', ...more, stages });
    writeLine(folder.path, document);
    for (const { directory } of stages) mkdirSync(join(folder.path, directory));
    const resumed = await resumeLineDirectory(folder.path, await readLine(folder.path));
    using _directory = resumed.directory;
    expect(resumed.document).not.toHaveProperty('progress');
    expect(resumed.document).not.toHaveProperty('stopped');
    expect(readdirSync(folder.path)).toEqual(expect.arrayContaining([...resumed.putAside]));
    return { kept: resumed.document.stages.map(({ number }) => number), putAside: resumed.putAside };
  };

  test('keeps stages up to the first that was stopped or never ended, and puts the rest aside', async () => {
    const [first, second, third] = searched;
    if (first === undefined || second === undefined || third === undefined) throw new Error('too few stages');
    expect(await keptOf([first, second, third])).toEqual({ kept: [1, 2, 3], putAside: [] });
    expect(await keptOf([first, { ...second, verdict: 'stopped' }])).toEqual({
      kept: [1],
      putAside: ['stage-02.cut-off-1'],
    });
    const { evidence: _none, ...running } = second;
    expect(await keptOf([first, { ...running, verdict: unknown('the stage is running') }])).toMatchObject({
      kept: [1],
    });
  });

  test('measures those at its end again at which the endpoint was gone', async () => {
    const [first, second, third] = searched;
    if (first === undefined || second === undefined || third === undefined) throw new Error('too few stages');
    const broken = { verdict: 'broken' } as const;
    expect(await keptOf([first, { ...second, ...broken }, { ...third, ...broken }])).toMatchObject({
      kept: [1],
    });
    expect(await keptOf([first, { ...second, ...broken }, third])).toMatchObject({ kept: [1, 2, 3] });
  });

  test('refuses one that is complete, with its result', async () => {
    using folder = temporaryDirectory();
    writeLine(folder.path, madeUpLine());
    await expect(readLine(folder.path)).rejects.toThrow('cannot be resumed: it is complete: carries');
  });

  test('refuses one without a file', async () => {
    using folder = temporaryDirectory();
    await expect(readLine(folder.path)).rejects.toThrow('it has no line.json');
  });
});
