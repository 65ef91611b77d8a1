// Links as the page of a fleet lists them: one row for each of a few out of a hundred thousand. Slowest
// first, by the share of the negotiated rate, because a 100 Gb/s cable that carries 5 is worse than one of 10
// that carries 9.

import { minimumOf } from '../extremes.ts';
import type { NodeId } from '../ids.ts';
import { standingText, typeText } from '../link/link-text.ts';
import type { LinkView } from '../link/link-view.ts';
import { knownOr } from '../unknown.ts';
import { type JudgedLink, judgedLink } from './judged-link.ts';

export interface FleetLink {
  readonly key: string;
  readonly nodes: readonly [NodeId, NodeId];
  readonly type: string;
  readonly negotiatedBitsPerSecond?: number;
  /** From the first node to the second, and back, bits per second. */
  readonly there?: number;
  readonly back?: number;
  /** Share of the expected rate in the direction with the smaller one: 0..1 and slightly more. */
  readonly share?: number;
  readonly slowerWay: 'there' | 'back';
  readonly roundTripNs?: number;
  /** When the oldest figure was measured, on this process's clock. */
  readonly measuredAtMs?: number;
  readonly isStale: boolean;
  readonly isFlagged: boolean;
  /** Why it has no figures; '' if it has. */
  readonly why: string;
}

/** A few of many, slowest first; links without figures, then those that are gone, come last. */
export const slowestLinks = (links: readonly JudgedLink[], countMax: number): readonly FleetLink[] => {
  // Only the first few of up to a hundred thousand are needed.
  const first: JudgedLink[] = [];
  for (const one of links) {
    const last = first.at(-1);
    if (first.length >= countMax && last !== undefined && one.rank >= last.rank) continue;
    const index = first.findIndex(({ rank }) => rank > one.rank);
    first.splice(index < 0 ? first.length : index, 0, one);
    if (first.length > countMax) first.pop();
  }
  return first.map(({ link }) => fleetLink(link));
};

export const fleetLink = (link: LinkView): FleetLink => {
  const { slower, share, fault } = judgedLink(link);
  const negotiated = knownOr((slower?.of ?? link.best).carrier.negotiatedBitsPerSecond, undefined);
  const measured = [link.there, link.back].flatMap(figure => figure?.of.measuredAtMs ?? []);
  return {
    key: link.key,
    nodes: link.nodes,
    type: typeText(slower?.of ?? link.best),
    slowerWay: slower !== undefined && slower === link.back ? 'back' : 'there',
    isStale: link.isStale,
    isFlagged: fault !== undefined,
    why: standingText(link),
    ...(negotiated === undefined ? {} : { negotiatedBitsPerSecond: negotiated }),
    ...(link.there === undefined ? {} : { there: link.there.value }),
    ...(link.back === undefined ? {} : { back: link.back.value }),
    ...(share === undefined ? {} : { share }),
    ...(link.roundTrip === undefined ? {} : { roundTripNs: link.roundTrip.value }),
    ...(measured.length === 0 ? {} : { measuredAtMs: minimumOf(measured) }),
  };
};

/**
 * The cable whose slower direction has the smallest share of its expected rate; undefined while none is
 * known.
 */
export const slowestOfCables = (links: readonly JudgedLink[]): LinkView | undefined => {
  let slowest: JudgedLink | undefined;
  for (const one of links) {
    const medium = one.slower?.of.medium;
    if (one.share === undefined || (medium !== 'cable' && medium !== 'rdma')) continue;
    if (slowest?.share === undefined || one.share < slowest.share) slowest = one;
  }
  return slowest?.link;
};
