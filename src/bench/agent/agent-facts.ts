// Sends what an agent's load measures to the coordinator while it runs, so that a stage can be judged before it is
// over. This is best effort: if the connection is too slow, it stops, and the coordinator waits for the samples as
// usual.

import { type Clock, pause } from '../../clock/clock.ts';
import type { AgentMessage, WantedFacts } from '../../wire/agent-message.ts';
import type { LoadTap } from '../run/bench-parts.ts';

interface AgentFactsParts {
  readonly wanted: WantedFacts;
  readonly clock: Clock;
  readonly report: (message: AgentMessage) => Promise<boolean>;
}

export class AgentFacts implements LoadTap {
  readonly #parts: AgentFactsParts;
  #nowNs: (() => number) | undefined;
  #batches: Uint8Array[] = [];
  #lines: Uint8Array[] = [];
  #waitingBytes = 0;
  #isTooSlow = false;

  constructor(parts: AgentFactsParts) {
    this.#parts = parts;
  }

  started(_startNs: number, nowNs: () => number): void {
    this.#nowNs = nowNs;
  }

  batch(bytes: Uint8Array): void {
    if (this.#parts.wanted === 'all' && this.#hasRoom(bytes)) this.#batches.push(bytes);
  }

  sampleLines(bytes: Uint8Array): void {
    if (this.#hasRoom(bytes)) this.#lines.push(bytes);
  }

  /** Until the load is over. Never rejects. */
  async reportUntil(over: AbortSignal): Promise<void> {
    const { clock, report } = this.#parts;
    while (!over.aborted && !this.#isTooSlow) {
      await pause(clock, REPORT_MS, over);
      if (this.#nowNs === undefined) continue;
      const untilNs = this.#nowNs();
      const [batches, lines] = [this.#batches, Buffer.concat(this.#lines)];
      this.#batches = [];
      this.#lines = [];
      this.#waitingBytes = 0;
      if (!(await report({ kind: 'facts', untilNs, batches, lines }))) return;
    }
  }

  #hasRoom({ length }: Uint8Array): boolean {
    this.#waitingBytes += length;
    if (this.#waitingBytes > FACTS_BYTES_MAX) {
      this.#isTooSlow = true;
      this.#batches = [];
      this.#lines = [];
    }
    return !this.#isTooSlow;
  }
}

/** Batches come each 20 ms. */
const REPORT_MS = 50;
/** Less than one message. */
const FACTS_BYTES_MAX: number = 4 * 1024 * 1024;
