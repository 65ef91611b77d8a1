// The record that the demo's daemon has of nodes that went silent before it started: in its journal, with the age of the last
// event from each, as in the home of any daemon that is restarted.

import type { Clock } from '../../clock/clock.ts';
import type { NodeId } from '../../core/ids.ts';
import { type AgedRecord, JOURNAL_LIMITS } from '../../journal/journal.ts';
import { Notices } from '../notices.ts';
import { openDaemonJournal } from '../open-journal.ts';

export interface SeenBefore {
  readonly origin: NodeId;
  readonly epoch: number;
  readonly through: number;
  /** With the ages that they had when the origin fell silent. */
  readonly records: readonly AgedRecord[];
  /** Since then, ms. */
  readonly awayMs: number;
}

interface LeftBehindHome {
  readonly home: string;
  readonly ownNode: NodeId;
  readonly clock: Clock;
}

/** Longest silent first. */
export const storeSeenBefore = (
  { home, ownNode, clock }: LeftBehindHome,
  received: readonly SeenBefore[],
): void => {
  for (const { awayMs, records, ...position } of received.toSorted((a, b) => b.awayMs - a.awayMs)) {
    const then: Clock = {
      nowMs: () => clock.nowMs() - awayMs,
      wallMs: () => clock.wallMs() - awayMs,
      sleep: (durationMs, signal) => clock.sleep(durationMs, signal),
    };
    using journal = openDaemonJournal(
      home,
      JOURNAL_LIMITS,
      { ownNode, clock: then },
      new Notices(() => undefined),
    );
    journal.appendCatchUp(position, records);
  }
};
