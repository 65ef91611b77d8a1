// What is to be sent to a webhook: warnings that have lasted, and sent ones that have been over for long enough. A warning that
// comes and goes in between is sent once (hysteresis). A pure step: what is due stays due until it has been sent.

import type { Warning } from '../warnings/warning.ts';
import { OPEN_WARNINGS_MAX, type SentWarning } from './notifications.ts';

/** Since when a warning is there and was not sent, or was sent and is not there. */
export interface WatchedWarning {
  readonly isFound: boolean;
  readonly sinceMs: number;
}

interface Moment {
  /** At their level and above. */
  readonly found: readonly Warning[];
  /** Raised at the receiver. */
  readonly open: readonly SentWarning[];
  /** Of the step before. */
  readonly watched: ReadonlyMap<string, WatchedWarning>;
  readonly nowMs: number;
  readonly raisedAfterMs: number;
  readonly clearedAfterMs: number;
}

interface Due {
  readonly raised: readonly Warning[];
  readonly cleared: readonly SentWarning[];
  readonly watched: ReadonlyMap<string, WatchedWarning>;
}

export const dueNotifications = (moment: Moment): Due => {
  const { found, open, nowMs, raisedAfterMs, clearedAfterMs } = moment;
  const watched = new Map<string, WatchedWarning>();
  const lastedMs = (id: string, isFound: boolean): number => {
    const before = moment.watched.get(id);
    const now = before?.isFound === isFound ? before : { isFound, sinceMs: nowMs };
    watched.set(id, now);
    return nowMs - now.sinceMs;
  };
  const openIds = new Set(open.map(({ id }) => id));
  const foundIds = new Set(found.map(({ id }) => id));
  const cleared = open.filter(({ id }) => !foundIds.has(id) && lastedMs(id, false) >= clearedAfterMs);
  const raised = found.filter(({ id }) => !openIds.has(id) && lastedMs(id, true) >= raisedAfterMs);
  const room = Math.max(0, OPEN_WARNINGS_MAX - open.length + cleared.length);
  return { raised: raised.slice(0, room), cleared, watched };
};
