import { describe, expect, test } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { flowScale, stageFlow } from '../../../src/render/chart/stage-flow.ts';
import { userSpeed } from '../../../src/render/chart/user-speed.ts';
import { picturedStages } from '../../../src/render/sweep/pictured-stage.ts';
import { madeUpLine } from '../../support/made-up-line.ts';

const stages = picturedStages(madeUpLine().stages);
const stageOf = (number: number) => {
  const stage = stages.find(one => one.number === number);
  if (stage === undefined) throw new Error(`there is no stage ${number}`);
  return stage;
};

describe('requests in flight of a stage', () => {
  test('are drawn on a scale that all stages share', () => {
    expect(flowScale(stages)).toBe(200);
    expect(flowScale([])).toBe(1);
  });

  test('fill the width of a stage that has ended, and of one that runs the part that is done', () => {
    const size = { width: 90, height: 76, most: 200 };
    expect(stageFlow(stageOf(5), size)?.area).toMatch(/L90 74L0 74Z$/);
    expect(stageFlow(stageOf(5), size, 0.5)?.area).toMatch(/L45 74L0 74Z$/);
  });

  test('have no queue if the server reports none', () => {
    const { timeline } = stageOf(5);
    if (timeline === undefined) throw new Error('it has a timeline');
    const size = { width: 90, height: 76, most: 200 };
    const silent = { timeline: { ...timeline, serverQueue: unknown('the server reports no queue') } };
    expect(stageFlow(silent, size)?.queue).toBe('');
    expect(stageFlow({ timeline: undefined }, size)).toBeUndefined();
  });
});

describe('what one user gets', () => {
  test('is a frontier of stages, and one that another beats in both gains nothing', () => {
    const worse = { ...stageOf(4), number: 10, perUserTokensPerSecond: 30, outputTokensPerSecond: 1_000 };
    const chart = userSpeed({ width: 360, stages: [...stages, worse], gpus: 1, atLine: 6 });
    expect(chart?.points.find(({ stage }) => stage.number === 10)?.gainsNothing).toBe(true);
    expect(chart?.points.find(({ stage }) => stage.number === 4)?.gainsNothing).toBe(false);
    expect(chart?.rest).not.toBe('');
  });

  test('is shown per GPU if the number of them is known', () => {
    const total = (gpus: number) =>
      userSpeed({ width: 360, stages, gpus, atLine: undefined })?.points.find(
        ({ stage }) => stage.number === 4,
      )?.total;
    expect(total(4)).toBeCloseTo((total(1) ?? 0) / 4, 9);
  });

  test('is not drawn if no stage has both', () => {
    const silent = stages.map(stage => ({ ...stage, perUserTokensPerSecond: undefined }));
    expect(userSpeed({ width: 360, stages: silent, gpus: 1, atLine: undefined })).toBeUndefined();
  });
});
