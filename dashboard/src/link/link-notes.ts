// Notes about a link in addition to its figures: what it falls short of, and which of its paths are lost.

import { linkShortfall } from '../../../src/core/link/link-shortfall.ts';
import { isCarrying, type LinkView } from '../../../src/core/link/link-view.ts';
import { lossReason, lostPathText, lostText } from '../../../src/core/link/loss-text.ts';
import { type RateUnit, shortfallText } from './link-text.ts';

interface NoteSources {
  readonly nameOf: (id: string) => string;
  readonly unit: RateUnit;
  readonly nowMs: number;
}

/** By the key of the link; none of a link that is as it should be. */
export const linkNotes = (links: readonly LinkView[], sources: NoteSources): ReadonlyMap<string, string> =>
  new Map(
    links.flatMap(link => {
      const note = linkNote(link, sources);
      return note === '' ? [] : [[link.key, note] as const];
    }),
  );

const linkNote = (link: LinkView, { nameOf, unit, nowMs }: NoteSources): string => {
  const [lost] = link.lost;
  if (lost !== undefined) {
    const text = isCarrying(link.standing) ? lostPathText(lost, link.nodes, nowMs) : lostText(lost, nowMs);
    return `${text}: ${lossReason(lost, nameOf)}`;
  }
  const short = linkShortfall(link);
  const [first, second] = link.nodes;
  return short === undefined ? '' : shortfallText(short, [nameOf(first), nameOf(second)], unit);
};
