// The selection of the reader on the page of a fleet: all of it is in the address. Picking and opening are steps of the back
// button; a search that is being typed is not.

import type { FleetRoster, RosterCell } from '../../../src/core/fleet/fleet-picture.ts';
import type { FleetPick } from '../../../src/core/fleet/fleet-selection.ts';
import type { Router } from '../shell/router.svelte.ts';
import {
  addressOf,
  type FleetAddress,
  groupCalled,
  groupParameter,
  pickIn,
  readFleetAddress,
  withFleetAddress,
} from './fleet-address.ts';

export class FleetChoice {
  readonly #router: Router;
  readonly #cells: () => ReadonlyMap<string, RosterCell>;
  readonly #roster: () => FleetRoster;

  /** @param cells of the roster, by name and id: `cellsByName`. */
  constructor(router: Router, cells: () => ReadonlyMap<string, RosterCell>, roster: () => FleetRoster) {
    this.#router = router;
    this.#cells = cells;
    this.#roster = roster;
  }

  get address(): FleetAddress {
    return readFleetAddress(this.#router.query);
  }

  get find(): string {
    return this.address.find;
  }

  /** What is picked; undefined where nothing is, or nobody is called so. */
  get pick(): FleetPick | undefined {
    return pickIn(this.address.pick, this.#cells(), this.#roster());
  }

  /** Picks a node, or lets it go where it is picked. */
  pickNode(cell: RosterCell): void {
    const { pick } = this;
    const isPicked = pick?.kind === 'node' && pick.node === cell.node;
    this.#step({ pick: isPicked ? undefined : addressOf(cell, this.#cells()) });
  }

  pickNodeCalled(id: string): void {
    const cell = this.#cells().get(id);
    if (cell !== undefined) this.pickNode(cell);
  }

  /** Picks a group, or releases it; together with another picked one, the links between the two. */
  pickGroup(group: string, isSecond: boolean): void {
    const { pick } = this;
    if (isSecond && pick?.kind === 'group' && pick.group !== group) this.pickPair([pick.group, group]);
    else
      this.#step({
        pick:
          pick?.kind === 'group' && pick.group === group
            ? undefined
            : { kind: 'group', group: groupParameter(this.#roster(), group) },
      });
  }

  pickPair(groups: readonly [string, string]): void {
    const { pick } = this;
    const isPicked = pick?.kind === 'pair' && pick.groups.every((group, index) => group === groups[index]);
    const [one, other] = groups.map(group => groupParameter(this.#roster(), group));
    if (one === undefined || other === undefined) return;
    this.#step({ pick: isPicked ? undefined : { kind: 'pair', groups: [one, other] } });
  }

  release(): void {
    if (this.address.pick !== undefined) this.#step({ pick: undefined });
  }

  groupBy(by: string): void {
    this.#step({ by, pick: undefined, map: undefined });
  }

  /** The group that is opened; undefined where none is, or none is called so. */
  get opened(): string | undefined {
    const { map } = this.address;
    return map === undefined ? undefined : groupCalled(this.#roster(), map)?.id;
  }

  search(find: string): void {
    this.#router.request(withFleetAddress(this.#router.query, { find }));
  }

  showAs(isTable: boolean): void {
    this.#step({ isTable });
  }

  /** Back from the map of one group to all. */
  closeMap(): void {
    if (this.address.map !== undefined) this.#step({ map: undefined, pick: undefined });
  }

  openMap(group: string): void {
    this.#router.go(this.mapPath(group));
  }

  mapPath(group: string): string {
    return `/?${withFleetAddress(this.#router.query, {
      map: groupParameter(this.#roster(), group),
      pick: undefined,
      find: '',
    })}`;
  }

  get allPath(): string {
    const query = withFleetAddress(this.#router.query, { map: undefined, pick: undefined }).toString();
    return query === '' ? '/' : `/?${query}`;
  }

  #step(change: Partial<FleetAddress>): void {
    this.#router.step(withFleetAddress(this.#router.query, change));
  }
}
