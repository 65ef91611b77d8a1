// A level that moves only visibly: tiny changes do not redraw the drawing, a small change is applied at once, and only
// a large one is animated. An animation is sixty drawings a second, which an idle page cannot afford.

export interface Surface {
  /** 0..1; undefined where the level is not known. */
  readonly level: number | undefined;
  /** The change is large enough to be shown as a movement. */
  readonly isMoving: boolean;
}

/** Under half a pixel of the largest drawing. */
export const VISIBLE_CHANGE = 0.006;
export const LARGE_CHANGE = 0.04;

export class CalmWater {
  #drawn: number | undefined;

  settle(level: number | undefined): Surface {
    const before = this.#drawn;
    const wanted = level === undefined ? undefined : Math.min(1, Math.max(0, level));
    if (wanted === undefined || before === undefined) {
      this.#drawn = wanted;
      return { level: wanted, isMoving: false };
    }
    const change = Math.abs(wanted - before);
    if (change < VISIBLE_CHANGE) return { level: before, isMoving: false };
    this.#drawn = wanted;
    return { level: wanted, isMoving: change >= LARGE_CHANGE };
  }
}
