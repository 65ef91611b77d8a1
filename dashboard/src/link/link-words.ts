// A link in words: for its labels, its row in the list, and who listens instead of looking.

import { formatNanoseconds } from '../../../src/core/figure/duration.ts';
import type { Figure } from '../../../src/core/figure/figure.ts';
import {
  figureText,
  formatBitsPerSecond,
  formatBytesPerSecond,
  formatThreeDigits,
  UNKNOWN_FIGURE,
} from '../../../src/core/figure/figure.ts';
import type { ConnectionFacts } from '../../../src/core/link/link-facts.ts';
import type { Shortfall } from '../../../src/core/link/link-shortfall.ts';
import type { FigureView, LinkView } from '../../../src/core/link/link-view.ts';
import { figureAgeMs } from '../../../src/core/link/link-view.ts';
import { standingWords, typeWords } from '../../../src/core/link/link-words.ts';
import { isKnown } from '../../../src/core/unknown.ts';
import { formatNominalRate } from '../figure/rate.ts';
import type { LinkTexts } from '../topology/map-layout.ts';

export type RateUnit = 'bits' | 'bytes';

export const rateFigure = (bitsPerSecond: number | undefined, unit: RateUnit): Figure => {
  if (bitsPerSecond === undefined) return UNKNOWN_FIGURE;
  return unit === 'bits' ? formatBitsPerSecond(bitsPerSecond) : formatBytesPerSecond(bitsPerSecond / 8);
};

/** "9 µs", "107 µs", "2.7 ms": a delay is read at a glance, so a decimal that says nothing goes. */
export const timeFigure = (nanoseconds: number | undefined): Figure => {
  if (nanoseconds === undefined) return UNKNOWN_FIGURE;
  const { figure, unit } = formatNanoseconds(nanoseconds);
  return { figure: figure.replace(/\.0$/, ''), unit };
};

export const halfOf = (figure: FigureView | undefined): number | undefined =>
  figure === undefined ? undefined : figure.value / 2;

/** What was agreed on: "80 Gb/s"; '' where nobody knows. */
export const negotiatedWords = ({ carrier }: Pick<ConnectionFacts, 'carrier'>, unit: RateUnit): string =>
  isKnown(carrier.negotiatedBitsPerSecond)
    ? figureText(formatNominalRate(carrier.negotiatedBitsPerSecond, unit))
    : '';

/** Which labels a link wants on the map. `was` is what it wanted before, so that a trembling figure moves nothing. */
export const linkTexts = (link: LinkView, was: LinkTexts | undefined): LinkTexts => {
  switch (link.standing.kind) {
    case 'gone':
      return 'none';
    case 'measuring':
      return 'measuring';
    case 'waiting':
      return 'waits';
    case 'failed':
      return 'failed';
    case 'unmeasured':
      return 'not measured';
    case 'measured': {
      if (link.there === undefined || link.back === undefined) return 'apart';
      const [low, high] = [link.there.value, link.back.value].sort((a, b) => a - b);
      const differs = 1 - (low ?? 0) / (high ?? 1);
      return differs >= (was === 'apart' ? APART_SHARE_MIN - APART_SLACK : APART_SHARE_MIN)
        ? 'apart'
        : 'both';
    }
    default:
      return link.standing satisfies never;
  }
};

/** The whole link for a screen reader: what it is, what it carries each way, how long one way takes. */
export const linkSaid = (
  link: LinkView,
  [first, second]: readonly [string, string],
  unit: RateUnit,
): string => {
  const head = `Link ${first} to ${second}, ${typeWords(link.best)}: `;
  const why = standingWords(link);
  if (why !== '') return head + why;
  const parts = [
    said(link.there, `to ${second}`, unit),
    said(link.back, `to ${first}`, unit),
    link.roundTrip === undefined
      ? 'delay not measured'
      : `${plain(timeFigure(halfOf(link.roundTrip)))} one way`,
    ...(link.isMeasuring ? ['measuring now'] : []),
    ...(link.isStale ? ['stale'] : []),
  ];
  return head + parts.join(', ');
};

const said = (figure: FigureView | undefined, way: string, unit: RateUnit): string =>
  figure === undefined ? `not measured ${way}` : `${plain(rateFigure(figure.value, unit))} ${way}`;

/** With plain spaces, as people and tests type them. */
const plain = (figure: Figure): string => figureText(figure).replaceAll('\u00a0', ' ');

/** Directions that differ by more are shown apart. */
const APART_SHARE_MIN = 0.08;
const APART_SLACK = 0.03;

/** The age of the oldest of its figures. */
export const linkAgeMs = ({ there, back, roundTrip }: LinkView, nowMs: number): number | undefined => {
  const ages = [there, back, roundTrip].flatMap(figure =>
    figure === undefined ? [] : figureAgeMs(figure, nowMs),
  );
  return ages.length === 0 ? undefined : Math.max(...ages);
};

/** Of the connection with the shortest delay. */
export const linkHalfJitterNs = ({ roundTrip }: LinkView): number | undefined => {
  const jitterNs = roundTrip?.of.profile?.jitterNs;
  return typeof jitterNs === 'number' ? jitterNs / 2 : undefined;
};

/** "now 74.8 Gb/s of 80 Gb/s negotiated". */
export const nowOfNegotiated = (link: LinkView, unit: RateUnit): string => {
  const best = [link.there, link.back]
    .filter(figure => figure !== undefined)
    .sort((a, b) => b.value - a.value)[0];
  if (best === undefined) return '';
  const rate = negotiatedWords(link.best, unit);
  return `now ${figureText(rateFigure(best.value, unit))} of ${rate === '' ? 'an unknown rate' : `${rate} negotiated`}`;
};

/** "4.87 of 10 Gb/s there", "941 Mb/s of 10 Gb/s", "2.00 Gb/s back, 9.40 Gb/s there". */
export const shortfallWords = (
  { direction, bitsPerSecond, expected }: Omit<Shortfall, 'of'>,
  unit: RateUnit,
): string => {
  const now = figureText(rateFigure(bitsPerSecond, unit));
  if (expected.kind === 'other-way') {
    const other = direction === 'there' ? 'back' : 'there';
    return `${now} ${direction}, ${figureText(rateFigure(expected.bitsPerSecond, unit))} ${other}`;
  }
  const whole = figureText(formatNominalRate(expected.bitsPerSecond, unit));
  return `${now} of ${whole}${direction === 'both' ? '' : ` ${direction}`}`;
};

/** A rate in Gb/s or GB/s without its unit, for a table that names the unit once: "74.5", "0.65". */
export const figureIn = (bitsPerSecond: number, unit: RateUnit): string => {
  const giga = bitsPerSecond / (unit === 'bits' ? 1e9 : 8e9);
  if (giga > 0 && giga < 0.005) return '<0.01';
  return formatThreeDigits(giga);
};
