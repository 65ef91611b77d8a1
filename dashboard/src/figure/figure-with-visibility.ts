// The accessible name of a drawing that shows less than its name states: updated with each change that is visible, else at every
// tenth count. A name that changes every second redraws the whole page, and is of no use.

import { TURNS } from './in-turn.ts';

export class FigureWithVisibility {
  #seen: string | undefined;
  #reported = '';
  #counts = 0;

  /** `seen` is everything that the drawing shows. When it is unchanged, `reported` is updated only once every TURNS calls. */
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
