// Every number of the reachability checks: what stands in docs/limits.md. Times in ms.

export const REACHABILITY_LIMITS = {
  /** Each address of each node is asked so often. */
  intervalMs: 10_000,
  /** First questions to new addresses are spread over this. */
  firstSpreadMs: 500,
  /** An answer later than this is none. It is all that a dead address costs. */
  timeoutMs: 1_000,
  /** The pause before the second try. */
  retryMs: 500,
  /** So many questions in a row without an answer close a connection. */
  failuresMax: 2,
  /** And so many while a measurement fills a cable of either end: its queue loses and delays what is small as well. */
  failuresBusyMax: 10,
  /** An address that does not answer is asked less and less often, down to this. */
  backoffMsMax: 60_000,
  /** The turns of the nodes lie so far apart: those of one turn are asked together. */
  turnMs: 500,
  /** What is due sooner than so long after the last look waits until then. */
  tickMs: 100,
  /** Waking up so much later than planned means that this process stood still. */
  stallMs: 300,
  /** Questions of this node; past it they wait. */
  askBurst: 100,
  asksPerSecond: 400,
  /** Questions from addresses of known nodes that are looked at; past it they are dropped. */
  answerBurst: 1_000,
  answersPerSecond: 1_000,
  /** Those from other addresses. */
  strangerBurst: 200,
  strangersPerSecond: 200,
  /** Nonces of questions remembered, against replay. */
  noncesMax: 4_096,
  addressesPerNodeMax: 256,
  addressesMax: 8_192,
} as const;
