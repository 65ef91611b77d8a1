// What the map draws, each part with a signal of its own that moves only when that part has changed: otherwise all lines and
// nodes would be compared at every count.

import type { LinkView } from '../../../src/core/link/link-view.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { linkTexts } from '../link/link-text.ts';
import { nodeText } from '../node/node-text.ts';
import { FULL_NODES_MAX, NEXT_TO_TEXT_WIDTH } from './arrangement.ts';
import type { MapFrame } from './geometry.ts';
import { layoutMap, type MapLayout, type MapLink, type MapNode, type MapRoute } from './map-layout.ts';
import { FACT_FACE, mapName, NAME_FACE } from './map-text.ts';
import { strokeWidth } from './route.ts';
import { drawnTextWidth, fitted } from './text-width.ts';
import type { LinkTexts } from './wanted-labels.ts';

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

// Keeps the map still: the layout is recomputed only when its inputs have changed.
interface Picture {
  readonly layout: MapLayout;
  readonly texts: ReadonlyMap<string, LinkTexts>;
}

interface Sight {
  readonly views: readonly NodeView[];
  readonly links: readonly LinkView[];
  /** Keys of links that carry less than they should. */
  readonly flagged: Pick<ReadonlySet<string>, 'has'>;
  readonly picked: string | undefined;
  readonly frame: MapFrame;
}

class LayoutCache {
  #seen: Seen | undefined;
  #sight: Sight | undefined;
  #links: LinkSight | undefined;
  #picture: Picture | undefined;

  /** The same picture again while nothing that shapes it has changed. */
  see(sight: Sight): Picture {
    const links = this.#see(sight);
    const nodes = sight.views.map(view => mapNode(view, sight.views.length));
    const seen: Seen = { head: JSON.stringify([sight.frame, nodes]), links: links.links };
    if (this.#picture === undefined || this.#seen === undefined || !isSame(this.#seen, seen)) {
      const layout = layoutMap({ nodes, links: links.links, frame: sight.frame });
      this.#picture = { layout, texts: links.texts };
    }
    this.#seen = seen;
    return this.#picture;
  }

  /** Links are described again only when one of them has changed. */
  #see(sight: Sight): LinkSight {
    const before = this.#sight;
    const isKnown =
      before?.links === sight.links &&
      before.flagged === sight.flagged &&
      before.picked === sight.picked &&
      before.views.length === sight.views.length;
    this.#sight = sight;
    if (!isKnown || this.#links === undefined) this.#links = lookAt(sight);
    return this.#links;
  }
}

interface LinkSight {
  readonly links: readonly MapLink[];
  readonly texts: ReadonlyMap<string, LinkTexts>;
}

const lookAt = (sight: Sight): LinkSight => {
  const texts = new Map(sight.links.map(link => [link.key, linkTexts(link)]));
  const links = sight.links.map(link => mapLink(link, texts.get(link.key) ?? 'none', sight));
  return { links, texts };
};

interface Seen {
  readonly head: string;
  readonly links: readonly MapLink[];
}

const isSame = (a: Seen, b: Seen): boolean =>
  a.head === b.head &&
  a.links.length === b.links.length &&
  a.links.every((link, index) => {
    const other = b.links[index];
    return (
      other !== undefined &&
      link.key === other.key &&
      link.texts === other.texts &&
      link.width === other.width &&
      link.priority === other.priority &&
      link.isFlagged === other.isFlagged
    );
  });

/** Names are measured, figures get room for all that they may become. */
const mapNode = (view: NodeView, count: number): MapNode => {
  const textWidths = { identity: 0, figures: 0 };
  if (count === 3 || count === 4) {
    const name = mapName(view, { face: NAME_FACE, room: NEXT_TO_TEXT_WIDTH, isMarked: true });
    textWidths.figures = NEXT_TO_TEXT_WIDTH - 2;
    textWidths.identity = Math.max(
      drawnTextWidth(name, NAME_FACE),
      drawnTextWidth(fitted(nodeText(view).model, FACT_FACE, NEXT_TO_TEXT_WIDTH), FACT_FACE),
    );
  }
  return { id: view.nodeId, textWidths };
};

const mapLink = (link: LinkView, texts: LinkTexts, { flagged, picked, views }: Sight): MapLink => {
  const isPicked = link.key === picked;
  const rate = Math.max(link.there?.value ?? 0, link.back?.value ?? 0);
  return {
    key: link.key,
    nodes: link.nodes,
    texts,
    width: Math.ceil(strokeWidth(rate === 0 ? undefined : rate, views.length <= FULL_NODES_MAX)),
    priority: isPicked ? 3 : flagged.has(link.key) ? 2 : link.medium === 'rdma' ? 1 : 0,
    isPicked,
    isFlagged: flagged.has(link.key),
  };
};
