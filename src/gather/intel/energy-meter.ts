// Mean power between two readings of an energy counter.

import type { Reported } from '../../core/unknown.ts';
import { unknown } from '../../core/unknown.ts';

export class EnergyMeter {
  #last: { readonly microjoules: number; readonly atMs: number } | undefined;

  /**
   * `microjoules` as the counter stands, read at `atMs` of a monotonic clock. Unknown for the first reading and where the
   * counter went back: it starts anew with the driver, and drivers widen it in software, so where it would wrap
   * is not known. A step that no card could take is unknown too.
   */
  watts(microjoules: number, atMs: number): Reported<number> {
    const last = this.#last;
    this.#last = { microjoules, atMs };
    if (last === undefined) return unknown('measured from the second reading on');
    if (atMs <= last.atMs) return unknown('no time between two readings');
    if (microjoules < last.microjoules) return unknown('the energy counter started anew');
    const watts = (microjoules - last.microjoules) / (atMs - last.atMs) / 1_000;
    return watts > WATTS_MAX ? unknown('the energy counter jumped') : watts;
  }
}

const WATTS_MAX = 10_000;
