// What a cluster's owner looks for first: the cable with the smallest share of its expected rate.

import { type Figure, figureText, formatPercent } from '../../../src/core/figure/figure.ts';
import { slowestCable } from '../../../src/core/link/link-share.ts';
import { linkShortfall } from '../../../src/core/link/link-shortfall.ts';
import { typeText } from '../../../src/core/link/link-text.ts';
import type { LinkView } from '../../../src/core/link/link-view.ts';
import { negotiatedText, type RateUnit, rateFigure } from '../link/link-text.ts';

export interface SlowestTile {
  /** Of the link. */
  readonly key: string;
  readonly value: Figure;
  readonly from: string;
  readonly to: string;
  /** Of what it should carry: "49 %" */
  readonly share: string;
  /** The same as one sentence. */
  readonly reported: string;
  readonly isFlagged: boolean;
}

export const slowestTile = (
  links: readonly LinkView[],
  { nameOf, unit }: { readonly nameOf: (id: string) => string; readonly unit: RateUnit },
): SlowestTile | undefined => {
  const slowest = slowestCable(links);
  if (slowest === undefined) return undefined;
  const { link, direction, figure } = slowest;
  const [one, other] = [nameOf(link.nodes[0]), nameOf(link.nodes[1])];
  const [from, to] = direction === 'there' ? [one, other] : [other, one];
  const value = rateFigure(figure.value, unit);
  const negotiated = negotiatedText(figure.of, unit);
  const share = figureText(formatPercent(slowest.share));
  return {
    key: link.key,
    value,
    from,
    to,
    share,
    reported: `${from}→${to} carries ${figureText(value)} of ${negotiated} (${typeText(figure.of)}), ${share} of what it should`,
    isFlagged: linkShortfall(link) !== undefined,
  };
};
