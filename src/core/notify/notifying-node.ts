// Which node sends to a webhook, from shared state alone. The node that sent last keeps the lease while it is there; then the one
// with the smallest id takes it, and goes on from the list of the other.

import type { NodeId } from '../ids.ts';
import { nodeIds, presence } from '../node/presence-view.ts';
import type { State } from '../state.ts';
import { isUnknown } from '../unknown.ts';
import type { SentWarning } from './notifications.ts';

interface LastSent {
  readonly node: NodeId;
  readonly term: number;
  readonly open: readonly SentWarning[];
}

/** By the newest term; undefined if nothing was ever sent to it. After a partition two may have one term. */
export const lastSent = (state: State, webhook: string): LastSent | undefined => {
  const sent = nodeIds(state).flatMap((node): readonly LastSent[] => {
    const value = state.notifications[node]?.[webhook]?.value;
    return value === undefined ? [] : [{ node, term: value.term, open: value.open }];
  });
  return sent.reduce<LastSent | undefined>(
    (newest, one) => (newest === undefined || one.term > newest.term ? one : newest),
    undefined,
  );
};

/**
 * The node that sends to a webhook, as `viewer` sees it: undefined if none has it in its config.toml. A stale node keeps the lease
 * until it is offline; in a partition each side has a sender.
 */
export const notifyingNode = (
  state: State,
  webhook: string,
  { viewer, nowMs }: { readonly viewer: NodeId; readonly nowMs: number },
): NodeId | undefined => {
  const candidates = nodeIds(state).filter(
    node =>
      hasWebhook(state, node, webhook) && (node === viewer || presence(state, node, nowMs) !== 'offline'),
  );
  const last = lastSent(state, webhook)?.node;
  return candidates.find(node => node === last) ?? candidates[0];
};

const hasWebhook = (state: State, node: NodeId, webhook: string): boolean => {
  const webhooks = state.nodeConfigs[node]?.value.webhooks;
  return webhooks !== undefined && !isUnknown(webhooks) && webhooks.includes(webhook);
};
