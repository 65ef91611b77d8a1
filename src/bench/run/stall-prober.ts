// Sends requests of one token next to the load, from the main thread and each on a connection of its own: neither the load's
// schedule nor its connections wait for them. Their times are those of a poisson process, so that they meet the server in any
// state, not in step with its batches.

import { type Clock, pause } from '../../clock/clock.ts';
import { type StallProbe, type StallProbes, stallFigures } from '../../core/run/stall-probes.ts';
import { arrivals } from '../schedule/arrivals.ts';
import { type ShortRequest, shortRequest } from '../target/one-request.ts';

export interface StallProberOptions {
  readonly request: Omit<ShortRequest, 'nonce' | 'signal' | 'timeoutMs'>;
  /** Of the run's prompts, so that no cache replies; undefined: none. */
  readonly noncePrefix: string | undefined;
  readonly requestsPerSecond: number;
  readonly seed: number;
}

interface StallProberParts extends StallProberOptions {
  readonly clock: Clock;
  /** Since the run's zero. */
  readonly nowNs: () => number;
}

export class StallProber {
  readonly #parts: StallProberParts;
  readonly #probes: StallProbe[] = [];
  readonly #open = new Set<Promise<void>>();
  #sent = 0;
  #skipped = 0;

  constructor(parts: StallProberParts) {
    this.#parts = parts;
  }

  /** What a server counts of them. */
  get counts(): { readonly issued: number; readonly ended: number } {
    return { issued: this.#sent, ended: this.#probes.length };
  }

  get figures(): StallProbes {
    return stallFigures(this.#probes, {
      requestsPerSecond: this.#parts.requestsPerSecond,
      skipped: this.#skipped,
    });
  }

  /**
   * From `startNs` until `loadOver`; resolves when all have ended.
   * @param over cuts off those without a reply
   */
  async probe(startNs: number, loadOver: AbortSignal, over: AbortSignal): Promise<void> {
    const { clock, nowNs, requestsPerSecond, seed } = this.#parts;
    const due = arrivals({ kind: 'poisson', requestsPerSecond }, seed);
    const until = AbortSignal.any([loadOver, over]);
    for (;;) {
      const atNs = startNs + due.nextNs();
      await pause(clock, Math.max(0, (atNs - nowNs()) / 1e6), until);
      if (until.aborted) break;
      if (this.#open.size >= OPEN_MAX || this.#sent >= SENT_MAX) {
        this.#skipped += 1;
        continue;
      }
      const one: Promise<void> = this.#one(over).finally(() => this.#open.delete(one));
      this.#open.add(one);
    }
    await Promise.all(this.#open);
  }

  async #one(over: AbortSignal): Promise<void> {
    const { request, noncePrefix, nowNs } = this.#parts;
    const sentNs = nowNs();
    this.#sent += 1;
    // Down from the last: the load counts up.
    const nonce = noncePrefix && `${noncePrefix}${(NONCE_LAST - this.#sent).toString(16)}`;
    // It throws the signal's reason, and nothing else.
    const reply = await shortRequest({ ...request, nonce, timeoutMs: REPLY_MS_MAX, signal: over }).catch(
      () => undefined,
    );
    const waitedNs = Math.max(0, nowNs() - sentNs);
    const isAnswered = reply?.kind === 'answer' && reply.status === 200;
    const isCutOff = over.aborted || waitedNs >= REPLY_MS_MAX * 1e6;
    this.#probes.push({
      sentNs,
      waitedNs,
      outcome: isAnswered ? 'answered' : isCutOff ? 'unanswered' : 'failed',
    });
  }
}

/** Limits in docs/limits.md. A server that has so many unanswered has stalled, which those show. */
const OPEN_MAX = 64;
const SENT_MAX = 200_000;
const REPLY_MS_MAX = 60_000;
/** Of eight hexadecimal digits. */
const NONCE_LAST = 0xffff_ffff;
