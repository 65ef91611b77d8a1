// How many users a closed loop has at a time, and when the next one joins. A user joins when a rising level reaches a
// whole number, and one leaves at the same moment of a falling one: a ramp begins with one user at once.

import type { LoadProfile, ProfilePiece } from './load-profile.ts';

/** Called with times that never decrease. */
export class ProfileUsers {
  readonly #pieces: readonly ProfilePiece[];
  #index = 0;

  constructor({ pieces }: LoadProfile) {
    this.#pieces = pieces;
  }

  /** Users above it stop after their current request. */
  at(atNs: number): number {
    const piece = this.#pieceAt(atNs);
    if (piece === undefined) return 0;
    const { from, to } = piece;
    if (atNs >= piece.endNs) return Math.ceil(to);
    const level = levelAt(piece, atNs);
    return to > from ? Math.min(Math.ceil(to), Math.floor(level) + 1) : Math.ceil(level);
  }

  /** The first moment after `atNs` at which a user may join; Infinity when there will be none. */
  nextRiseNs(atNs: number): number {
    const piece = this.#pieceAt(atNs);
    if (piece === undefined) return Number.POSITIVE_INFINITY;
    if (piece.to > piece.from && atNs < piece.endNs) {
      const whole = Math.floor(levelAt(piece, atNs)) + 1;
      if (whole < piece.to) return Math.max(atNs + 1, Math.ceil(timeOf(piece, whole)));
    }
    const next = this.#pieces[this.#index + 1];
    return next === undefined ? Number.POSITIVE_INFINITY : next.startNs;
  }

  #pieceAt(atNs: number): ProfilePiece | undefined {
    for (;;) {
      const next = this.#pieces[this.#index + 1];
      if (next === undefined || next.startNs > atNs) return this.#pieces[this.#index];
      this.#index += 1;
    }
  }
}

/** Rounded if it is whole up to the last digits: a user must not join a nanosecond late because of them. */
const levelAt = ({ startNs, endNs, from, to }: ProfilePiece, atNs: number): number => {
  const level = from + ((to - from) * (atNs - startNs)) / (endNs - startNs);
  const whole = Math.round(level);
  return Math.abs(level - whole) < 1e-9 ? whole : level;
};

const timeOf = ({ startNs, endNs, from, to }: ProfilePiece, level: number): number =>
  startNs + ((level - from) / (to - from)) * (endNs - startNs);
