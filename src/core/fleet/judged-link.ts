// What a fleet needs of each link, derived once per link and reused while the link is unchanged: a hundred
// thousand links are read every second, and a few of them have changed.

import { shareOfExpected } from '../link/link-share.ts';
import { type FigureView, isCarrying, type LinkView } from '../link/link-view.ts';
import { type CableFault, cableFault, type LossFault, lossFault } from './cable-fault.ts';

export interface JudgedLink {
  readonly link: LinkView;
  /** The slower direction; undefined if neither is known. */
  readonly slower: FigureView | undefined;
  /** Its share of the expected rate: 0..1 and slightly more. */
  readonly share: number | undefined;
  readonly fault: CableFault | undefined;
  readonly loss: LossFault | undefined;
  /** The order in which links are listed: links with a problem first, then the slowest; gone ones last. */
  readonly rank: number;
}

export const judgedLink = (link: LinkView): JudgedLink => {
  const cached = JUDGED.get(link);
  if (cached !== undefined) return cached;
  const slower = slowerWay(link);
  const share = slower === undefined ? undefined : shareOfExpected(slower);
  const fault = cableFault(link);
  const judged: JudgedLink = {
    link,
    slower,
    share,
    fault,
    loss: lossFault(link),
    rank: rankOf(link, share, fault),
  };
  JUDGED.set(link, judged);
  return judged;
};

/** Judges all links repeatedly; a list of the same objects is returned as before, without lookups. */
export class JudgedLinks {
  #links: readonly LinkView[] = [];
  #judged: readonly JudgedLink[] = [];

  /** The same list while the links are the same. */
  read(links: readonly LinkView[]): readonly JudgedLink[] {
    if (links === this.#links) return this.#judged;
    const before = this.#judged;
    this.#links = links;
    this.#judged = links.map((link, index) => {
      const previous = before[index];
      return previous?.link === link ? previous : judgedLink(link);
    });
    return this.#judged;
  }
}

const slowerWay = ({ there, back }: LinkView): FigureView | undefined => {
  if (there === undefined) return back;
  return back === undefined || there.value <= back.value ? there : back;
};

const rankOf = (link: LinkView, share: number | undefined, fault: CableFault | undefined): number => {
  if (link.lost.length > 0) return 0;
  if (!isCarrying(link.standing)) return 4;
  // A link with a problem comes before a sound link of a slow kind.
  if (share !== undefined) return (fault === undefined ? 1 : 0) + Math.min(1, share);
  return link.there === undefined && link.back === undefined ? 3 : 2.5;
};

// Only a cache: a changed link is another object (link/link-view.ts).
const JUDGED = new WeakMap<LinkView, JudgedLink>();
