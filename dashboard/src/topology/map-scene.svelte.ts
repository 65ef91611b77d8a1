// What the map draws, each part with a signal of its own that moves only when that part has changed: otherwise all lines and
// nodes would be compared at every count.

import { LayoutCache, type Picture, type Sight } from './layout-cache.ts';
import type { MapRoute } from './map-layout.ts';

export class MapScene {
  picture: Picture | undefined = $state.raw(undefined);
  routeOf: ReadonlyMap<string, MapRoute> = $state.raw(new Map());
  nameOf: ReadonlyMap<string, string> = $state.raw(new Map());
  readonly #supervisor = new LayoutCache();

  see(sight: Sight): void {
    const picture = this.#supervisor.see(sight);
    if (picture !== this.picture)
      this.routeOf = new Map(picture.layout.routes.map(route => [route.key, route]));
    this.#name(sight);
    this.picture = picture;
  }

  #name({ views }: Sight): void {
    const isSame =
      views.length === this.nameOf.size &&
      views.every(({ nodeId, name }) => this.nameOf.get(nodeId) === name);
    if (!isSame) this.nameOf = new Map(views.map(({ nodeId, name }) => [nodeId, name]));
  }
}
