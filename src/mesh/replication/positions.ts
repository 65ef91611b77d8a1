// Comparing positions: which of two stands further in the events of one origin. A newer epoch is further, whatever the
// number; nothing held is furthest back.

export interface Place {
  readonly epoch: number;
  readonly through: number;
}

export const isAhead = (a: Place, b: Place | undefined): boolean =>
  b === undefined || a.epoch > b.epoch || (a.epoch === b.epoch && a.through > b.through);

/** Where records of `epoch` continue for somebody who stands at `place`. */
export const afterIn = (epoch: number, place: Place | undefined): number =>
  place?.epoch === epoch ? place.through : 0;
