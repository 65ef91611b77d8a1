// What a screen reader says of a drawing that shows less than it says: told anew with each change that is seen, else at every
// tenth count. A name that changes every second is a drawing of the whole page, and helps nobody.

import { TURNS } from './in-turn.ts';

export class FigureWithVisibility {
  #seen: string | undefined;
  #reported = '';
  #counts = 0;

  /** `seen`: all that the drawing shows; `said` is asked once a count. */
  read(seen: string, reported: string): string {
    this.#counts += 1;
    if (seen !== this.#seen || this.#counts >= TURNS) {
      this.#reported = reported;
      this.#counts = 0;
    }
    this.#seen = seen;
    return this.#reported;
  }
}
