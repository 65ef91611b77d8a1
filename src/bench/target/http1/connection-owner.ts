// What a connection needs of the thread that it belongs to, and what it tells it.

import type net from 'node:net';
import type { LoadRecorder } from '../../arena/load-recorder.ts';
import type { LoadTimeouts } from '../../load/load-options.ts';
import type { Connection } from './connection.ts';

export interface ConnectionOwner {
  readonly nowNs: () => number;
  readonly recorder: LoadRecorder;
  readonly timeouts: LoadTimeouts;
  readonly dialer: Dialer;
  /** It is open and carries no request. */
  opened(connection: Connection): void;
  /** It could not be opened, and no sample waited for it. */
  openFailed(connection: Connection, problem: string): void;
  /** The server closed it while it carried no request. */
  lostIdle(connection: Connection): void;
  /** Its sample has ended; the connection is idle or closed. */
  sampleEnded(connection: Connection): void;
  readHappened(stampNs: number): void;
  /** Body bytes found no room: the sample fails as `client`. */
  arenaFull(): void;
}

export interface Dialer {
  /** Starts a connection whose reads go to `received`; 'connect' or 'secureConnect' follows. */
  dial(received: (length: number, bytes: Buffer) => boolean): net.Socket;
  readonly isTls: boolean;
}

export interface ConnectionCounts {
  opened: number;
  reused: number;
  closed: number;
  stale: number;
}
