import { describe, expect, test } from 'vitest';
import { stageDigests } from '../../../src/core/sweep/sweep-digest.ts';
import type { LoadLine } from '../../../src/core/sweep/sweep-document.ts';
import { leadOf } from '../../../src/render/sweep/line-lead.ts';
import {
  curveObjective,
  flowText,
  lineFigure,
  lineRemark,
  loadText,
  requestObjectiveText,
  stageSentence,
} from '../../../src/render/sweep/line-text.ts';
import { objectiveReaches } from '../../../src/render/sweep/objective-reach.ts';
import {
  inLoadOrder,
  type PicturedStage,
  picturedDigests,
  picturedStages,
} from '../../../src/render/sweep/pictured-stage.ts';
import { madeUpLine } from '../../support/made-up-line.ts';

const document = madeUpLine();
const stages = picturedStages(document.stages);
const sweep = { form: 'line', by: 'rate', objectives: ['ttft=500ms'], attainment: 0.95 } as const;
const lead = (
  line: LoadLine,
  more: { readonly isLive?: boolean; readonly stages?: readonly PicturedStage[] } = {},
) =>
  leadOf({ sweep, line, stages, isLive: false, reason: '', target: 'bosun', ...more })
    .map(({ text }) => text)
    .join('');

describe('a load line in words', () => {
  test('reports first what is carried, and then what happens above it', () => {
    expect(lead(document.line)).toMatch(
      /^bosun carries 12 requests\/s with TTFT within 500\u00a0ms for 95\.\d\u202f% of requests, which is 2\u00a0[\d\s]+ output tokens\/s\. At 12\.5\/s the queue grows by \d+ requests a minute: it is not slow there, it is over capacity\.$/u,
    );
  });

  test('reports where an objective is missed that the endpoint still keeps up there', () => {
    const missed = stages.map(stage =>
      stage.number === 9 ? { ...stage, standing: 'failed' as const, isOverCapacity: false } : stage,
    );
    const line: LoadLine = {
      kind: 'bracket',
      holds: 12,
      fails: 12.5,
      failsBy: 'objective',
      isConfirmed: true,
    };
    expect(lead(line, { stages: missed })).toMatch(
      /At 12\.5\/s only 35\.\d\u202f% are: it still keeps up, but too slowly\.$/u,
    );
  });

  test.each<[line: LoadLine, figure: string, starts: string]>([
    [{ kind: 'at-least', holds: 12, limit: 'client' }, 'at least 12', 'bosun carries at least 12 requests/s'],
    [
      { kind: 'at-most', fails: 13, failsBy: 'objective', limit: 'budget' },
      'under 13',
      'bosun carries less than 13 requests/s',
    ],
    [{ kind: 'none', fails: 16, failsBy: 'over-capacity' }, 'under 16', 'No load holds'],
    [{ kind: 'unknown', reason: 'no stage has ended' }, '–', 'The line is not known: no stage has ended.'],
  ])('never claims more than is known: %j', (line, figure, starts) => {
    expect(lineFigure(line, false)).toBe(figure);
    expect(lead(line).startsWith(starts)).toBe(true);
    expect(lineRemark(line, false)).not.toBe('');
  });

  test('is a range while the search goes on', () => {
    expect(lineFigure(document.line, true)).toBe('12 – 12.5');
    expect(lead(document.line, { isLive: true })).toMatch(/^So far 12 requests\/s held .*12\.5 failed/);
  });

  test('finds the limit that bounds the series of the curve, whichever way it was written', () => {
    expect(curveObjective(sweep, 'ttftNs')).toEqual({
      limitNs: 500e6,
      label: '95\u202f% within 500\u00a0ms',
    });
    const reported = { objectives: ['tpot=50ms, ttft=300ms for 95% of requests'], attainment: 0.95 };
    expect(curveObjective(reported, 'ttftFromIntendedNs')).toEqual({
      limitNs: 300e6,
      label: '95\u202f% within 300\u00a0ms',
    });
    expect(requestObjectiveText(reported.objectives)).toBe(
      'TPOT within 50\u00a0ms and TTFT within 300\u00a0ms',
    );
    const percentile = { objectives: ['error-rate=1%', 'tpot.p99=50ms'], attainment: 0.95 };
    expect(curveObjective(percentile, 'tpotNs')?.label).toBe('p99 within 50\u00a0ms');
    expect(curveObjective(percentile, 'ttftNs')).toBeUndefined();
    expect(curveObjective({ objectives: ['of a version to come'], attainment: 1 }, 'ttftNs')).toBeUndefined();
  });
});

test('a sweep in words reports how many of its loads held, which was the highest, and what became of the others', () => {
  const parts = leadOf({
    sweep: { ...sweep, form: 'sweep' },
    line: { kind: 'unknown', reason: 'not searched' },
    stages,
    isLive: false,
    reason: '16/s is over capacity',
    target: 'bosun',
  });
  expect(parts.map(({ text }) => text).join('')).toBe(
    '5 of 9 loads held, the highest 12/s. At 16/s, 14/s, 13/s and 12.5/s the queue grew. It ended early: 16/s is over capacity.',
  );
});

describe('a stage in words', () => {
  test('is one sentence for screen readers', () => {
    const [heldStage, failed] = [stages[5], stages[4]];
    if (heldStage === undefined || failed === undefined) throw new Error('a line has stages');
    expect(stageSentence(heldStage, 'rate')).toMatch(
      /^Stage 6 at 12\/s: p95 \d+\u00a0ms, 95\.\d\u202f% within the objectives, held$/u,
    );
    expect(stageSentence({ ...heldStage, issued: 10, completed: 10 }, 'rate')).toMatch(
      /^Stage 6 at 12\/s: 95\.\d\u202f% within the objectives, held$/u,
    );
    expect([flowText(heldStage), flowText(failed)]).toEqual([
      expect.stringMatching(/^\d+, steady$/),
      expect.stringMatching(/^\+\d+ a min$/),
    ]);
    expect(loadText({ kind: 'concurrency', concurrency: 40 })).toBe('40 at a time');
  });

  test('is the same from the digest that the cluster has, but for its time', () => {
    const digests = picturedDigests(stageDigests(document.stages));
    expect(digests).toEqual(
      stages.map(stage => ({
        ...stage,
        completed: undefined,
        failed: undefined,
        timeline: undefined,
        objectives: [],
      })),
    );
    expect(inLoadOrder(digests, 'rate').map(({ number }) => number)).toEqual([1, 2, 3, 4, 6, 9, 8, 7, 5]);
  });
});

test('of several objectives each reaches as far as the highest load that met it below the first that missed it', () => {
  const answer = { limit: 1, unit: 'ns', estimate: { value: 1, low: 1, high: 1 }, samplesNeeded: 1 } as const;
  const answered = inLoadOrder(stages, 'rate').map((stage, index) => ({
    ...stage,
    objectives: [
      { ...answer, objective: 'a', answer: index < 3 ? ('met' as const) : ('missed' as const) },
      { ...answer, objective: 'b', answer: 'met' as const },
    ],
  }));
  expect(objectiveReaches(answered, 'rate')).toEqual([
    { objective: 'a', met: 4, missed: 8 },
    { objective: 'b', met: 16, missed: undefined },
  ]);
});
