// What a fleet asks of each of its links, derived once a link and kept while the link says the same: a hundred thousand links
// are looked at every second, and a few of them have changed.

import { shareOfExpected } from '../link/link-share.ts';
import { type FigureView, isCarrying, type LinkView } from '../link/link-view.ts';
import { type CableFault, cableFault, type LossFault, lossFault } from './cable-fault.ts';

export interface JudgedLink {
  readonly link: LinkView;
  /** The slower direction; undefined while neither is known. */
  readonly slower: FigureView | undefined;
  /** Of it, of what it should carry: 0..1 and slightly more. */
  readonly share: number | undefined;
  readonly fault: CableFault | undefined;
  readonly loss: LossFault | undefined;
  /** The order in which links are listed: what needs somebody first, then the slowest, what is gone last. */
  readonly rank: number;
}

export const judgedLink = (link: LinkView): JudgedLink => {
  const held = JUDGED.get(link);
  if (held !== undefined) return held;
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

/** All links again and again: those of the same objects are not even looked up. */
export class JudgedLinks {
  #links: readonly LinkView[] = [];
  #judged: readonly JudgedLink[] = [];

  /** The same list while the links are. */
  read(links: readonly LinkView[]): readonly JudgedLink[] {
    if (links === this.#links) return this.#judged;
    const before = this.#judged;
    this.#links = links;
    this.#judged = links.map((link, index) => {
      const held = before[index];
      return held?.link === link ? held : judgedLink(link);
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
  // What needs somebody stands before a sound link of a slow kind.
  if (share !== undefined) return (fault === undefined ? 1 : 0) + Math.min(1, share);
  return link.there === undefined && link.back === undefined ? 3 : 2.5;
};

// Only a cache: a link that says something else is another object (link/link-view.ts).
const JUDGED = new WeakMap<LinkView, JudgedLink>();
