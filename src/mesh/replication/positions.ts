// Compares positions: which of two is further ahead in the events of one origin. A newer epoch is ahead,
// regardless of the number; no events is furthest behind.

export interface JournalPosition {
  readonly epoch: number;
  readonly through: number;
}

export const isAhead = (a: JournalPosition, b: JournalPosition | undefined): boolean =>
  b === undefined || a.epoch > b.epoch || (a.epoch === b.epoch && a.through > b.through);

/** Where records of `epoch` continue for a peer at `position`. */
export const afterIn = (epoch: number, position: JournalPosition | undefined): number =>
  position?.epoch === epoch ? position.through : 0;
