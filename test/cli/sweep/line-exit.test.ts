import { describe, expect, test } from 'vitest';
import { lineExit } from '../../../src/cli/commands/line.ts';
import { sweepExit } from '../../../src/cli/commands/sweep.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import type { StageVerdict } from '../../../src/core/sweep/stage.ts';
import type { LineDocument, LoadLine, SweepDocument } from '../../../src/core/sweep/sweep-document.ts';
import { madeUpLine, madeUpSweep } from '../../support/made-up-line.ts';

const codeOfLine = (more: Partial<LineDocument>, diskProblems: readonly string[] = []): number =>
  EXIT_CODES[lineExit({ document: madeUpLine(undefined, more), diskProblems })].code;

describe('the exit code of a load line', () => {
  test.each<[line: LoadLine, code: number]>([
    [{ kind: 'bracket', holds: 12, fails: 12.5, failsBy: 'over-capacity', isConfirmed: true }, 0],
    [{ kind: 'bracket', holds: 12, fails: 12.5, failsBy: 'objective', isConfirmed: false }, 0],
    [{ kind: 'at-least', holds: 12, limit: 'load-max' }, 0],
    [{ kind: 'at-least', holds: 12, limit: 'client' }, 14],
    [{ kind: 'at-least', holds: 12, limit: 'budget' }, 21],
    [{ kind: 'at-most', fails: 12, failsBy: 'objective', limit: 'undecided' }, 21],
    [{ kind: 'unknown', reason: 'no load was decided' }, 21],
    [{ kind: 'none', fails: 1, failsBy: 'objective' }, 22],
  ])('reports how far the line is known: %j', (line, code) => {
    expect(codeOfLine({ line })).toBe(code);
  });

  test('reports before all else that it was stopped, then that something is missing', () => {
    const line = { kind: 'none', fails: 1, failsBy: 'objective' } as const;
    expect(codeOfLine({ line, state: 'stopped' }, ['the disk is full'])).toBe(13);
    expect(codeOfLine({ line, state: 'interrupted' })).toBe(12);
    expect(codeOfLine({ line }, ['the disk is full'])).toBe(12);
  });
});

describe('the exit code of a sweep', () => {
  const codeOfSweep = (
    verdict: StageVerdict,
    more: Partial<SweepDocument> = {},
    isDemanding = false,
  ): number => {
    const document = madeUpSweep('sweep-1');
    const stages = document.stages.map(stage => ({ ...stage, verdict }));
    return EXIT_CODES[sweepExit({ ...document, stages, ...more }, isDemanding)].code;
  };

  test('is 0 for any answer, also for a missed objective and a growing queue', () => {
    for (const verdict of ['held', 'missed', 'over-capacity', 'undecided', 'client-bound'] as const)
      expect(codeOfSweep(verdict)).toBe(0);
    expect(codeOfSweep('client-bound', {}, true)).toBe(14);
    expect(codeOfSweep('broken')).toBe(12);
    expect(codeOfSweep('held', { state: 'stopped' })).toBe(13);
  });
});
