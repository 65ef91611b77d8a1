// What was measured before, asked of the daemon's journal.

import { type ProfileRow, profileHistoryAnswerSchema } from '../../../src/wire/api/history-answers.ts';
import { type DaemonReply, fetchDaemon } from '../shell/fetch-daemon.ts';

/** After a failure it is asked again so long after, at the earliest, ms. */
export const HISTORY_RETRY_MS = 10_000;

/** A failure to read is a result of its own: an empty one would mean that nothing was measured. */
export const fetchProfiles = async (
  query: Readonly<Record<string, string>>,
): Promise<DaemonReply<readonly ProfileRow[]>> => {
  const reply = await fetchDaemon(`/api/history?${new URLSearchParams(query)}`, profileHistoryAnswerSchema);
  return reply.kind === 'here' ? { kind: 'here', value: reply.value.rows } : reply;
};
