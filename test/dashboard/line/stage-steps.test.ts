import { expect, test } from 'vitest';
import { stepTo } from '../../../dashboard/src/line/stage-steps.ts';
import { inLoadOrder, picturedStages } from '../../../src/render/sweep/pictured-stage.ts';
import { madeUpLine } from '../../support/made-up-line.ts';

test('left and right go through the stages by load, and stop at the ends', () => {
  const order = inLoadOrder(picturedStages(madeUpLine().stages), 'rate');
  const to = (key: string, from: number) => stepTo(key, from, order)?.number;
  expect([to('ArrowRight', 4), to('ArrowLeft', 9), to('ArrowLeft', 1), to('ArrowRight', 5)]).toEqual([
    6,
    6,
    undefined,
    undefined,
  ]);
  expect([to('Home', 9), to('End', 9), to('Enter', 9)]).toEqual([1, 5, undefined]);
});
