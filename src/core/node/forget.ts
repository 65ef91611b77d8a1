// Forgetting a node that is gone: a fact that names how far its words reach, so that it is shown again as soon as it speaks.

import type { NodeId } from '../ids.ts';
import type { State } from '../state.ts';
import type { NodeForgotten } from './presence.ts';
import { newestLiveOf, nodeIds, presence } from './presence-view.ts';

export type Forgetting =
  | { readonly kind: 'forgotten'; readonly fact: NodeForgotten }
  | { readonly kind: 'refused'; readonly code: 'no-such-node' | 'own-node' | 'node-is-live' };

/** Everything that is known of the subject is hidden; a node that is heard now would be back at once, so it is refused. */
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
