// The port of what a load thread follows: closed loop, open loop or sessions.

import type { TurnResult } from '../arena/turn-result.ts';
import type { HttpConnection } from '../target/http1/http-connection.ts';

/** Who sends when. */
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
  /** How many of its arrivals are due and held back. */
  waiting(nowNs: number): number;
  /** Where its requests are turns of sessions. */
  turnEnded?(result: TurnResult): void;
  /** Where requests are made while they are sent: there was none, and is one. */
  requestsCame?(): void;
}
