// What a connection needs of the thread that it belongs to, and what it tells it. The owner gets the connection itself
// back, and this file need not know what that is.

import type { LoopTimers } from '../../../clock/loop-timers.ts';
import type { ConnectionProblem } from '../../../core/run/connection-problems.ts';
import type { LoadRecorder } from '../../arena/load-recorder.ts';
import type { LoadTimeouts } from '../load-target.ts';
import type { TargetDialer } from './dialer.ts';

export interface ConnectionOwner<Owned> {
  readonly nowNs: () => number;
  readonly recorder: LoadRecorder;
  readonly timeouts: LoadTimeouts;
  readonly timers: LoopTimers;
  /** @param target its place among the targets of the load */
  dialerOf(target: number): TargetDialer;
  /** Of the target's name; each has its number, -1 where the name has one alone. */
  readonly addresses: AddressChoice;
  /** It is open and carries no request. */
  opened(connection: Owned): void;
  /** It could not be opened, and no sample waited for it. */
  openFailed(connection: Owned, problem: ConnectionProblem): void;
  /** The server closed it while it carried no request. */
  lostIdle(connection: Owned): void;
  /** Its sample has ended; the connection is idle or closed. */
  sampleEnded(connection: Owned): void;
  /** Which servers close after each reply, although they announce to keep the connection. */
  readonly closing: ClosingNotes;
  /** To be told before its bytes are recorded. */
  readHappened(stampNs: number): void;
  /** Body bytes found no room: the sample fails as `client`. */
  arenaFull(): void;
}

export interface AddressChoice {
  readonly count: number;
  take(nowNs: number): number;
  hostOf(address: number): string | undefined;
  /** It took no connection. */
  failed(address: number, nowNs: number): void;
}

export interface ClosingNotes {
  closedAfterReply(target: number): void;
  keptAfterReply(target: number): void;
  closes(target: number): boolean;
}

export interface ConnectionCounts {
  opened: number;
  reused: number;
  closed: number;
  stale: number;
}
