// What a connection needs of its thread, and the events that it reports to it. The owner receives the connection
// itself, whose full type this file need not know.

import type { LoopTimers } from '../../../clock/loop-timers.ts';
import type { ConnectionProblem } from '../../../core/run/connection-problems.ts';
import type { LoadTimeouts } from '../../../core/run/load-request.ts';
import type { LoadRecorder } from '../../arena/load-recorder.ts';
import type { ReadArrival, TargetDialer } from './dialer.ts';

export interface ConnectionOwner<Owned> {
  readonly nowNs: () => number;
  readonly recorder: LoadRecorder;
  readonly timeouts: LoadTimeouts;
  readonly timers: LoopTimers;
  /** @param target its index among the targets of the load */
  dialerOf(target: number): TargetDialer;
  /** Addresses of the target's name by number; -1 if the name has only one. */
  readonly addresses: AddressChoice;
  /** It is open and carries no request. */
  opened(connection: Owned): void;
  /** It could not be opened, and no sample was waiting for it. */
  openFailed(connection: Owned, problem: ConnectionProblem): void;
  /** The server closed it while it carried no request. */
  lostIdle(connection: Owned): void;
  /** Its sample has ended; the connection is idle or closed. */
  sampleEnded(connection: Owned): void;
  /** Which servers close after each reply, although they announce to keep the connection. */
  readonly closing: ClosingNotes;
  /**
   * Called before the bytes of the read are recorded.
   * @param arrival undefined if the stamp is the time of this call
   */
  readHappened(stampNs: number, arrival: ReadArrival | undefined): void;
  /** Body bytes did not fit: the sample fails as `client`. */
  arenaFull(): void;
}

export interface AddressChoice {
  readonly count: number;
  take(nowNs: number): number;
  hostOf(address: number): string | undefined;
  /** It accepted no connection. */
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
