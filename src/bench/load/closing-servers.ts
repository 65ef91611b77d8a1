// Which targets close a connection after each reply although they announce keep-alive, as cpp-httplib in llama-server
// does with TLS: a request written to such a connection is lost and sent again after a handshake, which would be part
// of its time to first token.

import type { ClosingNotes } from '../target/http1/connection-owner.ts';

/** Of one load thread. */
export class ClosingServers implements ClosingNotes {
  readonly #closes: number[] = [];

  /** The server closed a connection right after a reply that announced keep-alive. */
  closedAfterReply(target: number): void {
    this.#closes[target] = (this.#closes[target] ?? 0) + 1;
  }

  /** A second reply arrived on a connection: the server keeps them open. */
  keptAfterReply(target: number): void {
    if (!this.closes(target)) this.#closes[target] = 0;
  }

  /** From the second close on, to the end of the run. */
  closes(target: number): boolean {
    return (this.#closes[target] ?? 0) >= CLOSES_LEAST;
  }
}

/** One may be chance: a server that restarts, a gateway that changes its configuration. */
const CLOSES_LEAST = 2;
