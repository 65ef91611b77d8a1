// Links as the page of a fleet lists them: what a row says, for a handful of a hundred thousand. Slowest first, by the share
// of what was negotiated, because a 100 Gb/s cable that carries 5 is worse than one of 10 that carries 9.

import type { NodeId } from '../ids.ts';
import { shareOfExpected } from '../link/link-share.ts';
import { linkShortfall } from '../link/link-shortfall.ts';
import type { FigureView, LinkView } from '../link/link-view.ts';
import { standingWords, typeWords } from '../link/link-words.ts';
import { knownOr } from '../unknown.ts';

export interface FleetLink {
  readonly key: string;
  readonly nodes: readonly [NodeId, NodeId];
  readonly type: string;
  readonly negotiatedBitsPerSecond?: number;
  /** From the first node to the second, and back, bits per second. */
  readonly there?: number;
  readonly back?: number;
  /** Of the direction that carries less of what it should: 0..1 and slightly more. */
  readonly share?: number;
  readonly slowerWay: 'there' | 'back';
  readonly roundTripNs?: number;
  /** On this process's clock: of the oldest figure. */
  readonly measuredAtMs?: number;
  readonly isStale: boolean;
  readonly isFlagged: boolean;
  /** Why it has no figures; '' where it has. */
  readonly why: string;
}

/** The slower direction, bits per second; undefined while neither is known. */
export const slowerRate = ({ there, back }: Pick<LinkView, 'there' | 'back'>): FigureView | undefined => {
  if (there === undefined) return back;
  return back === undefined || there.value <= back.value ? there : back;
};

/** 0..1 and slightly more, of the direction that carries less of what it should. */
export const slowerShare = (link: Pick<LinkView, 'there' | 'back'>): number | undefined => {
  const slower = slowerRate(link);
  return slower === undefined ? undefined : shareOfExpected(slower);
};

/** A few of many, the slowest first; those without figures, then those that are gone, come last. */
export const slowestLinks = (links: readonly LinkView[], countMax: number): readonly FleetLink[] => {
  const ranked = links.map(link => ({ link, rank: rankOf(link) }));
  // Only the first few are wanted of what may be a hundred thousand.
  const first: { readonly link: LinkView; readonly rank: number }[] = [];
  for (const one of ranked) {
    const last = first.at(-1);
    if (first.length >= countMax && last !== undefined && one.rank >= last.rank) continue;
    const place = first.findIndex(({ rank }) => rank > one.rank);
    first.splice(place < 0 ? first.length : place, 0, one);
    if (first.length > countMax) first.pop();
  }
  return first.map(({ link }) => fleetLink(link));
};

export const fleetLink = (link: LinkView): FleetLink => {
  const slower = slowerRate(link);
  const share = slowerShare(link);
  const negotiated = knownOr((slower?.of ?? link.best).carrier.negotiatedBitsPerSecond, undefined);
  const measured = [link.there, link.back].flatMap(figure => figure?.of.measuredAtMs ?? []);
  return {
    key: link.key,
    nodes: link.nodes,
    type: typeWords(slower?.of ?? link.best),
    slowerWay: slower !== undefined && slower === link.back ? 'back' : 'there',
    isStale: link.isStale,
    isFlagged: linkShortfall(link) !== undefined,
    why: standingWords(link),
    ...(negotiated === undefined ? {} : { negotiatedBitsPerSecond: negotiated }),
    ...(link.there === undefined ? {} : { there: link.there.value }),
    ...(link.back === undefined ? {} : { back: link.back.value }),
    ...(share === undefined ? {} : { share }),
    ...(link.roundTrip === undefined ? {} : { roundTripNs: link.roundTrip.value }),
    ...(measured.length === 0 ? {} : { measuredAtMs: Math.min(...measured) }),
  };
};

const rankOf = (link: LinkView): number => {
  if (link.standing.kind === 'gone') return 4;
  const share = slowerShare(link);
  // What needs somebody stands before a sound link of a slow kind.
  if (share !== undefined)
    return linkShortfall(link) === undefined ? 1 + Math.min(1, share) : Math.min(1, share);
  return link.there === undefined && link.back === undefined ? 3 : 2.5;
};
