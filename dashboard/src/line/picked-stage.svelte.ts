// The stage that the reader looks at, by pointer or by keyboard: one for all pictures of a page, so that its dot, its bar, its
// small picture and its row are marked together.

import type { PicturedStage } from '../../../src/render/sweep/pictured-stage.ts';

export class PickedStage {
  /** Its number; undefined where none is looked at. */
  number: number | undefined = $state.raw(undefined);
  /** The stop of the keyboard among the stages, so that one press of Tab passes them all. */
  stop: number | undefined = $state.raw(undefined);

  look(number: number): void {
    this.number = number;
  }

  focus(number: number): void {
    this.number = number;
    this.stop = number;
  }

  leave(): void {
    this.number = undefined;
  }

  /** Where the keyboard enters: the stage it was on last, else the first one. */
  tabIndex(stage: PicturedStage, order: readonly PicturedStage[]): 0 | -1 {
    const isThere = order.some(({ number }) => number === this.stop);
    const entry = isThere ? this.stop : order[0]?.number;
    return stage.number === entry ? 0 : -1;
  }
}
