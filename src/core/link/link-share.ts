// The share of its expected rate that a link carries. The negotiated rate is not the attainable one: TCP over
// Thunderbolt 5 reaches about half of it on a good cable, and Wi-Fi gives slightly more than half of its
// radio's rate to one direction.

import { knownOr } from '../unknown.ts';
import type { ConnectionFacts } from './link-facts.ts';
import type { FigureView, LinkView } from './link-view.ts';

/** 0..1 and slightly more; undefined if the negotiated or the expected rate is unknown. */
export const shareOfExpected = ({ value, of }: Pick<FigureView, 'value' | 'of'>): number | undefined => {
  const negotiated = knownOr(of.carrier.negotiatedBitsPerSecond, undefined);
  const expected = negotiated === undefined || negotiated <= 0 ? undefined : reachOf(of, negotiated);
  return expected === undefined ? undefined : value / expected;
};

interface SlowestWay {
  readonly link: LinkView;
  /** From the first node to the second, or back. */
  readonly direction: 'there' | 'back';
  readonly figure: FigureView;
  readonly share: number;
}

/**
 * The direction of a cable with the smallest share of its expected rate; of equal ones the slower. Undefined
 * if none is known.
 */
export const slowestCable = (links: readonly LinkView[]): SlowestWay | undefined => {
  let slowest: SlowestWay | undefined;
  for (const link of links) {
    for (const direction of ['there', 'back'] as const) {
      const figure = link[direction];
      if (figure === undefined || (figure.of.medium !== 'cable' && figure.of.medium !== 'rdma')) continue;
      const share = shareOfExpected(figure);
      if (share === undefined) continue;
      const isSlower =
        slowest === undefined ||
        share < slowest.share ||
        (share === slowest.share && figure.value < slowest.figure.value);
      if (isSlower) slowest = { link, direction, figure, share };
    }
  }
  return slowest;
};

/** What a sound connection can reach of its negotiated rate, bits per second. */
const reachOf = ({ medium, carrier }: ConnectionFacts, negotiated: number): number | undefined => {
  switch (medium) {
    case 'rdma':
      return negotiated;
    case 'cable':
      return carrier.type === 'thunderbolt' ? Math.min(negotiated, THUNDERBOLT_TCP_BITS) : negotiated;
    case 'wifi':
      return negotiated * WIFI_REACH;
    case 'overlay':
    case 'unknown':
      return undefined;
    default:
      return medium satisfies never;
  }
};

/**
 * 38 Gb/s over 80, and 31 over 40, in the rows of the reference: the protocol is the limit, not the cable.
 */
const THUNDERBOLT_TCP_BITS = 40e9;
const WIFI_REACH = 0.6;
