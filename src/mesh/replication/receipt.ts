// When something from a peer counts as heard. A value that was already old when it came proves nothing about now: the
// last words of a dead node, told to one that has just joined, must not make it look alive.

/** Older than this at receipt, an event counts as heard when it was true, not when it came. */
export const HEARD_AGE_MS_MAX = 2_000;

export interface Receipt {
  readonly ageMs: number;
  readonly receivedAtMs: number;
}

/** Age now is the same either way: ageMs + now - receivedAtMs. */
export const receiptOf = (ageMs: number, nowMs: number): Receipt =>
  ageMs <= HEARD_AGE_MS_MAX ? { ageMs, receivedAtMs: nowMs } : { ageMs: 0, receivedAtMs: nowMs - ageMs };

export const ageMsAt = ({ ageMs, receivedAtMs }: Receipt, nowMs: number): number =>
  Math.max(0, ageMs + nowMs - receivedAtMs);
