// Limits a running load to the caps by what it has actually sent, independent of the request: the last protection
// against a coordinator that requests little and causes much, and against our own mistakes. It ends the load and
// never slows it, because a throttled closed loop would be measured as a slow server.

import type { AgentRefusal, LoadCaps } from './agent-policy.ts';

interface SeenLoad {
  /** Since the first request. */
  readonly nowMs: number;
  /** Warm-up included. */
  readonly issued: number;
}

export class CapWatch {
  readonly #caps: LoadCaps;
  readonly #isOpenLoop: boolean;
  /** One count per check, as far back as the window reaches. */
  readonly #window: SeenLoad[] = [];

  constructor(caps: LoadCaps, { isOpenLoop }: { readonly isOpenLoop: boolean }) {
    this.#caps = caps;
    this.#isOpenLoop = isOpenLoop;
  }

  /** Called every CAP_LOOK_MS or less often. @returns the reason to end the load, if there is one */
  look(seen: SeenLoad): AgentRefusal | undefined {
    const { requestsPerSecondMax, durationMsMax, samplesMax } = this.#caps;
    if (seen.nowMs >= durationMsMax) {
      return ended(
        'duration',
        `it has lasted ${durationMsMax / 1_000} s, as long as one may here`,
        'duration_max',
      );
    }
    if (seen.issued > samplesMax) {
      return ended(
        'samples',
        `it has sent ${samplesMax} requests, as many as one load may here`,
        'samples_max',
      );
    }
    // An open loop's schedule was admitted; a late loop sends what is due at once, which is the same load.
    if (this.#isOpenLoop) return undefined;
    this.#window.push(seen);
    while ((this.#window[1]?.nowMs ?? Number.POSITIVE_INFINITY) <= seen.nowMs - WINDOW_MS)
      this.#window.shift();
    const first = this.#window[0] ?? seen;
    const seconds = Math.max(seen.nowMs - first.nowMs, WINDOW_MS) / 1_000;
    const allowed = requestsPerSecondMax * seconds;
    if (seen.issued - first.issued <= allowed) return undefined;
    return ended(
      'rate',
      `it has sent more than the ${requestsPerSecondMax} requests a second that this machine sends for others`,
      'rate_max',
    );
  }
}

const ended = (cause: AgentRefusal['cause'], problem: string, key: string): AgentRefusal => ({
  code: 'over-caps',
  cause,
  problem: `the load was ended: ${problem}`,
  advice: `Ask for less, or have the owner of that machine raise [bench] ${key} in its config.toml.`,
});

export const CAP_LOOK_MS = 100;
const WINDOW_MS = 1_000;
