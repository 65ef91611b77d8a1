// The cluster as pages of fleets see it: looked at once for all readers, however many groupings and picks they have.

import { type FleetPicture, usualGroupBy } from '../../../core/fleet/fleet-picture.ts';
import type { FleetPick, FleetSelection } from '../../../core/fleet/fleet-selection.ts';
import { type FleetSources, FleetWatch } from '../../../core/fleet/fleet-watch.ts';
import { judgedLink } from '../../../core/fleet/judged-link.ts';
import type { LinkListFilter } from '../../../core/fleet/link-listing.ts';
import { type GroupBy, groupByText } from '../../../core/group/group-by.ts';
import { PlaceBook } from '../../../core/group/node-place.ts';
import { LinkWatch } from '../../../core/link/link-view.ts';
import { type NodeView, nodeView } from '../../../core/node/node-view.ts';
import { nodeIds } from '../../../core/node/presence-view.ts';
import type { State } from '../../../core/state.ts';
import { ITEMS_OF_TURN, type Turns } from '../../../core/turns.ts';
import { WarningWatch } from '../../../core/warnings/cluster-warnings.ts';
import type { FleetLists } from '../../../wire/fleet-message.ts';

export class FleetLooks {
  readonly #links = new LinkWatch();
  readonly #places = new PlaceBook();
  readonly #warnings = new WarningWatch();
  readonly #watches = new Map<string, FleetWatch>();
  /** By grouping, of the last look. */
  readonly #pictures = new Map<string, FleetPicture>();
  #sources: FleetSources | undefined;

  /** What nobody has looked at before takes long: most of a second where there are ten thousand links. */
  *look(state: State, nowMs: number): Turns<void> {
    const views: NodeView[] = [];
    for (const [index, id] of nodeIds(state).entries()) {
      if (index % ITEMS_OF_TURN === 0) yield;
      views.push(nodeView(state, id, nowMs));
    }
    const presences = new Map(views.map(({ nodeId, presence }) => [nodeId, presence]));
    const links = yield* this.#links.turns(state, nowMs, presences);
    for (const [index, link] of links.entries()) {
      if (index % ITEMS_OF_TURN === 0) yield;
      judgedLink(link);
    }
    const warnings = yield* this.#warnings.turns({ state, views, links, nowMs });
    this.#sources = { state, views, links, warnings, nowMs, places: this.#places.read(views) };
    for (const by of this.#watches.keys()) if (!this.#pictures.has(by)) this.#watches.delete(by);
    this.#pictures.clear();
  }

  /** @param by undefined: what these nodes are usually grouped by. */
  picture(by: GroupBy | undefined): FleetPicture | undefined {
    const sources = this.#sources;
    if (sources === undefined) return undefined;
    const grouping = by ?? usualGroupBy([...(sources.places?.values() ?? [])]);
    const text = groupByText(grouping);
    const held = this.#pictures.get(text);
    if (held !== undefined) return held;
    const watch = this.#watches.get(text) ?? new FleetWatch();
    this.#watches.set(text, watch);
    const picture = watch.read(sources, grouping);
    this.#pictures.set(text, picture);
    return picture;
  }

  /** The matrix of groups, and a page of the list of links. */
  links(by: GroupBy | undefined, filter: LinkListFilter): Pick<FleetLists, 'matrix' | 'listing'> {
    const picture = this.picture(by);
    const watch = picture === undefined ? undefined : this.#watches.get(picture.roster.by);
    return watch === undefined ? {} : { matrix: watch.matrix, listing: watch.list(filter) };
  }

  select(by: GroupBy | undefined, pick: FleetPick): FleetSelection | undefined {
    const picture = this.picture(by);
    return picture === undefined ? undefined : this.#watches.get(picture.roster.by)?.select(pick);
  }
}
