// Arrowheads: one next to each label of a direction, pointing where its figure arrives; two, back to back, next to a label
// for both directions.

import { headingAt, pointAt } from './curve.ts';
import type { MapRoute } from './map-layout.ts';

export interface Head {
  readonly x: number;
  readonly y: number;
  /** Degrees, 0 to the right. */
  readonly angle: number;
}

/** `measured`: which directions have a figure; a label for both applies only to those. */
export const headsOf = (
  route: MapRoute,
  measured: { readonly there: boolean; readonly back: boolean },
): readonly Head[] => {
  const head = (t: number, isForwards: boolean): Head => {
    const heading = headingAt(route, t);
    return { ...pointAt(route, t), angle: isForwards ? heading : heading + 180 };
  };
  return route.labels.flatMap(({ role, t }): readonly Head[] => {
    switch (role) {
      case 'toFirst':
        return [head(t, false)];
      case 'toSecond':
        return [head(t, true)];
      case 'flag':
        return route.length < HEADS_LENGTH_MIN ? [] : [head(NEAR_FIRST, false), head(1 - NEAR_FIRST, true)];
      case 'both': {
        if (route.length < HEADS_LENGTH_MIN) return [];
        const apart = 0.12 * Math.min(0.5, HEADS_LENGTH_MIN / route.length);
        return [
          ...(measured.back ? [head(t - apart, false)] : []),
          ...(measured.there ? [head(t + apart, true)] : []),
        ];
      }
      case 'delay':
      case 'text':
        return [];
      default:
        return role satisfies never;
    }
  });
};

/** On shorter lines there is no room for heads, px. */
const HEADS_LENGTH_MIN = 64;
const NEAR_FIRST = 0.3;
