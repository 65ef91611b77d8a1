import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readLoadStages } from '../../../src/cli/bench/load-stages.ts';
import { CommandError } from '../../../src/cli/command-error.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const refusal = async (text: string, cwd = '/nowhere'): Promise<CommandError> => {
  try {
    await readLoadStages(text, cwd);
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error(`${text} was taken`);
};

describe('--stages on the command line', () => {
  test.each([
    ['rate=5:30s', 'rate', [[5, 5, 30_000]]],
    [
      'rate=5:30s,5..20:1m,20:2m',
      'rate',
      [
        [5, 5, 30_000],
        [5, 20, 60_000],
        [20, 20, 120_000],
      ],
    ],
    [
      'concurrency=4:500ms,..16:1s',
      'concurrency',
      [
        [4, 4, 500],
        [4, 16, 1_000],
      ],
    ],
    [
      'rate=..10:10s,0:1s,2.5:1s',
      'rate',
      [
        [0, 10, 10_000],
        [0, 0, 1_000],
        [2.5, 2.5, 1_000],
      ],
    ],
  ])('%s', async (text, by, steps) => {
    expect(await readLoadStages(text, '/')).toEqual({
      by,
      steps: steps.map(([from, to, durationMs]) => ({ from, to, durationMs })),
    });
  });

  test.each([
    ['rate=', 'not a stage'],
    ['rate=5', 'not a stage'],
    ['rate=5:30', 'not a duration'],
    ['rate=-5:30s', 'not a stage'],
    ['rate=20..:30s', 'not a stage'],
    ['concurrency=1.5:30s', '1.5'],
    ['concurrency=30000:30s', '30000'],
    ['rate=0:30s', 'no stage sends anything'],
    [`rate=${Array(65).fill('1:1s').join(',')}`, '65 stages are too many'],
  ])('%s is refused', async (text, problem) => {
    const error = await refusal(text);
    expect([error.exitCode, error.message]).toEqual([
      EXIT_CODES.usage.code,
      expect.stringContaining(problem),
    ]);
    expect(error.problem.advice).not.toBe('');
  });
});

describe('--stages in a file', () => {
  const inFile = async (content: string) => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'rates.toml'), content);
    return await readLoadStages('rates.toml', folder.path);
  };
  const refusedFile = async (content: string): Promise<string> => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'rates.toml'), content);
    const error = await refusal('rates.toml', folder.path);
    expect(error.exitCode).toBe(EXIT_CODES.benchInput.code);
    return error.message;
  };

  test('steps to its level, or moves there from the one before', async () => {
    const stages = await inFile(
      '[[stage]]\nrate = 5\nduration = "30s"\nmove = "linear"\n[[stage]]\nrate = 20\nduration = "1m"\n[[stage]]\nrate = 1.5\nduration = "1m"\nmove = "linear"\n',
    );
    expect(stages).toEqual({
      by: 'rate',
      steps: [
        { from: 0, to: 5, durationMs: 30_000 },
        { from: 20, to: 20, durationMs: 60_000 },
        { from: 20, to: 1.5, durationMs: 60_000 },
      ],
    });
  });

  test.each([
    ['[[stage]]\nrate = \n', 'line 2'],
    ['', 'stage'],
    ['[[stage]]\nrate = 5\n', 'duration'],
    ['[[stage]]\nrate = 5\nduration = "30"\n', 'not a duration'],
    ['[[stage]]\nrate = 5\nduration = "30s"\nmove = "curve"\n', '"step" or "linear"'],
    ['[[stage]]\nrate = 5\nduration = "30s"\npace = 1\n', 'pace'],
    ['[[stage]]\nrate = 5\nconcurrency = 5\nduration = "30s"\n', 'a rate each or a concurrency each'],
    ['[[stage]]\nrate = 5\nduration = "1s"\n[[stage]]\nconcurrency = 5\nduration = "1s"\n', 'a rate each or'],
    [`# ${'x'.repeat(70_000)}`, 'larger than 64 KiB'],
  ])('%j is refused with where and why', async (content, problem) => {
    expect(await refusedFile(content)).toContain(problem);
  });

  test('that is not there is refused with what else can be written', async () => {
    const error = await refusal('missing.toml', '/');
    expect([error.exitCode, error.problem.advice]).toEqual([
      EXIT_CODES.benchInput.code,
      expect.stringContaining('rate=5:30s'),
    ]);
  });
});
