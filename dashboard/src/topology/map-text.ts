// The fonts of the words on the map, and a node's name shortened to fit.

import type { NodeView } from '../../../src/core/node/node-view.ts';
import { knownValue } from '../../../src/core/node/reading-view.ts';
import { drawnTextWidth, type Face, fitted } from './text-width.ts';

interface FaceSize {
  readonly face: Face;
  readonly size: number;
}

export const NAME_FACE: FaceSize = { face: 'sans-semibold', size: 15 };
export const FACT_FACE: FaceSize = { face: 'condensed-medium', size: 13 };

export const isMadeUp = (view: NodeView): boolean => knownValue(view.identity)?.isSimulated === true;

interface NameRoom {
  readonly face: FaceSize;
  readonly room: number;
  /** Marks a simulated machine; if all are simulated, the page's header shows it. */
  readonly isMarked: boolean;
}

export const mapName = (view: NodeView, { face, room, isMarked }: NameRoom): string => {
  const mark = isMarked && isMadeUp(view) ? MADE_UP : '';
  return fitted(view.name, face, room - drawnTextWidth(mark, face)) + mark;
};

const MADE_UP = ' (sim.)';
