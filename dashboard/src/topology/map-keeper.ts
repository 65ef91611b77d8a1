// Keeps the map still: the layout is recomputed only when its inputs have changed.

import type { LinkMedium } from '../../../src/core/link/link-medium.ts';
import type { LinkView } from '../../../src/core/link/link-view.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { linkTexts } from '../link/link-words.ts';
import { nodeWords } from '../node/node-words.ts';
import { BESIDE_WORDS_WIDTH, FULL_NODES_MAX } from './arrangement.ts';
import type { MapFrame } from './geometry.ts';
import type { MapLayout, MapLink, MapNode } from './map-layout.ts';
import { layoutMap } from './map-layout.ts';
import { FACT_FACE, mapName, NAME_FACE } from './map-words.ts';
import { strokeWidth } from './route.ts';
import { drawnTextWidth, fitted } from './text-width.ts';
import type { LinkTexts } from './wanted-labels.ts';

export interface Picture {
  readonly layout: MapLayout;
  readonly texts: ReadonlyMap<string, LinkTexts>;
  /** Plain links are one web; and so are those over RDMA, where there are too many of them, too. */
  readonly isWeb: boolean;
  readonly hasFastWeb: boolean;
}

export interface Sight {
  readonly views: readonly NodeView[];
  readonly links: readonly LinkView[];
  /** Keys of links that carry less than they should. */
  readonly flagged: Pick<ReadonlySet<string>, 'has'>;
  readonly picked: string | undefined;
  readonly frame: MapFrame;
}

export class MapKeeper {
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
      const known = this.#picture?.layout.places ?? new Map();
      const layout = layoutMap({ nodes, links: links.links, frame: sight.frame, known });
      this.#picture = { layout, texts: links.texts, isWeb: links.isWeb, hasFastWeb: links.hasFastWeb };
    }
    this.#seen = seen;
    return this.#picture;
  }

  /** Links are told anew only when one of them has changed. */
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
  readonly isWeb: boolean;
  readonly hasFastWeb: boolean;
}

const lookAt = (sight: Sight): LinkSight => {
  const isWeb = sight.links.length > LINES_EACH_MAX;
  const fastCount = isWeb ? sight.links.filter(({ medium }) => medium === 'rdma').length : 0;
  const hasFastWeb = fastCount > LINES_EACH_MAX;
  const texts = new Map<string, LinkTexts>();
  const links = sight.links.map(link => {
    const isPlain = isWeb && !isSpecial(link, sight, hasFastWeb);
    const wanted = isPlain ? 'figures' : linkTexts(link);
    if (!isPlain) texts.set(link.key, wanted);
    return mapLink(link, wanted, sight, isPlain);
  });
  return { links, texts, isWeb, hasFastWeb };
};

/** Past this many links, plain ones are drawn as one web: they cannot be told apart, and each would cost time. */
export const LINES_EACH_MAX = 150;

/** Links that stay a line of their own in a web. */
export const isSpecial = (
  link: LinkView,
  { flagged, picked }: Pick<Sight, 'flagged' | 'picked'>,
  hasFastWeb: boolean,
): boolean => (link.medium === 'rdma' && !hasFastWeb) || link.key === picked || flagged.has(link.key);

interface Seen {
  readonly head: string;
  readonly links: readonly MapLink[];
}

/** Link by link and not as one text: of two hundred nodes there are twenty thousand, twice a second. */
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
      link.isFlagged === other.isFlagged &&
      link.pull === other.pull
    );
  });

/** Names are measured, figures get room for all that they may become. */
const mapNode = (view: NodeView, count: number): MapNode => {
  const words = { identity: 0, figures: 0 };
  if (count === 3 || count === 4) {
    const name = mapName(view, { face: NAME_FACE, room: BESIDE_WORDS_WIDTH, isMarked: true });
    words.figures = BESIDE_WORDS_WIDTH - 2;
    words.identity = Math.max(
      drawnTextWidth(name, NAME_FACE),
      drawnTextWidth(fitted(nodeWords(view).model, FACT_FACE, BESIDE_WORDS_WIDTH), FACT_FACE),
    );
  }
  return { id: view.nodeId, words };
};

const mapLink = (
  link: LinkView,
  texts: LinkTexts,
  { flagged, picked, views }: Sight,
  isPlain: boolean,
): MapLink => {
  const isPicked = link.key === picked;
  const rate = isPlain ? 0 : Math.max(link.there?.value ?? 0, link.back?.value ?? 0);
  return {
    key: link.key,
    nodes: link.nodes,
    texts,
    width: Math.ceil(strokeWidth(rate === 0 ? undefined : rate, views.length <= FULL_NODES_MAX)),
    priority: isPicked ? 3 : flagged.has(link.key) ? 2 : link.medium === 'rdma' ? 1 : 0,
    isPicked,
    isFlagged: flagged.has(link.key),
    pull: PULLS[link.medium],
  };
};

/** Machines joined by a fast cable are placed together; a switch or Wi-Fi joins all of them. */
const PULLS: Readonly<Record<LinkMedium, number>> = {
  rdma: 1,
  cable: 0.08,
  wifi: 0.04,
  unknown: 0.04,
  overlay: 0.02,
};
