// What a path loses and reorders of paced datagrams, in one direction, with how far that is certain.

import { figureText, formatFinePercent } from '../figure/figure.ts';
import type { NodeId } from '../ids.ts';
import { shareInterval } from '../statistics/share-interval.ts';
import { isKnown, knownOr } from '../unknown.ts';
import type { ConnectionFacts } from './link-facts.ts';
import type { DatagramFigures } from './link-profile.ts';

interface PathLoss {
  readonly share: number;
  /** Bounds of 95 % of the true share (Clopper and Pearson). */
  readonly low: number;
  readonly high: number;
}

/** Undefined unless measured. A node may report any numbers as its figures: bounds of absurd ones would take seconds. */
export const datagramLoss = (
  figures: DatagramFigures,
  direction: 'upload' | 'download',
): PathLoss | undefined => {
  const share = figures[`${direction}LossShare`];
  const of = figures[`${direction}Datagrams`];
  if (!isKnown(share) || !isKnown(of)) return undefined;
  if (!isShare(share) || !(of > 0 && of <= DATAGRAMS_MAX)) return undefined;
  return { share, ...shareInterval({ hits: Math.round(share * of), of, confidence: 0.95 }) };
};

/** From one of its two nodes to the other. */
export const lossFrom = ({ source, profile }: ConnectionFacts, from: NodeId): PathLoss | undefined =>
  profile === undefined ? undefined : datagramLoss(profile, source === from ? 'upload' : 'download');

/** "4.8 % (3.9 to 5.8 %)", "none (< 0.15 %)" */
export const datagramLossText = ({ share, low, high }: PathLoss): string =>
  share === 0
    ? `none (< ${percent(high)})`
    : `${percent(share)} (${formatFinePercent(low).figure} to ${percent(high)})`;

/** "loses 4.8 % (3.9 to 5.8 %) up, none (< 0.2 %) down; 10 % out of order up" */
export const lossWays = (figures: DatagramFigures): string => {
  const lost = WAYS.flatMap(({ direction, name }) => {
    const loss = datagramLoss(figures, direction);
    return loss === undefined ? [] : `${datagramLossText(loss)} ${name}`;
  });
  const reordered = WAYS.flatMap(({ direction, name }) => {
    const share = figures[`${direction}ReorderedShare`];
    return isKnown(share) && isShare(share) && share > 0 ? `${percent(share)} ${name}` : [];
  });
  return [
    ...(lost.length === 0 ? [] : [`loses ${lost.join(', ')}`]),
    ...(reordered.length === 0 ? [] : [`out of order ${reordered.join(', ')}`]),
  ].join('; ');
};

/** "MTU 1500 bytes", "MTU 9000 bytes up, 1500 down" */
export const mtuText = ({ uploadMtuBytes: up, downloadMtuBytes: down }: DatagramFigures): string =>
  up === down
    ? `MTU ${knownOr(up, '–')} bytes`
    : `MTU ${knownOr(up, '–')} bytes up, ${knownOr(down, '–')} down`;

const WAYS = [
  { direction: 'upload', name: 'up' },
  { direction: 'download', name: 'down' },
] as const;

const isShare = (value: number): boolean => value >= 0 && value <= 1;

const percent = (share: number): string => figureText(formatFinePercent(share));

/** A sound cable loses none. At this share and a round trip of 1 ms TCP carries about 450 Mb/s (Mathis et al. 1997, Reno). */
export const FAULTY_LOSS_SHARE: number = 0.001;
/** A thousand times those of a probe. */
const DATAGRAMS_MAX = 4_000_000;
