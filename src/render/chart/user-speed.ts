// The speed of one user against the throughput of all: output tokens per second, one point per stage. A stage
// that another one beats in both is dominated; the others are the choice.

import { maximumOf } from '../../core/extremes.ts';
import { formatTick } from '../../core/figure/figure.ts';
import type { PicturedStage } from '../sweep/pictured-stage.ts';
import { coordinate } from '../text/markup.ts';
import type { CurveTick } from './line-curve.ts';
import { type ChartPoint, smoothLine } from './smooth-path.ts';
import { valueAxis } from './value-axis.ts';

interface UserSpeedOptions {
  readonly width: number;
  readonly stages: readonly PicturedStage[];
  /** Number of GPUs that all tokens are divided by; 1 if unknown. */
  readonly gpus: number;
  /** The stage at the load line. */
  readonly atLine: number | undefined;
}

interface SpeedPoint {
  readonly stage: PicturedStage;
  readonly x: number;
  readonly y: number;
  readonly perUser: number;
  readonly total: number;
  readonly gainsNothing: boolean;
  /** Position of its label: next to the point if the line is steep, above it if flat. */
  readonly label: 'beside' | 'above' | 'none';
}

interface UserSpeed {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly floor: number;
  readonly speeds: readonly CurveTick[];
  readonly totals: readonly CurveTick[];
  readonly frontier: string;
  /** Path from the end of the frontier to the dominated points. */
  readonly rest: string;
  readonly points: readonly SpeedPoint[];
  readonly mark: ChartPoint | undefined;
}

/** Undefined if no stage has both figures. */
export const userSpeed = ({ width, stages, gpus, atLine }: UserSpeedOptions): UserSpeed | undefined => {
  const known = stages.flatMap(stage => {
    const { perUserTokensPerSecond: perUser, outputTokensPerSecond: total } = stage;
    return perUser === undefined || total === undefined || stage.standing === 'broken'
      ? []
      : [{ stage, perUser, total: total / Math.max(1, gpus) }];
  });
  if (known.length === 0) return undefined;
  const speeds = valueAxis(maximumOf(known.map(({ perUser }) => perUser)), 5);
  const totals = valueAxis(maximumOf(known.map(({ total }) => total)) * 1.04, 4);
  const [left, floor, right] = [LEFT_PX, HEIGHT_PX - FOOT_PX, width - RIGHT_PX];
  const x = (perUser: number): number => left + speeds.share(perUser) * (right - left);
  const y = (total: number): number => floor - totals.share(total) * (floor - TOP_PX);
  const bySpeed = known.toSorted((a, b) => b.perUser - a.perUser || b.total - a.total);
  let best = Number.NEGATIVE_INFINITY;
  const points = bySpeed.map(({ stage, perUser, total }): SpeedPoint => {
    const gainsNothing = total <= best;
    best = Math.max(best, total);
    return { stage, x: x(perUser), y: y(total), perUser, total, gainsNothing, label: 'none' };
  });
  const front = points.filter(({ gainsNothing }) => !gainsNothing);
  const last = front.at(-1);
  const marked = points.find(({ stage }) => stage.number === atLine);
  return {
    width,
    height: HEIGHT_PX,
    left,
    floor,
    speeds: speeds.ticks.map(tick => ({ at: x(tick), label: formatTick(tick) })),
    totals: totals.ticks.map(tick => ({ at: y(tick), label: thousands(tick) })),
    frontier: smoothLine(front.map((point): ChartPoint => [point.x, point.y]).toReversed()),
    rest: points
      .filter(({ gainsNothing }) => gainsNothing)
      .map(point =>
        last === undefined
          ? ''
          : `M${coordinate(last.x)} ${coordinate(last.y)}L${coordinate(point.x)} ${coordinate(point.y)}`,
      )
      .join(''),
    points: labelled(points, atLine),
    mark: marked === undefined ? undefined : [marked.x, marked.y],
  };
};

/** A label does not overlap those before it; the points are always drawn, and listed with their figures. */
const labelled = (points: readonly SpeedPoint[], atLine: number | undefined): readonly SpeedPoint[] => {
  const taken: ChartPoint[] = [];
  // The mark shows where the stage at the line is.
  const marked = points.find(({ stage }) => stage.number === atLine);
  if (marked !== undefined) taken.push([marked.x + 8, marked.y - 6], [marked.x - 40, marked.y + 16]);
  return points.map((point, index) => {
    if (point === marked) return point;
    const next = points[index + 1] ?? points[index - 1];
    const isSteep = next !== undefined && Math.abs(next.y - point.y) > Math.abs(next.x - point.x);
    const labelAt: ChartPoint = isSteep ? [point.x + 16, point.y] : [point.x, point.y - 12];
    if (
      taken.some(([x, y]) => Math.abs(x - labelAt[0]) < LABEL_PX && Math.abs(y - labelAt[1]) < LABEL_HIGH_PX)
    )
      return point;
    taken.push(labelAt);
    return { ...point, label: isSteep ? 'beside' : 'above' };
  });
};

const thousands = (value: number): string =>
  value >= 1_000 ? `${formatTick(value / 1_000)}\u00a0k` : formatTick(value);

const HEIGHT_PX = 236;
const FOOT_PX = 36;
const TOP_PX = 18;
const LEFT_PX = 44;
const RIGHT_PX = 34;
const LABEL_PX = 30;
const LABEL_HIGH_PX = 13;
