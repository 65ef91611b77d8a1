// The port for the sending pattern of a load thread: closed loop, open loop or sessions.

import type { TurnResult } from '../arena/turn-result.ts';
import type { HttpConnection } from '../target/http1/http-connection.ts';

/** Decides which connection sends when. */
export interface LoadPattern {
  readonly isWarmup: boolean;
  readonly hasIssuedAll: boolean;
  start(): void;
  stop(): void;
  /** It was opened, and is idle. */
  connectionFree(connection: HttpConnection): void;
  /** It is idle again, or closed after its sample. */
  sampleEnded(connection: HttpConnection): void;
  /** An idle one was closed, or one could not be opened. */
  connectionLost(connection: HttpConnection): void;
  tick(nowNs: number): void;
  /** Number of its arrivals that are due and held back. */
  waiting(nowNs: number): number;
  /** Called if its requests are turns of sessions. */
  turnEnded?(result: TurnResult): void;
  /** Called if requests are generated while they are sent: the queue was empty, and no longer is. */
  requestsCame?(): void;
}
