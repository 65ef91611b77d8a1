// Links of a fleet as pages of a list: ten thousand are too many to scroll through, and too many for one page
// of a browser.

import type { LinkMedium } from '../link/link-medium.ts';
import { type FleetLink, fleetLink } from './fleet-links.ts';
import type { JudgedLink } from './judged-link.ts';

export interface LinkListFilter {
  /** Must be part of the name of one of its ends. */
  readonly text: string;
  readonly medium: LinkMedium | undefined;
  readonly isFlaggedOnly: boolean;
  /** From 0. */
  readonly page: number;
}

export interface LinkListing {
  /** Number in the cluster, and number that match the filter. */
  readonly linkCount: number;
  readonly matchCount: number;
  readonly flaggedCount: number;
  readonly page: number;
  readonly pageCount: number;
  /** Links with a problem first, then the slowest by the share of the negotiated rate. */
  readonly links: readonly FleetLink[];
}

/** A page past the last one gives the last one. */
export const linkListing = (
  links: readonly JudgedLink[],
  nameOf: (node: string) => string,
  { text, medium, isFlaggedOnly, page }: LinkListFilter,
): LinkListing => {
  const requested = text.toLowerCase();
  const meant = links.filter(
    ({ link, fault }) =>
      (medium === undefined || link.medium === medium) &&
      (!isFlaggedOnly || isNeedy({ link, fault })) &&
      (requested === '' || link.nodes.some(node => nameOf(node).toLowerCase().includes(requested))),
  );
  const pageCount = Math.max(1, Math.ceil(meant.length / LINKS_OF_PAGE));
  const shown = Math.min(page, pageCount - 1);
  return {
    linkCount: links.length,
    matchCount: meant.length,
    flaggedCount: links.filter(isNeedy).length,
    page: shown,
    pageCount,
    links: meant
      .toSorted((a, b) => a.rank - b.rank)
      .slice(shown * LINKS_OF_PAGE, (shown + 1) * LINKS_OF_PAGE)
      .map(({ link }) => fleetLink(link)),
  };
};

const isNeedy = ({ link, fault }: Pick<JudgedLink, 'link' | 'fault'>): boolean =>
  fault !== undefined || link.standing.kind === 'failed';

const LINKS_OF_PAGE = 50;
