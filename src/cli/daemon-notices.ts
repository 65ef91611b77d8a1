// What the running daemon says a person should know: a broken config, a journal that was moved aside.

import * as v from 'valibot';
import type { DaemonClient } from './daemon-client.ts';

export const noticesOf = async (client: DaemonClient, signal: AbortSignal): Promise<readonly string[]> => {
  const daemon = v.safeParse(DAEMON_ANSWER, await client.json('/api/daemon', signal));
  return daemon.success ? daemon.output.notices : [];
};

const DAEMON_ANSWER = v.object({ notices: v.array(v.string()) });
