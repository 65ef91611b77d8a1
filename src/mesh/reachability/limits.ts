// Every number of the reachability checks, as in docs/limits.md. Times in ms.

export const REACHABILITY_LIMITS = {
  /** Each address of each node is checked this often. */
  intervalMs: 10_000,
  /** First checks of new addresses are spread over this. */
  firstSpreadMs: 500,
  /** A later reply does not count. This is all that a dead address costs. */
  timeoutMs: 1_000,
  /** The pause before the second try. */
  retryMs: 500,
  /** This many requests in a row without a reply close a connection. */
  failuresMax: 2,
  /**
   * And this many while a measurement fills a cable at either end: its queue drops and delays small packets as well.
   */
  failuresBusyMax: 10,
  /** An address that does not answer is checked less and less often, up to this interval. */
  backoffMsMax: 60_000,
  /** The time between turns: the nodes of one turn are checked together. */
  turnMs: 500,
  /** What is due sooner than this after the last pass waits until then. */
  tickMs: 100,
  /** Waking up this much later than planned means that this process was suspended. */
  stallMs: 300,
  /** Requests of this node; past it they wait. */
  queryBurst: 100,
  queriesPerSecond: 400,
  /** Requests from addresses of known nodes that are checked; past it they are dropped. */
  answerBurst: 1_000,
  answersPerSecond: 1_000,
  /** Requests from other addresses. */
  strangerBurst: 200,
  strangersPerSecond: 200,
  /** Nonces of requests remembered, against replay. */
  noncesMax: 4_096,
  addressesPerNodeMax: 256,
  addressesMax: 8_192,
} as const;
