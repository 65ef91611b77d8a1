// Requests in flight over the time of one stage, and those of them that wait in the server's queue if it
// reports them: small charts next to each other with a common scale.

import { maximumOf } from '../../core/extremes.ts';
import type { PicturedStage } from '../sweep/pictured-stage.ts';
import { coordinate } from '../text/markup.ts';
import type { ChartPoint } from './smooth-path.ts';

interface StageFlow {
  readonly area: string;
  readonly line: string;
  /** '' if the server does not report its queue. */
  readonly queue: string;
}

interface FlowSize {
  readonly width: number;
  readonly height: number;
  /** Requests at the upper edge of the scale. */
  readonly most: number;
}

/** A round number above the peak of every stage. */
export const flowScale = (stages: readonly PicturedStage[]): number => {
  const greatest = maximumOf([1, ...stages.flatMap(({ timeline }) => timeline?.inFlight ?? [])]);
  const power = 10 ** Math.floor(Math.log10(greatest));
  return power * (ROUND.find(step => step * power >= greatest) ?? 10);
};

/**
 * A finished stage fills the width; a running one fills its progress relative to the duration of the others.
 * @param share of the width that is done
 */
export const stageFlow = (
  { timeline }: Pick<PicturedStage, 'timeline'>,
  { width, height, most }: FlowSize,
  share = 1,
): StageFlow | undefined => {
  if (timeline === undefined || timeline.inFlight.length === 0) return undefined;
  const foot = height - FOOT_PX;
  const points = (values: readonly number[]): readonly ChartPoint[] =>
    values.map((value, index) => [
      (values.length === 1 ? 1 : index / (values.length - 1)) * width * share,
      foot - Math.min(1, value / most) * (foot - HEAD_PX),
    ]);
  const line = straight(points(timeline.inFlight));
  const { serverQueue } = timeline;
  return {
    line,
    area: `${line}L${coordinate(width * share)} ${foot}L0 ${foot}Z`,
    queue: 'kind' in serverQueue ? '' : straight(points(serverQueue)),
  };
};

const straight = (points: readonly ChartPoint[]): string =>
  points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${coordinate(x)} ${coordinate(y)}`).join('');

const ROUND: readonly number[] = [1, 2, 5, 10];
const FOOT_PX = 2;
const HEAD_PX = 4;
