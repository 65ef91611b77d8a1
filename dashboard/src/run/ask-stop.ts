// Asks the daemon that a run of its machine end now. That it has is told by the state like any end.

export type StopAnswer = { readonly kind: 'asked' } | { readonly kind: 'refused'; readonly reason: string };

export const askStop = async (runId: string): Promise<StopAnswer> => {
  const answer = await fetch(`/api/runs/${encodeURIComponent(runId)}/stop`, { method: 'POST' }).catch(
    () => undefined,
  );
  if (answer === undefined) return { kind: 'refused', reason: 'the daemon does not answer' };
  return answer.ok
    ? { kind: 'asked' }
    : refusal(answer.status, await answer.json().catch((): undefined => undefined));
};

export const refusal = (status: number, body: unknown): StopAnswer => {
  if (status === 401) return { kind: 'refused', reason: NO_ACCESS };
  return { kind: 'refused', reason: messageIn(body) || `HTTP ${status}` };
};

const messageIn = (body: unknown): string => {
  if (typeof body !== 'object' || body === null || !('error' in body)) return '';
  const { error } = body;
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
};

const NO_ACCESS = 'this browser may look, not ask: open the address that "plimsoll open" prints';
