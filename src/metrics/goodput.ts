// Which completed samples meet every objective, and each one alone. Failures count as bad in the report, where they are
// part of the samples; here they are simply not counted.

import { NO_FIGURE } from '../core/run/event-record.ts';
import type { Objective, ObjectiveName } from '../core/run/objective.ts';
import type { CounterSampler } from './counter-sampler.ts';
import type { FigureName } from './run-series.ts';
import type { SampleFigures } from './sample-figures.ts';

export class Goodput {
  readonly #objectives: readonly {
    readonly figure: FigureName;
    readonly limitNs: number;
    readonly met: CounterSampler;
    readonly unknown: CounterSampler;
  }[];
  readonly #good: CounterSampler | undefined;

  constructor(objectives: readonly Objective[], counter: (name: string) => CounterSampler) {
    this.#objectives = objectives.map(({ name, limitNs }) => ({
      figure: OBJECTIVE_FIGURES[name],
      limitNs,
      met: counter(`objective.${name}.met`),
      unknown: counter(`objective.${name}.unknown`),
    }));
    this.#good = objectives.length === 0 ? undefined : counter('goodSamples');
  }

  completed(figures: SampleFigures): void {
    let isGood = true;
    for (const { figure, limitNs, met, unknown } of this.#objectives) {
      const value = figures[figure];
      // An answer of one token has no time per further token: it cannot miss that objective.
      const isMet = value === NO_FIGURE ? figure === 'tpotNs' && isShort(figures) : value <= limitNs;
      if (isMet) met.add();
      else isGood = false;
      if (!isMet && value === NO_FIGURE) unknown.add();
    }
    if (isGood) this.#good?.add();
  }

  /** A completed sample without any figure. */
  unknown(): void {
    for (const { unknown } of this.#objectives) unknown.add();
  }
}

const isShort = ({ outputTokens }: SampleFigures): boolean => outputTokens === 0 || outputTokens === 1;

const OBJECTIVE_FIGURES: Readonly<Record<ObjectiveName, FigureName>> = {
  ttft: 'ttftNs',
  'ttft-from-intended': 'ttftFromIntendedNs',
  tpot: 'tpotNs',
  latency: 'latencyNs',
  'latency-from-intended': 'latencyFromIntendedNs',
};
