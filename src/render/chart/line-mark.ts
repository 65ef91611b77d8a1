// Where a load line is drawn in its chart, in CSS pixels: the mark, and the bracket of the unknown range.

import type { LoadLine } from '../../core/sweep/sweep-document.ts';

export interface LineMark {
  readonly x: number;
  readonly y: number;
  /** The mark is in the middle of a bracket that narrows. */
  readonly isDashed: boolean;
  /** Higher loads were not tried, or lower ones. */
  readonly arrow: 'right' | 'left' | undefined;
}

export interface LineBracket {
  readonly from: number;
  readonly to: number;
  readonly y: number;
  /** Layout of its two labels: one row if both fit next to it, otherwise two. */
  readonly isStacked: boolean;
}

/** The highest load that is known to hold; undefined if none is. */
export const holdsOf = (line: LoadLine): number | undefined =>
  line.kind === 'bracket' || line.kind === 'at-least' ? line.holds : undefined;

/** The lowest load that is known not to hold. */
export const failsOf = (line: LoadLine): number | undefined =>
  line.kind === 'bracket' || line.kind === 'at-most' || line.kind === 'none' ? line.fails : undefined;

/** Undefined if nothing is known of the line. */
export const markOf = ({
  line,
  isLive,
  x,
  y,
}: {
  readonly line: LoadLine;
  readonly isLive: boolean;
  readonly x: (load: number) => number;
  readonly y: number | undefined;
}): LineMark | undefined => {
  if (y === undefined) return undefined;
  const at = (load: number, arrow?: 'right' | 'left'): LineMark => ({
    x: x(load),
    y,
    isDashed: isLive,
    arrow,
  });
  switch (line.kind) {
    case 'bracket':
      return isLive ? at((line.holds + line.fails) / 2) : at(line.holds);
    case 'at-least':
      return at(line.holds, 'right');
    case 'at-most':
    case 'none':
      return at(line.fails, 'left');
    case 'unknown':
      return undefined;
    default:
      return line satisfies never;
  }
};

/** Undefined if one end is not known. */
export const bracketOf = (
  line: LoadLine,
  {
    x,
    objectiveY,
    left,
    right,
    floor,
  }: {
    readonly x: (load: number) => number;
    readonly objectiveY: number | undefined;
    readonly left: number;
    readonly right: number;
    readonly floor: number;
  },
): LineBracket | undefined => {
  if (line.kind !== 'bracket') return undefined;
  const [from, to] = [x(line.holds), x(line.fails)];
  const isStacked = from - left < LABEL_PX || right - to < LABEL_PX;
  // Below the objective, where the curve leaves room before it crosses; above it if the axis is too near.
  const below = (objectiveY ?? floor - 120) + 37;
  return { from, to, y: below + LABELS_PX <= floor ? below : (objectiveY ?? floor) - 60, isStacked };
};

/** Width of "failed 12.2/s" next to the bracket, and of both rows below it. */
const LABEL_PX = 92;
const LABELS_PX = 44;
