// What the map draws, each part with a signal of its own that moves only when that part has changed: otherwise hundreds
// of lines and nodes would be compared at every count.

import type { LinkView } from '../../../src/core/link/link-view.ts';
import type { Picture, Sight } from './map-keeper.ts';
import { isSpecial, MapKeeper } from './map-keeper.ts';
import type { MapRoute } from './map-layout.ts';
import type { Speck } from './specks.ts';
import { Specks } from './specks.ts';

export class MapScene {
  picture: Picture | undefined = $state.raw(undefined);
  routeOf: ReadonlyMap<string, MapRoute> = $state.raw(new Map());
  /** Links with separate lines, and those in the web. */
  special: readonly LinkView[] = $state.raw([]);
  plain: readonly LinkView[] = $state.raw([]);
  specks: readonly Speck[] = $state.raw([]);
  nameOf: ReadonlyMap<string, string> = $state.raw(new Map());
  readonly #keeper = new MapKeeper();
  readonly #specks = new Specks();
  #sight: Sight | undefined;

  see(sight: Sight, lagMs: number | undefined): void {
    const before = this.#sight;
    const picture = this.#keeper.see(sight);
    const isOther = picture !== this.picture;
    if (isOther) this.routeOf = new Map(picture.layout.routes.map(route => [route.key, route]));
    if (
      isOther ||
      before?.links !== sight.links ||
      before.flagged !== sight.flagged ||
      before.picked !== sight.picked
    )
      this.#sort(sight, picture);
    this.#name(sight);
    const { arrangement } = picture.layout;
    this.specks = arrangement.detail === 'speck' ? this.#specks.read(sight.views, arrangement, lagMs) : [];
    this.picture = picture;
    this.#sight = sight;
  }

  #sort(sight: Sight, { isWeb, hasFastWeb }: Picture): void {
    const isOwn = (link: LinkView): boolean => !isWeb || isSpecial(link, sight, hasFastWeb);
    this.special = sight.links.filter(isOwn);
    this.plain = isWeb ? sight.links.filter(link => !isOwn(link)) : [];
  }

  #name({ views }: Sight): void {
    const isSame =
      views.length === this.nameOf.size &&
      views.every(({ nodeId, name }) => this.nameOf.get(nodeId) === name);
    if (!isSame) this.nameOf = new Map(views.map(({ nodeId, name }) => [nodeId, name]));
  }
}
