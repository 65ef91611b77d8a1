// Closed loop: the part of the measured phase with the requested concurrency in flight, from when it was first
// reached to when it was last left. The ramp at the start and the decline at the end are outside (METRICS §4).

import type { EndedSample } from '../core/run/ended-sample.ts';
import { NO_FIGURE } from '../core/run/event-record.ts';
import type { RunPattern } from '../core/run/run-pattern.ts';
import { hasSteps, type RunShape } from '../core/run/run-shape.ts';
import { RawValues } from '../core/statistics/raw-values.ts';
import type { CounterSampler } from './counter-sampler.ts';
import type { CounterSamplers } from './run-samplers.ts';

export class SteadyState {
  readonly #concurrency: number;
  readonly #sentNs = new RawValues();
  readonly #endNs = new RawValues();
  readonly #completedEndNs = new RawValues();
  readonly #outputTokens = new RawValues();
  readonly #duration: CounterSampler;
  readonly #completed: CounterSampler;
  readonly #tokens: CounterSampler;

  constructor(
    { pattern, shape }: { readonly pattern: RunPattern; readonly shape?: RunShape },
    counters: CounterSamplers,
  ) {
    this.#concurrency = pattern.kind === 'concurrency' && !hasSteps(shape) ? pattern.concurrency : 0;
    this.#duration = counters.steadyStateNs;
    this.#completed = counters.steadyStateCompleted;
    this.#tokens = counters.steadyStateOutputTokens;
  }

  sent(sentNs: number): void {
    if (this.#concurrency > 0) this.#sentNs.add(sentNs);
  }

  ended({ outcome, endNs, outputTokens }: EndedSample): void {
    if (this.#concurrency === 0) return;
    this.#endNs.add(endNs);
    if (outcome !== 'completed') return;
    this.#completedEndNs.add(endNs);
    this.#outputTokens.add(outputTokens === NO_FIGURE ? 0 : outputTokens);
  }

  /** At the end only: it sorts every stamp. Nothing when values were left out or the plateau was never reached. */
  settle(): void {
    if (this.#concurrency === 0 || this.#sentNs.leftOut > 0) return;
    const plateau = plateauOf({
      concurrency: this.#concurrency,
      sentNs: this.#sentNs.sorted(),
      endNs: this.#endNs.sorted(),
    });
    if (plateau === undefined) return;
    const ends = this.#completedEndNs.inOrder();
    const tokens = this.#outputTokens.inOrder();
    let completed = 0;
    let outputTokens = 0;
    for (let index = 0; index < ends.length; index += 1) {
      const endNs = ends[index] ?? 0;
      if (endNs <= plateau.fromNs || endNs > plateau.toNs) continue;
      completed += 1;
      outputTokens += tokens[index] ?? 0;
    }
    this.#duration.set(plateau.toNs - plateau.fromNs);
    this.#completed.set(completed);
    this.#tokens.set(outputTokens);
  }
}

interface Plateau {
  readonly fromNs: number;
  readonly toNs: number;
}

/** Both arrays ascending. An end at the very time of a start counts first, as the next request waits for it. */
const plateauOf = ({
  concurrency,
  sentNs,
  endNs,
}: {
  readonly concurrency: number;
  readonly sentNs: Float64Array;
  readonly endNs: Float64Array;
}): Plateau | undefined => {
  let inFlight = 0;
  let nextEnd = 0;
  let fromNs: number | undefined;
  let toNs: number | undefined;
  for (const startNs of sentNs) {
    for (; nextEnd < endNs.length && (endNs[nextEnd] ?? 0) <= startNs; nextEnd += 1) {
      if (inFlight >= concurrency) toNs = endNs[nextEnd];
      inFlight -= 1;
    }
    inFlight += 1;
    if (inFlight >= concurrency) fromNs ??= startNs;
  }
  if (inFlight >= concurrency) toNs = endNs[nextEnd] ?? toNs;
  return fromNs !== undefined && toNs !== undefined && toNs > fromNs ? { fromNs, toNs } : undefined;
};
