// A notice for each peer that claims more than it delivers, by its name, until it delivers or is gone for good. Other nodes are
// used meanwhile, so what is missing comes from them; only the peer's own records may be missing for longer.

import { type Clock, pause } from '../../clock/clock.ts';
import { counted } from '../../core/figure/figure.ts';
import type { NodeId } from '../../core/ids.ts';
import type { Undelivered } from '../../mesh/replication/catch-up-requests.ts';
import type { Notices } from '../notices.ts';

interface DeliveryNoticesParts {
  readonly clock: Clock;
  readonly notices: Pick<Notices, 'raise' | 'clear'>;
  readonly nameOf: (node: NodeId) => string;
  readonly undelivered: () => readonly Undelivered[];
}

/** Until the abort; resolves then. */
export const followDeliveries = async (
  { clock, notices, nameOf, undelivered }: DeliveryNoticesParts,
  signal: AbortSignal,
): Promise<void> => {
  const raised = new Set<NodeId>();
  while (!signal.aborted) {
    // Those that fail most; more notices would hide others.
    const failing = undelivered()
      .filter(({ count }) => count >= UNDELIVERED_REPORTED_MIN)
      .toSorted((a, b) => b.count - a.count)
      .slice(0, NAMED_MAX);
    for (const { peer, count, givenUp } of failing) {
      raised.add(peer);
      notices.raise({
        id: noticeId(peer),
        code: 'records-undelivered',
        node: peer,
        count,
        givenUp,
        problem: `${nameOf(peer)} (${peer}) claims records that it does not deliver: ${counted(count, 'request')} had no result${givenUp === 0 ? '' : `, and for ${counted(givenUp, 'node')} it is asked once a day now`}.`,
        advice:
          'Other nodes are used instead. Restart plimsoll there. If that does not help and there is no explanation, treat it as hostile: change the cluster key on the others (plimsoll key rotate).',
      });
    }
    for (const peer of raised) {
      if (failing.some(each => each.peer === peer)) continue;
      raised.delete(peer);
      notices.clear(noticeId(peer));
    }
    await pause(clock, CHECK_MS, signal);
  }
};

const noticeId = (peer: NodeId): string => `undelivered ${peer}`;

/** Once or twice may be a slow disk or cable there. */
export const UNDELIVERED_REPORTED_MIN = 3;
const NAMED_MAX = 4;
const CHECK_MS = 15_000;
