// A cable that carries less than it should, as a fact: what a picture draws, a row says and a command is made of.

import type { NodeId } from '../ids.ts';
import { linkShortfall } from '../link/link-shortfall.ts';
import type { LinkView } from '../link/link-view.ts';
import { typeWords } from '../link/link-words.ts';
import { knownOr } from '../unknown.ts';

export interface CableFault {
  readonly id: string;
  readonly kind: 'cable';
  readonly level: FaultLevel;
  /** From the sender to the receiver of the direction that is short; of both directions as the link has them. */
  readonly nodes: readonly [NodeId, NodeId];
  readonly linkKey: string;
  readonly isBothWays: boolean;
  readonly bitsPerSecond: number;
  readonly expected: { readonly kind: 'negotiated' | 'other-way'; readonly bitsPerSecond: number };
  readonly type: string;
  /** Of the probe that measured it. */
  readonly retransmits?: number;
}

/** A warning's level without notes: a fault needs somebody. */
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
    type: typeWords(short.of),
    ...(retransmits === undefined ? {} : { retransmits }),
  };
};
