// `plimsoll compare --resume DIR`: what is refused before anything is loaded, with advice.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resumeComparison } from '../../../src/bench/compare/comparison-directory.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import type { ComparisonDocument } from '../../../src/core/comparison/comparison-document.ts';
import { comparisonToJson } from '../../../src/wire/stored-json.ts';
import { madeUpComparison } from '../../support/made-up-comparison.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeTimedRun } from '../../support/timed-runs.ts';

const A = 'http://127.0.0.1:9';
const B = 'http://127.0.0.1:10';
const CUT: ComparisonDocument = {
  ...madeUpComparison([]),
  state: 'running',
  resume: { args: ['--a', A, '--b', B, '--rate', '8'], cwd: '/', secrets: [] },
};

const resume = async (document: ComparisonDocument | string, ...args: string[]) => {
  using folder = temporaryDirectory();
  const json = typeof document === 'string' ? document : comparisonToJson(document);
  if (json !== '') writeFileSync(join(folder.path, 'comparison.json'), json);
  const made = madeUpProcess(['compare', '--resume', folder.path, ...args]);
  const code = await made.run();
  return { code, problems: made.stderr.text };
};

describe('plimsoll compare --resume', () => {
  test.each([
    ['', [], 'benchRunDirectory', 'it has no comparison.json'],
    [comparisonToJson(CUT).slice(0, 400), [], 'benchRunDirectory', 'cannot be resumed: '],
    [madeUpComparison([]), [], 'benchRunDirectory', 'does not contain its command: made up'],
    [{ ...CUT, state: 'complete' as const }, [], 'benchRunDirectory', 'cannot be resumed: it is complete'],
    [CUT, ['--rate', '9'], 'usage', '--resume and --rate cannot be combined'],
    [CUT, ['--pairs', '20'], 'usage', '--resume and --pairs cannot be combined'],
    [CUT, ['--a', 'http://127.0.0.1:11'], 'usage', '--a names another server than the comparison'],
    [
      { ...CUT, resume: { args: ['--a', A, '--b', B], cwd: '/', secrets: ['--a-start', '--header'] } },
      [],
      'usage',
      'the comparison was given --a-start and --header, which is stored nowhere',
    ],
  ] as const)('%# refuses in words', async (document, args, exit, problem) => {
    const reported = typeof document === 'string' ? document : withTargets(document);
    const { code, problems } = await resume(reported, ...args);
    expect(problems).toContain(problem);
    expect(code).toBe(EXIT_CODES[exit].code);
  });

  test('keeps pairs whose segments can be read, up to the first that cannot, and puts the rest aside', async () => {
    using folder = temporaryDirectory();
    const document: ComparisonDocument = {
      ...madeUpComparison([
        [318, 280],
        [322, 283],
        [320, 281],
      ]),
      state: 'stopped',
    };
    for (const [index, unit] of [...document.a.units, ...document.b.units].entries())
      if (unit.directory !== 'pair-02-b')
        writeTimedRun(join(folder.path, unit.directory), {
          seed: index,
          requests: 20,
          run: { id: unit.runId },
        });
    // Cut in half: its configuration never reached the disk.
    mkdirSync(join(folder.path, 'pair-02-b'));
    mkdirSync(join(folder.path, 'warm-up-01-a'));
    mkdirSync(join(folder.path, 'notes-of-a-person'));
    const resumed = await resumeComparison(folder.path, document);
    using _folder = resumed.folder;
    expect(resumed.kept.a.map(({ unit }) => unit.directory)).toEqual(['pair-01-a']);
    expect(resumed.putAside).toEqual([
      'pair-02-a.cut-off-1',
      'pair-02-b.cut-off-1',
      'pair-03-a.cut-off-1',
      'pair-03-b.cut-off-1',
      'warm-up-01-a.cut-off-1',
    ]);
    await expect(resumeComparison(folder.path, document)).rejects.toThrow(
      'another plimsoll compare is at work in it',
    );
  });
});

const withTargets = (document: ComparisonDocument): ComparisonDocument => ({
  ...document,
  a: { ...document.a, target: A },
  b: { ...document.b, target: B },
});
