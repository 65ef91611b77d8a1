// Arrowheads: one beside each label of a direction, pointing where its figure arrives; two, back to back, beside a label
// that speaks for both.

import { along } from './geometry.ts';
import type { MapRoute } from './map-layout.ts';

export interface Head {
  readonly x: number;
  readonly y: number;
  /** Degrees, 0 to the right. */
  readonly angle: number;
}

export const headsOf = ({
  p,
  q,
  length,
  labels,
}: Pick<MapRoute, 'p' | 'q' | 'length' | 'labels'>): readonly Head[] => {
  const forwards = (Math.atan2(q.y - p.y, q.x - p.x) * 180) / Math.PI;
  const head = (t: number, isForwards: boolean): Head => ({
    ...along(p, q, t),
    angle: isForwards ? forwards : forwards + 180,
  });
  return labels.flatMap(({ role, t }): readonly Head[] => {
    switch (role) {
      case 'toFirst':
        return [head(t, false)];
      case 'toSecond':
        return [head(t, true)];
      case 'both': {
        if (length < HEADS_LENGTH_MIN) return [];
        const apart = 0.12 * Math.min(0.5, HEADS_LENGTH_MIN / length);
        return [head(t - apart, false), head(t + apart, true)];
      }
      case 'delay':
      case 'word':
        return [];
      default:
        return role satisfies never;
    }
  });
};

/** On shorter lines there is no room for heads, px. */
const HEADS_LENGTH_MIN = 64;
