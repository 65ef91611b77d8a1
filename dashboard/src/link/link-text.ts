// A link in words: for its labels, its row in the list, and screen readers.

import { formatNanoseconds } from '../../../src/core/figure/duration.ts';
import {
  counted,
  type Figure,
  figureText,
  formatBitsPerSecond,
  formatBytesPerSecond,
  formatThreeDigits,
  UNKNOWN_FIGURE,
} from '../../../src/core/figure/figure.ts';
import { type ConnectionFacts, jitterOf } from '../../../src/core/link/link-facts.ts';
import type { Shortfall } from '../../../src/core/link/link-shortfall.ts';
import { standingText, typeText } from '../../../src/core/link/link-text.ts';
import { type FigureView, isCarrying, type LinkView } from '../../../src/core/link/link-view.ts';
import { isKnown } from '../../../src/core/unknown.ts';
import { formatNominalRate } from '../figure/rate.ts';
import type { LinkTexts } from '../topology/wanted-labels.ts';

export type RateUnit = 'bits' | 'bytes';

/** Half a round trip is what a picture shows; the whole one is what was measured. */
export type DelayUnit = 'half' | 'round';

/** The units that the reader has chosen for figures of links. */
export interface LinkUnits {
  readonly rate: RateUnit;
  readonly delay: DelayUnit;
}

export const rateFigure = (bitsPerSecond: number | undefined, unit: RateUnit): Figure => {
  if (bitsPerSecond === undefined) return UNKNOWN_FIGURE;
  return unit === 'bits' ? formatBitsPerSecond(bitsPerSecond) : formatBytesPerSecond(bitsPerSecond / 8);
};

/** "9 µs", "107 µs", "2.7 ms": a delay is read at a glance, so an insignificant decimal is left out. */
export const timeFigure = (nanoseconds: number | undefined): Figure => {
  if (nanoseconds === undefined) return UNKNOWN_FIGURE;
  const { figure, unit } = formatNanoseconds(nanoseconds);
  return { figure: figure.replace(/\.0$/, ''), unit };
};

/** A round trip, or the jitter of round trips, in the chosen unit; `delayName` and `jitterName` have its name. */
export const delayFigure = (roundTripNs: number | undefined, delay: DelayUnit): Figure =>
  timeFigure(roundTripNs === undefined || delay === 'round' ? roundTripNs : roundTripNs / 2);

export const delayName = (delay: DelayUnit): string => (delay === 'half' ? 'RTT/2' : 'RTT');

export const jitterName = (delay: DelayUnit): string => (delay === 'half' ? 'jitter/2' : 'jitter');

/** The negotiated rate: "80 Gb/s"; '' if unknown. */
export const negotiatedText = ({ carrier }: Pick<ConnectionFacts, 'carrier'>, unit: RateUnit): string =>
  isKnown(carrier.negotiatedBitsPerSecond) && carrier.negotiatedBitsPerSecond > 0
    ? figureText(formatNominalRate(carrier.negotiatedBitsPerSecond, unit))
    : '';

/** The texts of a link on the map. */
export const linkTexts = ({ standing }: Pick<LinkView, 'standing'>): LinkTexts => {
  switch (standing.kind) {
    case 'gone':
      return 'none';
    case 'lost':
      return 'lost';
    case 'returning':
      return 'reconnecting';
    case 'measuring':
      return 'measuring';
    case 'waiting':
      return 'waits';
    case 'failed':
      return 'failed';
    case 'unmeasured':
      return 'not measured';
    case 'measured':
      return 'figures';
    default:
      return standing satisfies never;
  }
};

/** The whole link for a screen reader: what it is, what it carries each way, and its delay. */
export const linkAriaLabel = (
  link: LinkView,
  [first, second]: readonly [string, string],
  { rate: unit, delay }: LinkUnits,
): string => {
  const head = `Link ${first} to ${second}, ${typeText(link.best)}: `;
  const why = standingText(link);
  if (why !== '') return head + why;
  const parts = [
    reported(link.there, `to ${second}`, unit),
    reported(link.back, `to ${first}`, unit),
    link.roundTrip === undefined
      ? 'delay not measured'
      : `${delayName(delay)} ${plain(delayFigure(link.roundTrip.value, delay))}`,
    ...(hasLostPath(link) ? [lostCount(link)] : []),
    ...(link.isMeasuring ? ['measuring now'] : []),
    ...(link.isStale ? ['stale'] : []),
  ];
  return head + parts.join(', ');
};

/** A path of it is lost while another carries. */
export const hasLostPath = ({ lost, standing }: LinkView): boolean => lost.length > 0 && isCarrying(standing);

/** "another path lost", "2 other paths lost": shown next to the figures of an open path. */
export const lostCount = ({ lost }: LinkView): string =>
  `${lost.length === 1 ? 'another path' : counted(lost.length, 'other path')} lost`;

const reported = (figure: FigureView | undefined, way: string, unit: RateUnit): string =>
  figure === undefined ? `not measured ${way}` : `${plain(rateFigure(figure.value, unit))} ${way}`;

/** With plain spaces, as people and tests type them. */
const plain = (figure: Figure): string => figureText(figure).replaceAll('\u00a0', ' ');

/** Of the connection with the shortest delay. */
export const linkJitter = ({ roundTrip }: Pick<LinkView, 'roundTrip'>, delay: DelayUnit): Figure =>
  delayFigure(roundTrip === undefined ? undefined : jitterOf(roundTrip.of), delay);

/** The lower of the two directions; of one that was measured alone, that. */
export const lowerWay = ({ there, back }: LinkView): FigureView | undefined =>
  there === undefined || (back !== undefined && back.value < there.value) ? back : there;

/** "to juno 74.8 Gb/s", "to atlas 74.6 Gb/s": what arrives at each end. */
export const bothWays = (
  { there, back }: LinkView,
  [first, second]: readonly [string, string],
  unit: RateUnit,
): readonly [string, string] => [directionText(there, second, unit), directionText(back, first, unit)];

const directionText = (figure: FigureView | undefined, to: string, unit: RateUnit): string =>
  `to ${to} ${figure === undefined ? 'not measured' : figureText(rateFigure(figure.value, unit))}`;

/** "of 80 Gb/s negotiated". */
export const ofNegotiated = (link: LinkView, unit: RateUnit): string => {
  const rate = negotiatedText(link.best, unit);
  return `of ${rate === '' ? 'an unknown rate' : `${rate} negotiated`}`;
};

/** "atlas→bosun 4.87 of 10 Gb/s", "941 Mb/s of 10 Gb/s both ways", "atlas→bosun 2.00 Gb/s, bosun→atlas 9.40 Gb/s". */
export const shortfallText = (
  { direction, bitsPerSecond, expected }: Omit<Shortfall, 'of'>,
  [first, second]: readonly [string, string],
  unit: RateUnit,
): string => {
  const now = figureText(rateFigure(bitsPerSecond, unit));
  const [way, other] =
    direction === 'back'
      ? [wayName(second, first), wayName(first, second)]
      : [wayName(first, second), wayName(second, first)];
  if (expected.kind === 'other-way')
    return `${way} ${now}, ${other} ${figureText(rateFigure(expected.bitsPerSecond, unit))}`;
  const whole = figureText(formatNominalRate(expected.bitsPerSecond, unit));
  return direction === 'both' ? `${now} of ${whole} both ways` : `${way} ${now} of ${whole}`;
};

/** A direction, as every surface writes it. */
export const wayName = (from: string, to: string): string => `${from}→${to}`;

/** The rate that a link falls short of, for a label: "of 10 Gb/s", or "other way 9.40" where only the other direction shows it. */
export const shouldText = ({ expected: { kind, bitsPerSecond } }: Shortfall, unit: RateUnit): string =>
  kind === 'negotiated'
    ? `of ${figureText(formatNominalRate(bitsPerSecond, unit))}`
    : `other way ${rateFigure(bitsPerSecond, unit).figure}`;

/** A rate in Gb/s or GB/s without its unit, for a table that names the unit once: "74.5", "0.65". */
export const figureIn = (bitsPerSecond: number, unit: RateUnit): string => {
  const giga = bitsPerSecond / (unit === 'bits' ? 1e9 : 8e9);
  if (giga > 0 && giga < 0.005) return '<0.01';
  return formatThreeDigits(giga);
};
