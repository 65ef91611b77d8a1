// When something from a peer counts as seen. A value that was already old on arrival proves nothing about now: the last
// values of an offline node, sent to one that has just joined, must not make it look up.

/** An event older than this at receipt counts as seen when it was true, not when it arrived. */
export const RECEIVED_AGE_MS_MAX = 2_000;

export interface Receipt {
  readonly ageMs: number;
  readonly receivedAtMs: number;
}

/** Age now is the same either way: ageMs + now - receivedAtMs. */
export const receiptOf = (ageMs: number, nowMs: number): Receipt =>
  ageMs <= RECEIVED_AGE_MS_MAX ? { ageMs, receivedAtMs: nowMs } : { ageMs: 0, receivedAtMs: nowMs - ageMs };

export const ageMsAt = ({ ageMs, receivedAtMs }: Receipt, nowMs: number): number =>
  Math.max(0, ageMs + nowMs - receivedAtMs);
