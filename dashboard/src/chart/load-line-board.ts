// Where the lines of a load-line board go: a hull section with its scale at the left, and at the right one named line for
// each thing the machine is known to carry. The names keep their distance; a line bends towards a name that had to move.

import { maximumOf } from '../../../src/core/extremes.ts';

export interface BoardLine {
  readonly at: number;
  readonly name: string;
  /** The safe limit, which carries the ring of the mark. */
  readonly isRing: boolean;
}

interface BoardScale {
  readonly max: number;
  /** Distance of the numbered ticks. */
  readonly step: number;
}

interface PlacedLine extends BoardLine {
  readonly y: number;
  readonly textY: number;
}

export interface Board {
  readonly waterY: number | undefined;
  /** The height of "now"; undefined if a line's name is there already, or nothing is known. */
  readonly nowY: number | undefined;
  readonly lines: readonly PlacedLine[];
  readonly ticks: readonly { readonly y: number; readonly value: number | undefined }[];
}

/**
 * A scale of round numbers that holds all values with a little air: two numbered steps.
 * @param end beyond which there is nothing, as beyond 100 %; undefined where there is no such value.
 */
export const boardScale = (values: readonly number[], end?: number): BoardScale => {
  if (end !== undefined) return { max: end, step: end / STEPS };
  const highest = maximumOf([...values, Number.MIN_VALUE]) * AIR;
  const power = 10 ** Math.floor(Math.log10(highest / STEPS));
  const step = (ROUND.find(factor => factor * power * STEPS >= highest) ?? 10) * power;
  return { max: step * STEPS, step };
};

export const layoutBoard = (
  now: number | undefined,
  lines: readonly BoardLine[],
  scale: BoardScale,
): Board => {
  const y = (value: number): number => KEEL - (KEEL - TOP) * Math.min(1, value / scale.max);
  let last = Number.NEGATIVE_INFINITY;
  const placed = [...lines]
    .sort((a, b) => b.at - a.at)
    .map((line): PlacedLine => {
      last = Math.max(y(line.at) + BASELINE, last + NAME_DISTANCE);
      return { ...line, y: y(line.at), textY: last };
    });
  const waterY = now === undefined ? undefined : y(now);
  const isTaken =
    waterY === undefined || placed.some(line => Math.abs(line.textY - BASELINE - waterY) < NAME_DISTANCE);
  const count = STEPS * TICKS_A_STEP;
  return {
    waterY,
    nowY: isTaken ? undefined : waterY + BASELINE,
    lines: placed,
    ticks: Array.from({ length: count + 1 }, (_, index) => ({
      y: y((scale.max * index) / count),
      value: index % TICKS_A_STEP === 0 ? (scale.max * index) / count : undefined,
    })),
  };
};

/** Of the drawing, CSS pixels. */
export const BOARD = { width: 176, height: 128, hullX: 38, hullWidth: 52, lead: 10 } as const;
const TOP = 12;
const KEEL: number = BOARD.height - 12;
const NAME_DISTANCE = 16;
const BASELINE = 4;
const STEPS = 2;
const TICKS_A_STEP = 5;
const AIR = 1.08;
const ROUND = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
