// What is kept and for how long: DESIGN §3.2. Pure, shared by every adapter.

import { eventSlot } from '../core/event-kinds.ts';

export const HOUR_MS = 3_600_000;

/** The slots whose superseded records are history: profiles. */
export const isHistorySlot = (slot: string): boolean => slot === 'gpu' || slot === 'link';

/** Current records of the same origin and key that a new record replaces. */
export interface Supersession {
  readonly slot: string;
  /** This kind of the slot stays; '' where none does. */
  readonly exceptKind: string;
}

/**
 * A record replaces those of its slot and key. Closing a connection also takes its profile out of the picture, and
 * that must reach a peer that was away while the connection was opened again: so the newest closing of each connection
 * stays beside the opening.
 */
export const supersessions = (kind: string): readonly Supersession[] => {
  const slot = eventSlot(kind);
  switch (kind) {
    case 'connection.opened':
      return [{ slot, exceptKind: 'connection.closed' }];
    case 'connection.closed':
      return [
        { slot, exceptKind: '' },
        { slot: 'link', exceptKind: '' },
      ];
    default:
      return [{ slot, exceptKind: '' }];
  }
};

/** Records of hours that ended before this moment are summed up; it is the start of an hour. */
export const rawHistoryEndMs = (nowWallMs: number, rawHistoryMs: number): number =>
  hourOf(nowWallMs - rawHistoryMs);

export const hourOf = (wallMs: number): number => Math.floor(wallMs / HOUR_MS) * HOUR_MS;
