// Compares positions: which of two is further ahead in the events of one origin. A newer epoch is ahead,
// regardless of the number; no events is furthest behind.

export interface Place {
  readonly epoch: number;
  readonly through: number;
}

export const isAhead = (a: Place, b: Place | undefined): boolean =>
  b === undefined || a.epoch > b.epoch || (a.epoch === b.epoch && a.through > b.through);

/** Where records of `epoch` continue for a peer at `place`. */
export const afterIn = (epoch: number, place: Place | undefined): number =>
  place?.epoch === epoch ? place.through : 0;
