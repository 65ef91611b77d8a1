// What is wrong with a link, as data: a cable that carries less than it should, and lost paths. Charts, rows
// and commands are made of it.

import type { NodeId } from '../ids.ts';
import { linkShortfall } from '../link/link-shortfall.ts';
import { typeText } from '../link/link-text.ts';
import { isCarrying, type LinkView } from '../link/link-view.ts';
import type { LossCause } from '../link/loss-cause.ts';
import { knownOr } from '../unknown.ts';

export interface CableFault {
  readonly id: string;
  readonly kind: 'cable';
  readonly level: FaultLevel;
  /** From sender to receiver of the direction that is short; if both are, in the link's order. */
  readonly nodes: readonly [NodeId, NodeId];
  readonly linkKey: string;
  readonly isBothWays: boolean;
  readonly bitsPerSecond: number;
  readonly expected: { readonly kind: 'negotiated' | 'other-way'; readonly bitsPerSecond: number };
  readonly type: string;
  /** TCP retransmits of the probe that measured it. */
  readonly retransmits?: number;
}

/** Lost paths between two nodes that are up. */
export interface LossFault {
  readonly id: string;
  readonly kind: 'lost';
  readonly level: FaultLevel;
  readonly nodes: readonly [NodeId, NodeId];
  readonly linkKey: string;
  /** Type of the path that was lost last. */
  readonly type: string;
  /** Paths that are lost; at least one. */
  readonly count: number;
  /** Whether another path of the link is still open. */
  readonly isPartial: boolean;
  /** When the last of them was lost: this process's clock, ms. */
  readonly sinceMs: number;
  /** What the interfaces of both ends show, and what the source reported. */
  readonly cause: LossCause;
  readonly reason: string;
}

export type LinkFault = CableFault | LossFault;

/** A warning's level without notes: a fault needs attention. */
export type FaultLevel = 'danger' | 'caution';

export const cableFault = (link: LinkView): CableFault | undefined => {
  const short = linkShortfall(link);
  if (short === undefined) return undefined;
  const [a, b] = link.nodes;
  const retransmits =
    short.of.profile === undefined ? undefined : knownOr(short.of.profile.retransmits, undefined);
  return {
    id: `cable ${link.key}`,
    kind: 'cable',
    level: 'caution',
    nodes: short.direction === 'back' ? [b, a] : [a, b],
    linkKey: link.key,
    isBothWays: short.direction === 'both',
    bitsPerSecond: short.bitsPerSecond,
    expected: short.expected,
    type: typeText(short.of),
    ...(retransmits === undefined ? {} : { retransmits }),
  };
};

export const lossFault = ({ key, nodes, lost, standing }: LinkView): LossFault | undefined => {
  const [latest] = lost.toSorted((a, b) => b.lostAtMs - a.lostAtMs);
  if (latest === undefined) return undefined;
  return {
    id: `lost ${key}`,
    kind: 'lost',
    level: 'danger',
    nodes,
    linkKey: key,
    type: typeText(latest.of),
    count: lost.length,
    isPartial: isCarrying(standing),
    sinceMs: latest.lostAtMs,
    cause: latest.cause,
    reason: latest.reason,
  };
};
