// What is stored and for how long. Pure, shared by every adapter.

import { eventSlot } from '../core/event-kinds.ts';

export const HOUR_MS = 3_600_000;

/** The slots whose superseded records are history: profiles. */
export const isHistorySlot = (slot: string): boolean => slot === 'gpu' || slot === 'link';

/** Current records of the same origin and key that a new record replaces. */
interface Supersession {
  readonly slot: string;
  /** This kind of the slot stays; '' if none does. */
  readonly exceptKind: string;
}

/**
 * A record replaces those of its slot and key; a lost connection keeps its profile. Closing a connection also
 * removes its profile from state, and that must reach a peer that was offline while the connection was
 * reopened: so the newest closing of each connection is kept together with the opening.
 */
export const supersessions = (kind: string): readonly Supersession[] => {
  const slot = eventSlot(kind);
  switch (kind) {
    case 'connection.opened':
    case 'connection.lost':
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

/** Records of hours that ended before this moment are summarised; it is the start of an hour. */
export const rawHistoryEndMs = (nowWallMs: number, rawHistoryMs: number): number =>
  hourOf(nowWallMs - rawHistoryMs);

export const hourOf = (wallMs: number): number => Math.floor(wallMs / HOUR_MS) * HOUR_MS;
