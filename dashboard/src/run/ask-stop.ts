// Asks the daemon that a run of its machine end now. That it has is told by the state like any end.

import { refusalText } from '../shell/ask-daemon.ts';

export type StopAnswer = { readonly kind: 'asked' } | { readonly kind: 'refused'; readonly reason: string };

export const askStop = async (runId: string): Promise<StopAnswer> => {
  const answer = await fetch(`/api/runs/${encodeURIComponent(runId)}/stop`, { method: 'POST' }).catch(
    () => undefined,
  );
  if (answer === undefined) return { kind: 'refused', reason: 'the daemon does not answer' };
  if (answer.ok) return { kind: 'asked' };
  const body: unknown = await answer.json().catch(() => undefined);
  return { kind: 'refused', reason: refusalText(answer.status, body) };
};
