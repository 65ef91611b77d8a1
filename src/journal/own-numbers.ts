// The numbers a journal gives its own node when it is opened: the epoch of its durable events and the number of this
// start. Both come from the wall clock, so that a new journal is above a lost one, and both only ever grow. Pure.

import type { NodeId } from '../core/ids.ts';
import { numberAbove } from './admission.ts';
import type { JournalNotice } from './journal.ts';

export interface OwnNumbers {
  readonly ownNode: string;
  readonly ownEpoch: number;
  readonly startNumber: number;
}

export interface Opening {
  readonly ownNode: NodeId;
  readonly wallMs: number;
  readonly epochFloor: number;
  /** Epoch that the journal holds of this node, perhaps as that of a foreign one. */
  readonly heldEpoch: number;
  /** What could be read of a journal that this one replaces. */
  readonly lost?: OwnNumbers | undefined;
}

export interface Opened {
  readonly numbers: OwnNumbers;
  readonly isNewEpoch: boolean;
  readonly notices: readonly JournalNotice[];
}

export const openOwnNumbers = (stored: OwnNumbers | undefined, opening: Opening): Opened => {
  const { ownNode, wallMs, epochFloor, heldEpoch, lost } = opening;
  const startNumber = numberAbove(wallMs, stored?.startNumber ?? 0, lost?.startNumber ?? 0);
  const isSameNode = stored?.ownNode === ownNode;
  if (stored !== undefined && isSameNode && stored.ownEpoch >= epochFloor)
    return { numbers: { ownNode, ownEpoch: stored.ownEpoch, startNumber }, isNewEpoch: false, notices: [] };
  const before = [isSameNode ? stored.ownEpoch : 0, lost?.ownNode === ownNode ? lost.ownEpoch : 0];
  const ownEpoch = numberAbove(wallMs, epochFloor, heldEpoch, ...before);
  const notices: readonly JournalNotice[] =
    stored === undefined || isSameNode
      ? []
      : [
          {
            code: 'journal-of-other-node',
            problem: `The journal was written by node ${stored.ownNode}, and this is ${ownNode}: its records stay as those of another node.`,
            advice: '',
          },
        ];
  return { numbers: { ownNode, ownEpoch, startNumber }, isNewEpoch: true, notices };
};
