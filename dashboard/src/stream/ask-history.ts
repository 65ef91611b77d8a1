// Asks the daemon for what it has kept of the past. That it could not be read is an answer of its own: an empty one would
// say that nothing was measured.

export type HistoryAnswer =
  | { readonly kind: 'read'; readonly body: unknown }
  | { readonly kind: 'failed'; readonly reason: string };

/** After a failure it is asked again so long after, at the earliest, ms. */
export const HISTORY_RETRY_MS = 10_000;

export const askHistory = async (query: Readonly<Record<string, string>>): Promise<HistoryAnswer> => {
  try {
    const answer = await fetch(`/api/history?${new URLSearchParams(query)}`, { cache: 'no-store' });
    if (!answer.ok) return { kind: 'failed', reason: `the daemon answers ${answer.status}` };
    return { kind: 'read', body: await answer.json() };
  } catch {
    return { kind: 'failed', reason: 'the daemon does not answer' };
  }
};
