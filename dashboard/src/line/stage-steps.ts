// From stage to stage by the keyboard.

import type { PicturedStage } from '../../../src/render/sweep/pictured-stage.ts';

/** The stage that a key leads to; undefined for any other key, and at an end. */
export const stepTo = (
  key: string,
  from: number,
  order: readonly PicturedStage[],
): PicturedStage | undefined => {
  const at = order.findIndex(({ number }) => number === from);
  switch (key) {
    case 'ArrowLeft':
      return at > 0 ? order[at - 1] : undefined;
    case 'ArrowRight':
      return order[at + 1];
    case 'Home':
      return order[0];
    case 'End':
      return order.at(-1);
    default:
      return undefined;
  }
};
