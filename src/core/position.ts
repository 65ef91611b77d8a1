// The position of an event in the order of its origin: epochs first, numbers within one.

export interface Position {
  readonly epoch: number;
  readonly seq: number;
}

export const isAfter = (a: Position, b: Position): boolean =>
  a.epoch > b.epoch || (a.epoch === b.epoch && a.seq > b.seq);
