// Keeps the picture still: the layout is computed anew only when what it depends on has changed, and what a link wanted
// before decides while its figures tremble around a limit.

import type { LinkView } from '../../../src/core/link/link-view.ts';
import type { NodeView } from '../../../src/core/selectors.ts';
import { linkTexts } from '../link/link-words.ts';
import { nodeWords } from '../node/node-words.ts';
import { BESIDE_WORDS_WIDTH } from './arrangement.ts';
import type { Frame } from './geometry.ts';
import type { LinkTexts, MapInput, MapLayout, MapLink, MapNode } from './map-layout.ts';
import { layoutMap } from './map-layout.ts';
import { FACT_FACE, mapName, NAME_FACE } from './map-words.ts';
import { strokeWidth } from './route.ts';
import { fitted, textWidth } from './text-width.ts';

export interface Picture {
  readonly layout: MapLayout;
  readonly texts: ReadonlyMap<string, LinkTexts>;
}

export interface Sight {
  readonly views: readonly NodeView[];
  readonly links: readonly LinkView[];
  readonly flagged: ReadonlySet<string>;
  readonly picked: string | undefined;
  readonly frame: Frame;
}

export class MapKeeper {
  #key = '';
  #picture: Picture | undefined;

  /** The same picture again while nothing that shapes it has changed. */
  see(sight: Sight): Picture {
    const texts = new Map(
      sight.links.map(link => [link.key, linkTexts(link, this.#picture?.texts.get(link.key))]),
    );
    const input = inputOf(sight, texts);
    const key = JSON.stringify(input);
    if (this.#picture === undefined || key !== this.#key) {
      const known = this.#picture?.layout.places ?? new Map();
      this.#key = key;
      this.#picture = { layout: layoutMap({ ...input, known }), texts };
    }
    return this.#picture;
  }
}

const inputOf = (
  { views, links, flagged, picked, frame }: Sight,
  texts: ReadonlyMap<string, LinkTexts>,
): Omit<MapInput, 'known'> => ({
  frame,
  nodes: views.map(view => mapNode(view, views.length)),
  links: links.map(link => mapLink(link, { texts, flagged, picked, isFull: views.length <= 4 })),
});

/** Names are measured, figures get room for all that they may become. */
const mapNode = (view: NodeView, count: number): MapNode => {
  const words = { identity: 0, figures: 0 };
  if (count === 3 || count === 4) {
    const name = mapName(view, { face: NAME_FACE, room: BESIDE_WORDS_WIDTH, isMarked: true });
    words.figures = BESIDE_WORDS_WIDTH - 2;
    words.identity = Math.max(
      textWidth(name, NAME_FACE),
      textWidth(fitted(nodeWords(view).model, FACT_FACE, BESIDE_WORDS_WIDTH), FACT_FACE),
    );
  }
  return { id: view.nodeId, words };
};

interface Manner {
  readonly texts: ReadonlyMap<string, LinkTexts>;
  readonly flagged: ReadonlySet<string>;
  readonly picked: string | undefined;
  readonly isFull: boolean;
}

const mapLink = (link: LinkView, { texts, flagged, picked, isFull }: Manner): MapLink => {
  const isPicked = link.key === picked;
  const rate = Math.max(link.there?.value ?? 0, link.back?.value ?? 0);
  return {
    key: link.key,
    nodes: link.nodes,
    texts: texts.get(link.key) ?? 'none',
    width: Math.ceil(strokeWidth(rate === 0 ? undefined : rate, isFull)),
    priority: isPicked ? 3 : flagged.has(link.key) ? 2 : link.medium === 'rdma' ? 1 : 0,
    isPicked,
    pull: link.medium === 'rdma' ? 1 : link.medium === 'cable' ? 0.4 : 0.15,
  };
};
