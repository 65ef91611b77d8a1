// A link that carries less than it should: far below what its two ends agreed on, or in one direction only.
// Measured goodput is below any negotiated rate, so the limits are far below what a sound link reaches.

import { minimumOf } from '../extremes.ts';
import { knownOr } from '../unknown.ts';
import type { ConnectionCarrier } from './connection-type.ts';
import type { ConnectionFacts } from './link-facts.ts';
import type { LinkMedium } from './link-medium.ts';
import type { FigureView, LinkView } from './link-view.ts';

export interface Shortfall {
  /** Which direction is short: from the first node to the second, back, or both. */
  readonly direction: 'there' | 'back' | 'both';
  readonly bitsPerSecond: number;
  /** The connection whose figure is short. */
  readonly of: ConnectionFacts;
  /** The rate that was expected. */
  readonly expected: { readonly kind: 'negotiated' | 'other-way'; readonly bitsPerSecond: number };
}

export const linkShortfall = ({ there, back, standing }: LinkView): Shortfall | undefined => {
  if (standing.kind !== 'measured') return undefined;
  const shorts = [
    { direction: 'there' as const, figure: there },
    { direction: 'back' as const, figure: back },
  ].flatMap(({ direction, figure }) => {
    const expected = figure === undefined ? undefined : expectedOf(figure);
    return figure === undefined || expected === undefined ? [] : [{ direction, figure, expected }];
  });
  const [first, second] = shorts;
  if (first !== undefined) {
    return {
      direction: second === undefined ? first.direction : 'both',
      bitsPerSecond: minimumOf(shorts.map(({ figure }) => figure.value)),
      of: first.figure.of,
      expected: { kind: 'negotiated', bitsPerSecond: first.expected },
    };
  }
  return lopsided(there, back);
};

/** The negotiated rate that a figure falls short of; undefined if it does not, or if the rate is unknown. */
const expectedOf = ({ value, of }: FigureView): number | undefined => {
  const negotiated = knownOr(of.carrier.negotiatedBitsPerSecond, undefined);
  const share = soundShare(of);
  return negotiated === undefined || share === undefined || value >= share * negotiated
    ? undefined
    : negotiated;
};

/**
 * A cable has the same rate in both directions; radio and overlays do not. A link of unknown type is reported
 * if one direction is far slower.
 */
const lopsided = (there: FigureView | undefined, back: FigureView | undefined): Shortfall | undefined => {
  if (there === undefined || back === undefined) return undefined;
  const [low, high] = there.value < back.value ? [there, back] : [back, there];
  const evenShare = EVEN_SHARES[low.of.medium];
  if (evenShare === undefined || low.value >= evenShare * high.value) return undefined;
  return {
    direction: low === there ? 'there' : 'back',
    bitsPerSecond: low.value,
    of: low.of,
    expected: { kind: 'other-way', bitsPerSecond: high.value },
  };
};

/** The least share of the negotiated rate that a sound connection carries; undefined if none can be expected. */
export const soundShare = ({
  medium,
  carrier,
}: {
  readonly medium: LinkMedium;
  readonly carrier: ConnectionCarrier;
}): number | undefined => {
  switch (medium) {
    case 'rdma':
      return CABLE_SHARE;
    case 'cable':
      // TCP over Thunderbolt reaches about half of its 80 Gb/s on a sound cable: 38 Gb/s in the reference's rows.
      return carrier.type === 'thunderbolt' ? THUNDERBOLT_TCP_SHARE : CABLE_SHARE;
    case 'wifi':
      // Half duplex and shared; the negotiated figure is that of the radio.
      return WIFI_SHARE;
    case 'overlay':
    case 'unknown':
      return undefined;
    default:
      return medium satisfies never;
  }
};

const CABLE_SHARE = 0.6;
const THUNDERBOLT_TCP_SHARE = 0.25;
const WIFI_SHARE = 0.15;
/** Minimum share of the faster direction that the slower one carries. */
const EVEN_SHARES: Readonly<Record<LinkMedium, number | undefined>> = {
  rdma: 0.6,
  cable: 0.6,
  unknown: 0.5,
  wifi: undefined,
  overlay: undefined,
};
