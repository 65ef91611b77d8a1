// Requested probes of one simulated node: one at a time, each for as long as such a probe takes, then its profile.

import type { RequestedProbe } from '../wire/api/probe-answers.ts';
import type { Probed } from './probing.ts';

export type RequestedStep =
  | { readonly kind: 'begins'; readonly probed: Probed }
  | { readonly kind: 'ends'; readonly probed: Probed; readonly attempt: number };

export class RequestedProbes {
  readonly #waiting: Probed[] = [];
  #running: { readonly probed: Probed; readonly untilMs: number } | undefined;
  #attempt = FIRST_ATTEMPT;

  isRunning(probed: Probed): boolean {
    return this.#running?.probed === probed;
  }

  /** `storedBy`: why it cannot be measured now. */
  request(probed: Probed, storedBy: string | undefined): RequestedProbe {
    const { subject } = probed;
    if (storedBy !== undefined) return { subject, result: 'refused', reason: storedBy };
    if (this.isRunning(probed)) return { subject, result: 'started', reason: '' };
    if (!this.#waiting.includes(probed)) this.#waiting.push(probed);
    const isNext = this.#running === undefined && this.#waiting[0] === probed;
    return isNext
      ? { subject, result: 'started', reason: '' }
      : { subject, result: 'queued', reason: 'another probe of this node runs' };
  }

  /** What has happened up to now. */
  steps(nowMs: number): readonly RequestedStep[] {
    const steps: RequestedStep[] = [];
    if (this.#running !== undefined && nowMs >= this.#running.untilMs) {
      this.#attempt += 1;
      steps.push({ kind: 'ends', probed: this.#running.probed, attempt: this.#attempt });
      this.#running = undefined;
    }
    const next = this.#running === undefined ? this.#waiting.shift() : undefined;
    if (next !== undefined) {
      this.#running = { probed: next, untilMs: nowMs + next.durationMs };
      steps.push({ kind: 'begins', probed: next });
    }
    return steps;
  }
}

/** Beyond those of the schedule, so a requested probe gets its own figures. */
const FIRST_ATTEMPT = 100_000;
