// Forgets a node that is gone: an event that names its last positions, so it is shown again as soon as it
// sends something new.

import type { NodeId } from '../ids.ts';
import type { State } from '../state.ts';
import type { NodeForgotten } from './presence.ts';
import { newestLiveOf, nodeIds, presence } from './presence-view.ts';

export type Forgetting =
  | { readonly kind: 'forgotten'; readonly fact: NodeForgotten }
  | { readonly kind: 'refused'; readonly code: 'no-such-node' | 'own-node' | 'node-is-live' };

/**
 * Hides everything known about the subject; refused for a node that is up, because it would reappear at once.
 */
export const forgetNode = (
  state: State,
  { self, subject, nowMs }: { readonly self: NodeId; readonly subject: NodeId; readonly nowMs: number },
): Forgetting => {
  if (subject === self) return { kind: 'refused', code: 'own-node' };
  if (!nodeIds(state).includes(subject)) return { kind: 'refused', code: 'no-such-node' };
  if (presence(state, subject, nowMs) === 'live') return { kind: 'refused', code: 'node-is-live' };
  const durable = state.origins[subject];
  const live = newestLiveOf(state, subject);
  return {
    kind: 'forgotten',
    fact: {
      subject,
      durableEpoch: durable?.epoch ?? 0,
      durableSeq: durable?.seq ?? 0,
      liveEpoch: live?.epoch ?? 0,
      liveSeq: live?.seq ?? 0,
    },
  };
};
