// The picture of a fleet as one signal for each part: a new moment comes every second, and what depends on an unchanged part is
// not evaluated. A thousand cells that depended on the moment took more time than all drawing.

import type { FleetPicture } from '../../../src/core/fleet/fleet-picture.ts';

export class LivePicture implements FleetPicture {
  roster: FleetPicture['roster'];
  levels: FleetPicture['levels'];
  sums: FleetPicture['sums'];
  ways: FleetPicture['ways'];
  totals: FleetPicture['totals'];
  faults: FleetPicture['faults'];
  answers: FleetPicture['answers'];
  links: FleetPicture['links'];
  others: FleetPicture['others'];

  constructor(first: FleetPicture) {
    this.roster = $state.raw(first.roster);
    this.levels = $state.raw(first.levels);
    this.sums = $state.raw(first.sums);
    this.ways = $state.raw(first.ways);
    this.totals = $state.raw(first.totals);
    this.faults = $state.raw(first.faults);
    this.answers = $state.raw(first.answers);
    this.links = $state.raw(first.links);
    this.others = $state.raw(first.others);
  }

  /** A part that is the same object as before wakes nobody. */
  take(picture: FleetPicture): void {
    this.roster = picture.roster;
    this.levels = sameOr(this.levels, picture.levels);
    this.sums = sameOr(this.sums, picture.sums);
    this.ways = sameOr(this.ways, picture.ways);
    this.totals = picture.totals;
    this.faults = picture.faults;
    this.answers = picture.answers;
    this.links = picture.links;
    this.others = picture.others;
  }
}

/** Lists are created at each look, their items are not. */
const sameOr = <T>(before: readonly T[], now: readonly T[]): readonly T[] =>
  before.length === now.length && before.every((one, index) => one === now[index]) ? before : now;
