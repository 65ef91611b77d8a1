// One direction of a link as a load-line board shows it: what it carries now, and the lines of what it should.

import type { FigureView, LinkView } from '../../../src/core/link/link-view.ts';
import { usualLinkFigure } from '../../../src/core/probe/unusual-figures.ts';
import type { State } from '../../../src/core/state.ts';
import { knownOr } from '../../../src/core/unknown.ts';
import type { BoardLine } from '../chart/load-line-board.ts';
import type { Way } from './link-history.ts';
import type { RateUnit } from './link-text.ts';

export interface Direction {
  readonly now: FigureView | undefined;
  readonly back: FigureView | undefined;
  /** Which figure of the measuring connection this direction is: its source may be the other end. */
  readonly way: Way;
}

export const directionOf = (link: LinkView | undefined, from: string): Direction => {
  const isThere = link?.nodes[0] === from;
  const [now, back] = isThere ? [link?.there, link?.back] : [link?.back, link?.there];
  return { now, back, way: now?.of.source === from ? 'upload' : 'download' };
};

/** The median of the last week of what this direction carries, bits per second; undefined while none is usual. */
export const usualRate = (state: State, { now, way }: Direction): number | undefined => {
  if (now === undefined) return undefined;
  const { source, sink, connectionKey } = now.of;
  return usualLinkFigure(state, source, { kind: 'link', sink, connectionKey }, `${way}BitsPerSecond`);
};

interface BoardText {
  /** What it usually carries, bits per second. */
  readonly week: number | undefined;
  /** Of the other direction: "juno→atlas". */
  readonly backName: string;
  readonly unit: RateUnit;
}

export const boardLines = (
  { now, back }: Direction,
  { week, backName, unit }: BoardText,
): readonly BoardLine[] => {
  const giga = gigaOf(unit);
  const negotiated =
    now === undefined ? undefined : knownOr(now.of.carrier.negotiatedBitsPerSecond, undefined);
  return [
    ...(negotiated === undefined || negotiated <= 0
      ? []
      : [{ at: negotiated / giga, name: 'negotiated', isRing: true }]),
    ...(week === undefined ? [] : [{ at: week / giga, name: 'median last week', isRing: false }]),
    ...(back === undefined
      ? []
      : [
          {
            at: back.value / giga,
            name: backName.length > NAME_LENGTH_MOST ? 'other way' : backName,
            isRing: false,
          },
        ]),
  ];
};

export const gigaOf = (unit: RateUnit): number => (unit === 'bits' ? 1e9 : 8e9);

export const boardUnit = (unit: RateUnit): string => (unit === 'bits' ? 'Gb/s' : 'GB/s');

/** In characters: there is no room for more next to the gauge. */
const NAME_LENGTH_MOST = 20;
