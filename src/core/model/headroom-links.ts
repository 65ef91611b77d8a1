// What was measured between the nodes of a cluster, in the form that the cost of a placement is computed
// from. A link that is not open now, or not measured, connects nothing.

import type { NodeId } from '../ids.ts';
import { linkKey } from '../link/link-path.ts';
import { typeText } from '../link/link-text.ts';
import { type LinkView, linkViews } from '../link/link-view.ts';
import { nodeName } from '../node/node-view.ts';
import type { State } from '../state.ts';
import { isUnknown, type Reported } from '../unknown.ts';

/** One direction between two nodes; a cable has two. */
export interface HeadroomLink {
  readonly source: NodeId;
  readonly sink: NodeId;
  /** "spark-1–spark-2", the same for both directions. */
  readonly name: string;
  /** "Ethernet", "Thunderbolt 5 (RDMA)" */
  readonly typeName: string;
  /** Median round trip, seconds. */
  readonly roundTripSeconds: number;
  /**
   * How long two machines wait for each other in an all-reduce, without its bytes; undefined if only half a
   * round trip is known.
   */
  readonly exchangeSeconds?: number | undefined;
  readonly bytesPerSecond: number;
  /** The rate that both ends negotiated. */
  readonly negotiatedBytesPerSecond: Reported<number>;
  /** Measured longer ago than two intervals. */
  readonly isStale: boolean;
}

export const headroomLinks = (state: State, nowMs: number): readonly HeadroomLink[] =>
  headroomLinksOf(linkViews(state, nowMs), node => nodeName(state, node));

/** The same, for links that are already computed. */
export const headroomLinksOf = (
  views: readonly LinkView[],
  nameOf: (node: NodeId) => string,
): readonly HeadroomLink[] => views.flatMap(view => bothWays(view, nameOf));

const bothWays = (
  { nodes, there, back, roundTrip }: LinkView,
  nameOf: (node: NodeId) => string,
): readonly HeadroomLink[] => {
  const rates = [there ?? back, back ?? there];
  if (roundTrip === undefined) return [];
  const [first, second] = nodes;
  return rates.flatMap((rate, index) => {
    if (rate === undefined || rate.value <= 0) return [];
    const [source, sink] = index === 0 ? [first, second] : [second, first];
    const negotiated = rate.of.carrier.negotiatedBitsPerSecond;
    return [
      {
        source,
        sink,
        name: `${nameOf(first)}–${nameOf(second)}`,
        typeName: typeText(rate.of),
        roundTripSeconds: roundTrip.value / NANOSECONDS,
        exchangeSeconds: exchangeSecondsOf(roundTrip, rate.value / BITS),
        bytesPerSecond: rate.value / BITS,
        negotiatedBytesPerSecond: isUnknown(negotiated) ? negotiated : negotiated / BITS,
        isStale: rate.isStale || roundTrip.isStale,
      },
    ];
  });
};

/** From the measured exchange of 16 KiB, minus the time for its bytes; at least half the round trip. */
const exchangeSecondsOf = (
  { value, of }: NonNullable<LinkView['roundTrip']>,
  bytesPerSecond: number,
): number | undefined => {
  const measured = of.profile?.allReduceNs16Kib;
  if (measured === undefined || isUnknown(measured)) return undefined;
  return Math.max(value / 2 / NANOSECONDS, measured / NANOSECONDS - EXCHANGED_BYTES / bytesPerSecond);
};

/** Links by their ends. */
export class HeadroomLinkTable {
  readonly #byEnds = new Map<string, HeadroomLink>();
  readonly links: readonly HeadroomLink[];

  constructor(links: readonly HeadroomLink[]) {
    this.links = links;
    for (const link of links) this.#byEnds.set(`${link.source} ${link.sink}`, link);
  }

  between(source: NodeId, sink: NodeId): HeadroomLink | undefined {
    return this.#byEnds.get(`${source} ${sink}`);
  }

  /** Both directions of each two, if all are connected; undefined if two are not. */
  among(nodes: readonly NodeId[]): readonly HeadroomLink[] | undefined {
    const found: HeadroomLink[] = [];
    for (const source of nodes)
      for (const sink of nodes) {
        if (source === sink) continue;
        const link = this.between(source, sink);
        if (link === undefined) return undefined;
        found.push(link);
      }
    return found;
  }

  /** With another rate in both directions of one link. */
  withRate(changed: HeadroomLink, bytesPerSecond: number): HeadroomLinkTable {
    const key = linkKey(changed.source, changed.sink);
    return new HeadroomLinkTable(
      this.links.map(link => (linkKey(link.source, link.sink) === key ? { ...link, bytesPerSecond } : link)),
    );
  }
}

const EXCHANGED_BYTES: number = 16 * 1024;
const NANOSECONDS = 1e9;
const BITS = 8;
