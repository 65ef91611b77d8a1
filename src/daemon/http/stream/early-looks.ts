// Looks at a large fleet before anybody reads: soon after the start, now and then while nobody does, and as soon as a page is
// asked for, while the browser puts it together. What has not changed since is not derived again, so the first page of the day
// does not wait for all links of a thousand nodes.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../clock/clock.ts';
import { type FleetPicture, usualGroupBy } from '../../../core/fleet/fleet-picture.ts';
import type { FleetPick, FleetSelection } from '../../../core/fleet/fleet-selection.ts';
import { type FleetSources, FleetWatch } from '../../../core/fleet/fleet-watch.ts';
import { judgedLink } from '../../../core/fleet/judged-link.ts';
import type { LinkListFilter } from '../../../core/fleet/link-listing.ts';
import { type GroupBy, groupByText } from '../../../core/group/group-by.ts';
import { NodePlaceCache } from '../../../core/group/node-place.ts';
import { ALL_MEASURED_MAX, LinkWatch } from '../../../core/link/link-view.ts';
import { type NodeView, nodeView } from '../../../core/node/node-view.ts';
import { nodeIds } from '../../../core/node/presence-view.ts';
import type { State } from '../../../core/state.ts';
import { ITEMS_OF_TURN, type Turns, toTheEnd } from '../../../core/turns.ts';
import { WarningWatch } from '../../../core/warnings/cluster-warnings.ts';
import type { FleetLists } from '../../../wire/fleet-message.ts';

interface EarlyLooksOptions {
  readonly clock: Clock;
  readonly cluster: { readonly state: State };
}

export class EarlyLooks {
  readonly looks: FleetLooks = new FleetLooks();
  readonly #options: EarlyLooksOptions;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** A look in turns that has not ended. */
  #begun: Turns<void> | undefined;
  #expected = new AbortController();

  constructor(options: EarlyLooksOptions) {
    this.#options = options;
  }

  /** Until it is stopped; where somebody reads, it leaves the looks to him. */
  async run(isRead: () => boolean, signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    for (let turn = 0; ; turn += 1) {
      await this.#sleep(WAITS_MS[turn] ?? AGAIN_MS, signal);
      if (!isRead() && isLarge(cluster.state)) await this.#lookInTurns(signal);
    }
  }

  expectReader(): void {
    if (this.#options.clock.nowMs() - this.#lookedAtMs >= EXPECTED_MS) this.#expected.abort();
  }

  /** At once, all of it; what was begun is ended first. */
  look(): void {
    const { clock, cluster } = this.#options;
    const begun = this.#begun;
    this.#begun = undefined;
    if (begun !== undefined) toTheEnd(begun);
    this.#lookedAtMs = clock.nowMs();
    toTheEnd(this.looks.look(cluster.state, this.#lookedAtMs));
  }

  lookIfOlder(ageMs: number): void {
    if (this.#begun !== undefined || this.#options.clock.nowMs() - this.#lookedAtMs >= ageMs) this.look();
  }

  /** Or less, where a reader is expected. */
  async #sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    this.#expected = new AbortController();
    try {
      await this.#options.clock.sleep(durationMs, AbortSignal.any([signal, this.#expected.signal]));
    } catch (error) {
      if (signal.aborted || !this.#expected.signal.aborted) throw error;
    }
  }

  /** The files of a page that is loading, and the mesh, have their turns in between. */
  async #lookInTurns(signal: AbortSignal): Promise<void> {
    const { clock, cluster } = this.#options;
    this.#lookedAtMs = clock.nowMs();
    const begun = this.looks.look(cluster.state, this.#lookedAtMs);
    this.#begun = begun;
    while (this.#begun === begun) {
      const untilMs = clock.nowMs() + TURN_MS;
      let isDone = false;
      while (!isDone && clock.nowMs() < untilMs) isDone = begun.next().done === true;
      if (isDone) {
        this.#begun = undefined;
        this.looks.picture(undefined);
      }
      await nextTurn();
      signal.throwIfAborted();
    }
  }
}

/** Decided from the map alone, before anything else is read. */
const isLarge = ({ nodeIdentities }: State): boolean => Object.keys(nodeIdentities).length > ALL_MEASURED_MAX;

/** After the start, and when the nodes of a fleet have reported what they are; then between two looks while nobody reads. */
const WAITS_MS = [0, 3_000];
const AGAIN_MS = 30_000;
/** A look that is not older serves the page that is asked for. */
const EXPECTED_MS = 5_000;
/** Of the daemon's time at once. */
const TURN_MS = 8;

// The cluster as pages of fleets see it: looked at once for all readers, however many groupings and picks they have.
class FleetLooks {
  readonly #links = new LinkWatch();
  readonly #places = new NodePlaceCache();
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
    const cached = this.#pictures.get(text);
    if (cached !== undefined) return cached;
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
